// SPDX-License-Identifier: GPL-2.0-only
#include "pagetypes/pagesum.h"
#include "unit.h"

static struct pagesum sum;

static size_t place(uint64_t flags)
{
	struct pagesum_row *row = pagesum_row(&sum, flags);

	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->flags, flags);
	return row - sum.row;
}

START_TEST(rows_are_in_the_order_of_the_kernels_tool)
{
	/* row of the low 13 bits, or the next free row; row 0 has no flags */
	ck_assert_uint_eq(place(0x28), 0x28);
	ck_assert_uint_eq(place(0x2028), 0x29);
	ck_assert_uint_eq(place(0x29), 0x2a);
	ck_assert_uint_eq(place(0), 0);
	ck_assert_uint_eq(place(0x2000), 1);
	ck_assert_uint_eq(place(1), 2);
	ck_assert_uint_eq(place(0x1fff), 0x1fff);
	ck_assert_uint_eq(place(0x3fff), 3);
	ck_assert_uint_eq(place(0x8000000000000028), 0x2b);
	/* each keeps its row */
	ck_assert_uint_eq(place(0x29), 0x2a);
	ck_assert_uint_eq(place(0x3fff), 3);
	ck_assert_uint_eq(place(0), 0);
}
END_TEST

START_TEST(too_many_are_an_error)
{
	uint64_t flags;

	for (flags = 1; flags < PAGESUM_ROWS; flags++)
		place(flags << 20);
	ck_assert_ptr_null(pagesum_row(&sum, flags << 20));
	/* existing rows are still found */
	place(5ull << 20);
	place(0);
}
END_TEST

UNIT_MAIN("pagesum", rows_are_in_the_order_of_the_kernels_tool,
	  too_many_are_an_error)
