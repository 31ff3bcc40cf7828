// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "memory/tally.h"
#include "unit.h"

#define EXISTS KMEMTRACE_PAGE_EXISTS
#define HEAD   PAGEFLAG(COMPOUND_HEAD)
#define TAIL   PAGEFLAG(COMPOUND_TAIL)

static struct kmemtrace_page page(uint32_t tag, uint16_t node, uint8_t zone,
				  uint16_t refs)
{
	return (struct kmemtrace_page){
		.tag = tag,
		.node = node,
		.zone = zone,
		.refs = refs,
		.flags = EXISTS,
	};
}

static void add(struct tally *t, uint64_t pfn, uint64_t flags,
		struct kmemtrace_page owner, enum frame_kind kind)
{
	tally_add(t, pfn, flags, &owner, kind);
}

START_TEST(each_frame_is_counted_once)
{
	struct tally t = { 0 };
	uint64_t sum = 0;
	int i;

	add(&t, 1, 0, page(0, 0, 1, 0), KIND_FREE);
	add(&t, 2, 0, page(7, 0, 1, 1), KIND_KERNEL);
	add(&t, 3, 0, page(7, 2, 1, 1), KIND_KERNEL);
	add(&t, 4, 0, page(9, 2, 1, 1), KIND_LARGE);
	add(&t, 5, 0, (struct kmemtrace_page){ 0 }, KIND_HOLE);
	tally_add(&t, 6, 0, NULL, KIND_SLAB);
	tally_end(&t);
	for (i = 0; i < KINDS; i++)
		sum += t.kind[i];
	ck_assert_uint_eq(sum, 6);
	ck_assert_uint_eq(t.kind[KIND_KERNEL], 2);
	ck_assert_uint_eq(t.nr_nodes, 3);
	ck_assert_uint_eq(t.node[0].kind[KIND_KERNEL], 1);
	ck_assert_uint_eq(t.node[1].kind[KIND_KERNEL], 0);
	ck_assert_uint_eq(t.node[2].kind[KIND_KERNEL], 1);
	ck_assert_uint_eq(t.node[2].kind[KIND_LARGE], 1);
	ck_assert_uint_eq(t.nr_sites, 10);
	ck_assert_uint_eq(t.site[7].kind[KIND_KERNEL], 2);
	ck_assert_uint_eq(t.site[9].kind[KIND_LARGE], 1);
	ck_assert_uint_eq(t.site[0].kind[KIND_FREE], 0);
	tally_free(&t);
}
END_TEST

START_TEST(unknown_frames_have_a_place)
{
	struct tally t = { 0 };
	int i;

	add(&t, 1, 0, page(0, 0, 1, 1), KIND_UNKNOWN);
	add(&t, 2, 0, page(0, 0, 1, 0), KIND_UNKNOWN);
	add(&t, 3, PAGEFLAG(MMAP), page(0, 0, 1, 0), KIND_UNKNOWN);
	for (i = 0; i < 8; i++)
		add(&t, 8 + i, i ? TAIL : HEAD, page(0, 0, 2, 1), KIND_UNKNOWN);
	/* the next compound page follows directly; the last tail has no head */
	add(&t, 16, HEAD, page(0, 1, 2, 1), KIND_UNKNOWN);
	add(&t, 17, TAIL, page(0, 1, 2, 1), KIND_UNKNOWN);
	add(&t, 19, TAIL, page(0, 1, 2, 1), KIND_UNKNOWN);
	tally_end(&t);
	ck_assert_uint_eq(t.node[0].unknown[1][0], 2);
	ck_assert_uint_eq(t.node[0].idle[1], 1);
	ck_assert_uint_eq(t.node[0].unknown[2][3], 8);
	ck_assert_uint_eq(t.node[1].unknown[2][1], 2);
	ck_assert_uint_eq(t.node[1].unknown[2][0], 1);
	ck_assert_uint_eq(t.idle, 1);
	ck_assert_uint_eq(t.compound, 11);
	tally_free(&t);
}
END_TEST

START_TEST(without_the_module_flags_decide)
{
	struct tally t = { 0 };

	tally_add(&t, 1, 0, NULL, KIND_UNKNOWN);
	tally_add(&t, 2, HEAD, NULL, KIND_UNKNOWN);
	tally_add(&t, 3, TAIL, NULL, KIND_UNKNOWN);
	tally_end(&t);
	ck_assert_uint_eq(t.idle, 1);
	ck_assert_uint_eq(t.compound, 2);
	ck_assert_uint_eq(t.nr_nodes, 0);
	tally_free(&t);
}
END_TEST

START_TEST(numbers_are_not_trusted)
{
	struct tally t = { 0 };

	add(&t, 1, 0, page(0xffffffff, 0xffff, 0xff, 1), KIND_KERNEL);
	add(&t, 2, 0, page(0, 0xffff, 0xff, 1), KIND_UNKNOWN);
	tally_end(&t);
	ck_assert_uint_eq(t.nr_sites, 1);
	ck_assert_uint_eq(t.nr_nodes, 1);
	ck_assert_uint_eq(t.node[0].unknown[0][0], 1);
	tally_free(&t);
}
END_TEST

UNIT_MAIN("tally", each_frame_is_counted_once, unknown_frames_have_a_place,
	  without_the_module_flags_decide, numbers_are_not_trusted)
