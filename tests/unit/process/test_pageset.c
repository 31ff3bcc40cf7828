// SPDX-License-Identifier: GPL-2.0-only
#include "process/pageset.h"
#include "process/process.h"
#include "unit.h"

#define PRESENT(pfn)	   (PM_PRESENT | (pfn))
#define SWAPPED(area, place) (PM_SWAPPED | (area) | (uint64_t)(place) << 5)

static struct pageset set;

/* Return: number of pages with these marks. */
static uint64_t frames(unsigned int marks)
{
	struct pageset_counts c;

	pageset_count(&set, &c);
	return c.frames[marks];
}

static uint64_t places(unsigned int marks)
{
	struct pageset_counts c;

	pageset_count(&set, &c);
	return c.places[marks];
}

START_TEST(marks)
{
	pageset_init(&set);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(6), 1), 0);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(7), 2), 0);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(6), 8), 1);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(6), 1), 9);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(7), 2), 2);
	/* other bits of an entry do not matter */
	ck_assert_int_eq(pageset_mark(&set, PRESENT(6) | PM_FILE | PM_EXCLUSIVE |
				      PM_SOFT_DIRTY, 1), 9);
	ck_assert_uint_eq(frames(9), 1);
	ck_assert_uint_eq(frames(2), 1);
	ck_assert_uint_eq(frames(1), 0);
	pageset_forget(&set, 1);
	ck_assert_uint_eq(frames(8), 1);
	ck_assert_uint_eq(frames(9), 0);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(6), 1), 8);
	pageset_exit(&set);
}
END_TEST

/* A frame, and the same number in swap, are different pages; so are areas of swap. */
START_TEST(swap)
{
	pageset_init(&set);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(100), 1), 0);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(0, 100), 1), 0);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(1, 100), 2), 0);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(1, 100) | PM_SOFT_DIRTY, 4),
			 2);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(0, 101), 2), 0);
	ck_assert_uint_eq(frames(1), 1);
	ck_assert_uint_eq(places(1), 1);
	ck_assert_uint_eq(places(2), 1);
	ck_assert_uint_eq(places(6), 1);
	/* the first page and the last one of an area */
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(0, 0), 1), 0);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(21, (1ull << 50) - 1), 1), 0);
	ck_assert_uint_eq(places(1), 3);
	pageset_exit(&set);
}
END_TEST

/* While a page moves, its entry has the type 31 and flags above the frame. */
START_TEST(moving)
{
	pageset_init(&set);
	ck_assert_int_eq(pageset_mark(&set, PRESENT(0x12345), 1), 0);
	ck_assert_int_eq(pageset_mark(&set, SWAPPED(31, 3ull << 40 | 0x12345), 2),
			 1);
	ck_assert_uint_eq(frames(3), 1);
	pageset_exit(&set);
}
END_TEST

/* Frames of 16 TiB, at distances that need many chunks, and twice in one chunk. */
START_TEST(sparse)
{
	uint64_t i, n = 1000, step = (1ull << 32) / n;
	struct pageset_counts c;

	pageset_init(&set);
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(pageset_mark(&set, PRESENT(i * step), 1), 0);
		ck_assert_int_eq(pageset_mark(&set, PRESENT(i * step + 1), 2), 0);
	}
	for (i = n; i--; )
		ck_assert_int_eq(pageset_mark(&set, PRESENT(i * step), 4), 1);
	pageset_count(&set, &c);
	ck_assert_uint_eq(c.frames[5], n);
	ck_assert_uint_eq(c.frames[2], n);
	ck_assert_uint_eq(c.frames[1], 0);
	pageset_exit(&set);
}
END_TEST

UNIT_MAIN("pageset", marks, swap, moving, sparse)
