// SPDX-License-Identifier: GPL-2.0-only
#include "frames/pageflags.h"
#include "process/process.h"
#include "process/usage.h"
#include "unit.h"

#define PAGE	 4096ull
#define PRESENT	 (PM_PRESENT | 5)
#define FLAG(f)	 PAGEFLAG(f)
#define SWAP(t, o) (PM_SWAPPED | (t) | (uint64_t)(o) << 5)

static bool equal(const struct usage *a, const struct usage *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* One page in each row, and its usage. The unit of .pss is 1/4096 byte. */
static const struct {
	const char *what;
	uint64_t entry;
	uint64_t flags;
	uint64_t count;
	struct usage sum;
} pages[] = {
	{ "anonymous", PRESENT | PM_EXCLUSIVE, FLAG(ANON), 1,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .anon = PAGE,
	    .exclusive = PAGE } },
	{ "anonymous, shared by three", PRESENT, FLAG(ANON), 3,
	  { .rss = PAGE, .pss = (PAGE << 12) / 3, .anon = PAGE } },
	{ "of a file, soft-dirty", PRESENT | PM_FILE | PM_SOFT_DIRTY, 0, 2,
	  { .rss = PAGE, .pss = PAGE << 11, .soft_dirty = PAGE } },
	{ "that no process maps any more", PRESENT | PM_FILE, 0, 0,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12 } },
	{ "that was freed meanwhile", PRESENT | PM_EXCLUSIVE, FLAG(BUDDY), 0,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .anon = PAGE,
	    .exclusive = PAGE } },
	{ "whose frame has a new owner", PRESENT | PM_EXCLUSIVE | PM_FILE,
	  FLAG(ANON), 7,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .exclusive = PAGE } },
	{ "of a THP that is partly shared",
	  PRESENT | PM_EXCLUSIVE | PM_WHOLE, FLAG(ANON) | FLAG(THP), 2,
	  { .rss = PAGE, .pss = PAGE << 11, .anon = PAGE, .exclusive = PAGE,
	    .thp = PAGE } },
	{ "of zeros", PRESENT | PM_SOFT_DIRTY, FLAG(ZERO_PAGE), 0, { 0 } },
	{ "of the huge page of zeros", PRESENT | PM_FILE | PM_WHOLE,
	  FLAG(ZERO_PAGE) | FLAG(THP), 0, { 0 } },
	{ "of a device", PRESENT, FLAG(RESERVED), 1, { 0 } },
	{ "of a device, without a frame", PRESENT, FLAG(NOPAGE), 0, { 0 } },
	{ "of a file in a device, huge", PRESENT | PM_FILE | PM_WHOLE,
	  FLAG(NOPAGE), 0, { 0 } },
	{ "of a file in a device", PRESENT | PM_FILE, FLAG(NOPAGE), 0,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12 } },
	{ "of a THP", PRESENT | PM_EXCLUSIVE | PM_WHOLE,
	  FLAG(ANON) | FLAG(THP) | FLAG(COMPOUND_TAIL), 1,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .anon = PAGE,
	    .exclusive = PAGE, .thp = PAGE } },
	{ "of a THP in pieces", PRESENT | PM_EXCLUSIVE, FLAG(ANON) | FLAG(THP),
	  1,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .anon = PAGE,
	    .exclusive = PAGE } },
	{ "that only looks like a THP", PRESENT | PM_EXCLUSIVE | PM_WHOLE,
	  FLAG(ANON), 1,
	  { .rss = PAGE, .uss = PAGE, .pss = PAGE << 12, .anon = PAGE,
	    .exclusive = PAGE } },
	{ "of hugetlb",
	  PRESENT | PM_EXCLUSIVE | PM_SOFT_DIRTY | PM_WHOLE, FLAG(HUGE), 1,
	  { .hugetlb = PAGE, .exclusive = PAGE, .soft_dirty = PAGE } },
	{ "locked and merged", PRESENT,
	  FLAG(ANON) | FLAG(KSM) | FLAG(MLOCKED), 48,
	  { .rss = PAGE, .pss = (PAGE << 12) / 48, .anon = PAGE,
	    .locked = PAGE, .ksm = PAGE } },
};

