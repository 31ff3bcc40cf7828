// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kmemtrace_pages.h>

#include "pages/shares.h"
#include "unit.h"

START_TEST(a_block_of_one_site_is_not_shared)
{
	struct shares s;

	shares_init(&s, 4);
	shares_hold(&s, 2, 64, 500);
	shares_hold(&s, 2, 64, 700);
	shares_settle(&s, 4096 - 128);
	ck_assert_uint_eq(s.share[2].alone, 1);
	ck_assert_uint_eq(s.share[2].together, 0);
	ck_assert_uint_eq(s.share[2].items, 2);
	ck_assert_uint_eq(s.share[2].bytes, 128);
	ck_assert_uint_eq(s.share[2].cost_alone, 4096 - 128);
	ck_assert_uint_eq(s.share[2].cost_shared, 0);
	ck_assert_uint_eq(s.share[2].oldest, 700);
	ck_assert_uint_eq(s.share[2].ages, 2);
	ck_assert_uint_eq(s.blocks, 1);
	ck_assert_uint_eq(s.cost, 4096 - 128);
	shares_exit(&s);
}
END_TEST

START_TEST(a_shared_block_is_divided_to_the_byte)
{
	struct shares s;

	shares_init(&s, 4);
	shares_hold(&s, 3, 8, KMEMTRACE_AGE_UNKNOWN);
	shares_hold(&s, 0, 8, 5);
	shares_hold(&s, 3, 8, KMEMTRACE_AGE_UNKNOWN);
	shares_hold(&s, 1, 8, 5);
	shares_settle(&s, 1000);
	ck_assert_uint_eq(s.share[3].cost_shared, 334);
	ck_assert_uint_eq(s.share[0].cost_shared, 333);
	ck_assert_uint_eq(s.share[1].cost_shared, 333);
	ck_assert_uint_eq(s.share[3].together, 1);
	ck_assert_uint_eq(s.share[3].alone, 0);
	ck_assert_uint_eq(s.share[3].items, 2);
	ck_assert_uint_eq(s.share[3].ages, 0);
	ck_assert_uint_eq(s.share[2].items, 0);
	shares_exit(&s);
}
END_TEST

START_TEST(a_dropped_block_leaves_nothing)
{
	struct shares s;

	shares_init(&s, 2);
	shares_hold(&s, 0, 8, 9);
	shares_hold(&s, 1, 8, 9);
	shares_drop(&s);
	shares_settle(&s, 77); /* no site holds it */
	shares_hold(&s, 1, 8, 3);
	shares_settle(&s, 100);
	ck_assert_uint_eq(s.share[0].items, 0);
	ck_assert_uint_eq(s.share[1].items, 1);
	ck_assert_uint_eq(s.share[1].alone, 1);
	ck_assert_uint_eq(s.share[1].oldest, 3);
	ck_assert_uint_eq(s.blocks, 1);
	ck_assert_uint_eq(s.cost, 100);
	shares_exit(&s);
}
END_TEST

START_TEST(a_block_in_use_as_a_whole_costs_nothing)
{
	struct shares s;

	shares_init(&s, 2);
	shares_hold(&s, 0, 8, 9);
	shares_hold(&s, 1, 16, 11);
	shares_use(&s);
	shares_settle(&s, 77); /* no site holds it */
	ck_assert_uint_eq(s.share[0].items, 1);
	ck_assert_uint_eq(s.share[1].bytes, 16);
	ck_assert_uint_eq(s.share[1].oldest, 0);
	ck_assert_uint_eq(s.share[1].ages, 0);
	ck_assert_uint_eq(s.share[1].alone + s.share[1].together, 0);
	ck_assert_uint_eq(s.blocks, 0);
	ck_assert_uint_eq(s.cost, 0);
	shares_exit(&s);
}
END_TEST

UNIT_MAIN("shares", a_block_of_one_site_is_not_shared,
	  a_shared_block_is_divided_to_the_byte,
	  a_dropped_block_leaves_nothing,
	  a_block_in_use_as_a_whole_costs_nothing)
