// SPDX-License-Identifier: GPL-2.0-only
#include "frames/kinds.h"
#include "frames/pageflags.h"
#include "unit.h"

#define F(name) PAGEFLAG(name)
#define EXISTS	KMEMTRACE_PAGE_EXISTS

static const struct kmemtrace_page tagged = { .tag = 5,
					     .refs = 1,
					     .flags = EXISTS };
static const struct kmemtrace_page untagged = { .refs = 1, .flags = EXISTS };
static const struct kmemtrace_page freed = { .flags = EXISTS };

START_TEST(each_flag_has_its_kind)
{
	static const struct {
		uint64_t flags;
		enum frame_kind kind;
	} rows[] = {
		{ F(NOPAGE), KIND_HOLE },
		{ F(HWPOISON) | F(LRU) | F(UPTODATE), KIND_POISONED },
		{ F(OFFLINE), KIND_OFFLINE },
		{ F(BUDDY), KIND_FREE },
		{ F(RESERVED), KIND_RESERVED },
		{ F(RESERVED) | F(SLAB), KIND_RESERVED }, /* slab of KFENCE */
		{ F(RESERVED) | F(ZERO_PAGE), KIND_RESERVED },
		{ F(SLAB) | F(COMPOUND_HEAD), KIND_SLAB },
		{ F(PGTABLE) | F(MMAP), KIND_PGTABLE },
		{ F(HUGE) | F(COMPOUND_HEAD) | F(UPTODATE), KIND_HUGETLB },
		{ F(HUGE) | F(ANON) | F(MMAP) | F(COMPOUND_HEAD), KIND_HUGETLB },
		{ F(ZERO_PAGE) | F(THP) | F(COMPOUND_HEAD), KIND_ZERO },
		{ F(ANON) | F(LRU) | F(SWAPBACKED) | F(UPTODATE), KIND_ANON },
		{ F(ANON) | F(SWAPBACKED) | F(UPTODATE), KIND_ANON },
		{ F(ANON) | F(KSM) | F(UPTODATE), KIND_ANON },
		{ F(SWAPCACHE) | F(SWAPBACKED) | F(LOCKED), KIND_ANON },
		{ F(LRU) | F(SWAPBACKED) | F(UPTODATE), KIND_SHMEM },
		{ F(SWAPBACKED) | F(LOCKED), KIND_SHMEM },
		{ F(LRU) | F(UPTODATE) | F(MMAP), KIND_FILE },
		{ F(LRU) | F(LOCKED), KIND_FILE },
		{ F(UPTODATE), KIND_FILE },
		{ F(UNEVICTABLE) | F(LRU), KIND_FILE },
		{ 0, KIND_UNKNOWN },
		{ F(MMAP), KIND_UNKNOWN },
		{ F(COMPOUND_HEAD), KIND_UNKNOWN },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kinds k = { 0 };

		ck_assert_msg(kind_of_frame(&k, 7, rows[i].flags, NULL) ==
				      rows[i].kind,
			      "%zu", i);
		ck_assert_msg(kind_of_frame(&k, 7, rows[i].flags, &untagged) ==
				      rows[i].kind,
			      "%zu without a tag", i);
	}
}
END_TEST