START_TEST(present)
{
	size_t i;

	for (i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct usage u = { 0 };

		usage_add_page(&u, pages[i].entry, pages[i].flags,
			       pages[i].count, PAGE);
		ck_assert_msg(equal(&u, &pages[i].sum), "a page %s",
			      pages[i].what);
	}
}
END_TEST

/* Each share is rounded down: 48 shares of 1/48 page are less than one page. */
START_TEST(rounds_as_smaps)
{
	struct usage u = { 0 };
	int i;

	for (i = 0; i < 48; i++)
		usage_add_page(&u, PRESENT, FLAG(ANON), 48, PAGE);
	ck_assert_uint_eq(u.pss >> USAGE_PSS_SHIFT, PAGE - 1);
}
END_TEST

START_TEST(absent)
{
	static const struct {
		uint64_t entry;
		struct usage sum;
		bool moves;
	} rows[] = {
		{ SWAP(0, 77), { .swap = PAGE }, false },
		{ SWAP(21, 1) | PM_SOFT_DIRTY,
		  { .swap = PAGE, .soft_dirty = PAGE }, false },
		/* the page is in migration, or its memory has failed: it has a frame */
		{ SWAP(27, 0x12345),
		  { .rss = PAGE, .pss = PAGE << 12, .anon = PAGE }, true },
		{ SWAP(22, 8) | PM_FILE,
		  { .rss = PAGE, .pss = PAGE << 12 }, true },
		/* markers of userfaultfd and of guard regions */
		{ SWAP(31, 1) | PM_UFFD_WP, { 0 }, false },
		{ SWAP(30, 4), { 0 }, false },
		{ SWAP(31, 4) | PM_GUARD, { 0 }, false },
		{ SWAP(0, 0) | PM_GUARD, { 0 }, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct usage u = { 0 };

		usage_add_absent(&u, rows[i].entry, PAGE);
		ck_assert_msg(equal(&u, &rows[i].sum), "row %zu", i);
		ck_assert_int_eq(usage_is_moving(rows[i].entry),
				 rows[i].moves);
	}
	ck_assert(!usage_is_moving(PM_PRESENT | SWAP(27, 99)));
	ck_assert(!usage_is_moving(PRESENT | 27));
}
END_TEST

START_TEST(without_frames)
{
	static const struct usage expected = {
		.rss = 4 * PAGE, .uss = 2 * PAGE, .anon = 2 * PAGE,
		.exclusive = 2 * PAGE, .soft_dirty = PAGE,
	};
	struct usage u = { 0 };

	usage_add_entry(&u, PM_PRESENT, PAGE);
	usage_add_entry(&u, PM_PRESENT | PM_EXCLUSIVE | PM_SOFT_DIRTY, PAGE);
	usage_add_entry(&u, PM_PRESENT | PM_EXCLUSIVE | PM_FILE, PAGE);
	usage_add_entry(&u, PM_PRESENT | PM_FILE, PAGE);
	usage_add_entry(&u, PM_PRESENT | PM_FILE | PM_ZERO, PAGE);
	ck_assert(equal(&u, &expected));
}
END_TEST

/* usage_add() adds every member. */
START_TEST(adds_up)
{
	uint64_t one[sizeof(struct usage) / 8], sum[sizeof(struct usage) / 8];
	size_t i;

	for (i = 0; i < sizeof(one) / 8; i++) {
		one[i] = i + 1;
		sum[i] = 100;
	}
	usage_add((struct usage *)sum, (const struct usage *)one);
	for (i = 0; i < sizeof(one) / 8; i++)
		ck_assert_uint_eq(sum[i], 101 + i);
}
END_TEST

UNIT_MAIN("usage", present, rounds_as_smaps, absent, without_frames, adds_up)
