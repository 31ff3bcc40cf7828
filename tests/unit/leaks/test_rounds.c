// SPDX-License-Identifier: GPL-2.0-only
#include "leaks/rounds.h"
#include "unit.h"

START_TEST(ignored)
{
	ck_assert_uint_eq(rounds_ignored(4), 2);
	ck_assert_uint_eq(rounds_ignored(5), 2);
	ck_assert_uint_eq(rounds_ignored(6), 2);
	ck_assert_uint_eq(rounds_ignored(7), 3);
}
END_TEST

START_TEST(left)
{
	/* the first two rounds fill caches */
	static const double bytes[] = { 0, 1000, 5000, 5100, 5300, 5250 };
	static const double objects[] = { 0, 10, 50, 51, 53, 52 };
	struct rounds_left l;

	rounds_of(&l, bytes, objects, 5);
	ck_assert(l.least == -50 && l.median == 100 && l.most == 200);
	ck_assert(l.objects == 1);
	rounds_of(&l, bytes, objects, 4);
	ck_assert(l.least == 100 && l.median == 150 && l.most == 200);
	ck_assert(l.objects == 1.5);
}
END_TEST

/* four rounds, two of which count: 200 bytes are kept, or more */
START_TEST(keep)
{
	struct rounds_left l = { .least = 100, .median = 150, .most = 200 };

	ck_assert(rounds_keep(&l, 0, 4));
	ck_assert(rounds_keep(&l, 99, 4));
	ck_assert(!rounds_keep(&l, 100, 4));
	/* freed late */
	ck_assert(rounds_keep(&l, -99, 4));
	ck_assert(!rounds_keep(&l, -100, 4));
	/* of four rounds that count, it is a smaller part */
	ck_assert(rounds_keep(&l, -199, 6));
	ck_assert(!rounds_keep(&l, -200, 6));
	l.least = 0;
	ck_assert(!rounds_keep(&l, -1, 4));
}
END_TEST

UNIT_MAIN("rounds", ignored, left, keep)