START_TEST(owners_decide_the_rest)
{
	const struct kmemtrace_page large = {
		.tag = 5,
		.flags = EXISTS | KMEMTRACE_PAGE_LARGE,
	};
	const struct kmemtrace_page movable = {
		.flags = EXISTS | KMEMTRACE_PAGE_MOVABLE,
	};
	/* from before accounting: the tag says no more than the flags */
	const struct kmemtrace_page earlier = {
		.tag = 6,
		.flags = EXISTS | KMEMTRACE_PAGE_EARLIER,
		.refs = 1,
	};
	const struct kmemtrace_page earlier_large = {
		.tag = 7,
		.flags = EXISTS | KMEMTRACE_PAGE_EARLIER | KMEMTRACE_PAGE_LARGE,
	};
	const struct kmemtrace_page earlier_known = {
		.tag = 8,
		.flags = EXISTS | KMEMTRACE_PAGE_EARLIER | KMEMTRACE_PAGE_KNOWN,
	};
	struct kinds k = { 0 };

	ck_assert_int_eq(kind_of_frame(&k, 1, 0, &earlier), KIND_UNKNOWN);
	ck_assert_int_eq(kind_of_frame(&k, 1, 0, &earlier_known), KIND_KERNEL);
	ck_assert_int_eq(kind_of_frame(&k, 1, F(LRU), &earlier), KIND_FILE);
	ck_assert_int_eq(kind_of_frame(&k, 1, 0, &earlier_large), KIND_LARGE);
	ck_assert_int_eq(kind_of_frame(&k, 1, 0, &tagged), KIND_KERNEL);
	ck_assert_int_eq(kind_of_frame(&k, 1, F(MMAP), &tagged), KIND_KERNEL);
	ck_assert_int_eq(kind_of_frame(&k, 1, 0, &large), KIND_LARGE);
	ck_assert_int_eq(kind_of_frame(&k, 1, F(PRIVATE), &movable),
			 KIND_MOVABLE);
	/* a driver reserved the page: it was not reserved at boot */
	ck_assert_int_eq(kind_of_frame(&k, 1, F(RESERVED), &tagged),
			 KIND_KERNEL);
	/* every page in use has a tag, so flags come first */
	ck_assert_int_eq(kind_of_frame(&k, 1, F(LRU), &tagged), KIND_FILE);
	ck_assert_int_eq(kind_of_frame(&k, 1, F(SLAB), &tagged), KIND_SLAB);
}
END_TEST

/* On 6.1 the tails of a THP only have the flags COMPOUND_TAIL, THP and ANON. */
START_TEST(tails_have_the_kind_of_their_head)
{
	const uint64_t tail = F(COMPOUND_TAIL) | F(THP);
	struct kinds k = { 0 };

	ck_assert_int_eq(kind_of_frame(&k, 512,
				       F(COMPOUND_HEAD) | F(LRU) |
					       F(SWAPBACKED) | F(UPTODATE),
				       NULL),
			 KIND_SHMEM);
	ck_assert_int_eq(kind_of_frame(&k, 513, tail, NULL), KIND_SHMEM);
	ck_assert_int_eq(kind_of_frame(&k, 514, tail, NULL), KIND_SHMEM);
	ck_assert_int_eq(kind_of_frame(&k, 515, tail | F(HWPOISON), NULL),
			 KIND_POISONED);
	ck_assert_int_eq(kind_of_frame(&k, 516, tail, NULL), KIND_SHMEM);
	/* tails whose head was not read */
	ck_assert_int_eq(kind_of_frame(&k, 518, tail, NULL), KIND_UNKNOWN);
	ck_assert_int_eq(kind_of_frame(&k, 519, tail, NULL), KIND_UNKNOWN);
	ck_assert_int_eq(kind_of_frame(&k, 520, F(COMPOUND_HEAD) | F(LRU),
				       NULL),
			 KIND_FILE);
	ck_assert_int_eq(kind_of_frame(&k, 521, 0, NULL), KIND_UNKNOWN);
	ck_assert_int_eq(kind_of_frame(&k, 522, tail, NULL), KIND_UNKNOWN);
	/* compound page of a driver */
	ck_assert_int_eq(kind_of_frame(&k, 528, F(COMPOUND_HEAD), &tagged),
			 KIND_KERNEL);
	ck_assert_int_eq(kind_of_frame(&k, 529, F(COMPOUND_TAIL), &tagged),
			 KIND_KERNEL);
}
END_TEST

