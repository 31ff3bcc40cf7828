// SPDX-License-Identifier: GPL-2.0-only
#include "base/pairs.h"
#include "unit.h"

START_TEST(pairs_keep_their_numbers)
{
	struct pairs p;
	uint64_t i;

	pairs_init(&p);
	/* enough pairs to make the hash grow; keys differ in only one half */
	for (i = 0; i < 10000; i++) {
		ck_assert_uint_eq(pairs_get(&p, i, 7), 2 * i);
		ck_assert_uint_eq(pairs_get(&p, 7ull << 32, i << 20), 2 * i + 1);
	}
	for (i = 0; i < 10000; i++) {
		ck_assert_uint_eq(pairs_get(&p, i, 7), 2 * i);
		ck_assert_uint_eq(pairs_get(&p, 7ull << 32, i << 20), 2 * i + 1);
		ck_assert_uint_eq(p.pair[2 * i].a, i);
		ck_assert_uint_eq(p.pair[2 * i + 1].b, i << 20);
	}
	ck_assert_uint_eq(p.count, 20000);
	ck_assert_uint_eq(pairs_find(&p, 7ull << 32, 3 << 20), 7);
	ck_assert_uint_eq(pairs_find(&p, UINT64_MAX, UINT64_MAX), PAIRS_NONE);
	ck_assert_uint_eq(pairs_get(&p, UINT64_MAX, UINT64_MAX), 20000);
	ck_assert_uint_eq(pairs_get(&p, UINT64_MAX, UINT64_MAX), 20000);
	pairs_exit(&p);
}
END_TEST

UNIT_MAIN("pairs", pairs_keep_their_numbers)