START_TEST(areas_own_their_frames)
{
	struct vmalloc_area areas[] = {
		{ .kind = VMALLOC_OTHER, .owned = 1 },
		{ .kind = VMALLOC_STACK, .owned = 1 },
		{ .kind = VMALLOC_PERCPU, .owned = 1 },
		{ .kind = VMALLOC_MODULE, .owned = 1 },
		{ .kind = VMALLOC_OTHER, .owned = 0 },
	};
	struct vmalloc_frame frames[] = {
		{ 10, 0 }, { 11, 1 }, { 12, 2 }, { 13, 3 }, { 14, 4 },
	};
	const struct vmallocs v = { areas, 5, frames, 5, NULL };
	static const enum frame_kind kinds[] = {KIND_VMALLOC, KIND_STACK,
						KIND_PERCPU, KIND_MODULE};
	struct kinds k = { .vmallocs = &v };
	int i;

	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(kind_of_frame(&k, 10 + i, 0, &tagged),
				 kinds[i]);
		ck_assert_int_eq(kind_of_frame(&k, 10 + i, F(MMAP), NULL),
				 kinds[i]);
	}
	/* the frame was freed meanwhile */
	ck_assert_int_eq(kind_of_frame(&k, 10, F(BUDDY), NULL), KIND_FREE);
	ck_assert_int_eq(kind_of_frame(&k, 11, F(LRU), &tagged), KIND_FILE);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(kind_of_frame(&k, 10 + i, 0, &freed),
				 KIND_UNKNOWN);
	/* a page mapped by vmap() belongs to its allocation, if that is known */
	ck_assert_int_eq(kind_of_frame(&k, 14, 0, &tagged), KIND_KERNEL);
	ck_assert_int_eq(kind_of_frame(&k, 14, 0, &untagged), KIND_VMAP);
	/* in an allocation of several pages only the first has a reference count */
	ck_assert_int_eq(kind_of_frame(&k, 14, 0, &freed), KIND_VMAP);
	ck_assert_int_eq(kind_of_frame(&k, 14, F(ANON), NULL), KIND_ANON);
	ck_assert_int_eq(kind_of_frame(&k, 15, 0, &untagged), KIND_UNKNOWN);
}
END_TEST

/* Before 6.12 only the head of a compound page has the flags. */
START_TEST(a_tail_has_the_kind_of_any_given_head)
{
	struct kinds k = { 0 };
	uint64_t tail = F(COMPOUND_TAIL), head = F(COMPOUND_HEAD);

	ck_assert_int_eq(kind_of_tail(&k, 99, tail, head | F(LRU) | F(SWAPBACKED),
				      &tagged),
			 KIND_SHMEM);
	ck_assert_int_eq(kind_of_tail(&k, 7, tail, head | F(LRU), &tagged),
			 KIND_FILE);
	ck_assert_int_eq(kind_of_tail(&k, 8, tail, head, &tagged), KIND_KERNEL);
	ck_assert_int_eq(kind_of_tail(&k, 9, tail, head | F(SLAB), NULL),
			 KIND_SLAB);
	/* the page is not part of a compound page any more */
	ck_assert_int_eq(kind_of_tail(&k, 9, 0, head | F(SLAB), &tagged),
			 KIND_KERNEL);
}
END_TEST

/* Not all kernels have the flag NOPAGE. */
START_TEST(a_hole_may_have_no_flag)
{
	static const struct kmemtrace_page hole = { 0 };
	struct ram_range all = { 1, 100 }, offline = { 50, 60 };
	struct ram ram = { &all, 1, &offline, 1 };
	struct kinds k = { .ram = &ram };

	ck_assert_int_eq(kind_of_frame(&k, 7, 0, &hole), KIND_HOLE);
	/* the rest of a section, after the end of all nodes */
	ck_assert_int_eq(kind_of_frame(&k, 7, F(RESERVED), &hole), KIND_HOLE);
	ck_assert_int_eq(kind_of_frame(&k, 7, F(RESERVED), NULL), KIND_RESERVED);
	ck_assert_int_eq(kind_of_frame(&k, 7, 0, NULL), KIND_UNKNOWN);
	ck_assert_int_eq(kind_of_frame(&k, 50, 0, NULL), KIND_HOLE);
	ck_assert_int_eq(kind_of_frame(&k, 50, F(LRU), NULL), KIND_FILE);
	ck_assert_int_eq(kind_of_frame(&k, 100, 0, NULL), KIND_HOLE);
	ck_assert_int_eq(kind_of_frame(&k, 100, 0, &untagged), KIND_UNKNOWN);
}
END_TEST

START_TEST(kinds_have_names)
{
	int i, j;

	for (i = 0; i < KINDS; i++) {
		ck_assert_ptr_nonnull(kind_names[i]);
		for (j = 0; j < i; j++)
			ck_assert_str_ne(kind_names[i], kind_names[j]);
	}
}
END_TEST

UNIT_MAIN("kinds", each_flag_has_its_kind, owners_decide_the_rest,
	  tails_have_the_kind_of_their_head, areas_own_their_frames,
	  a_tail_has_the_kind_of_any_given_head, a_hole_may_have_no_flag,
	  kinds_have_names)
