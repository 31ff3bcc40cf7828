// SPDX-License-Identifier: GPL-2.0-only
/* Series whose verdict is known. tests/unit/leaks/test_model.c has random ones. */
#include <math.h>

#include "leaks/verdict.h"
#include "unit.h"

#define N      40
#define STEP   4
#define SIZE   100.0
#define LEVELS 3

static double times[N], bytes[LEVELS][N], objects[LEVELS][N];

/*
 * All levels have the same memory, later: @count(t) objects at time t, and @steady objects
 * that are replaced all the time, so that none survives a step.
 */
static struct verdict judge(double (*count)(double t), double steady, double live,
			    double peak)
{
	struct verdict_series s = { .n = N, .time = times, .levels = LEVELS,
				    .step = STEP, .live = live, .peak = peak };
	struct verdict v;
	int i, level;

	for (level = 0; level < LEVELS; level++) {
		for (i = 0; i < N; i++) {
			times[i] = i;
			objects[level][i] = count(i - (STEP << level)) +
					    (level ? 0 : steady);
			bytes[level][i] = SIZE * objects[level][i];
		}
		s.old[level] = (struct old_memory){ bytes[level], objects[level] };
	}
	verdict_of(&v, &s);
	return v;
}

static double leak(double t)
{
	return 100 + floor(t * 2);
}

static double few(double t)
{
	return 100 + floor(t / 6);
}

static double groups(double t)
{
	return 100 + 50 * floor((t + 8) / 7);
}

static double hold(double t __attribute__((unused)))
{
	return 1000;
}

static double fill_up(double t)
{
	return 1000 * (1 - exp(-(t + 10) / 6));
}

static double swing(double t)
{
	return 1000 + 500 * sin(t);
}

static double once(double t)
{
	return t < 15 ? 100 : 5000;
}

START_TEST(kinds)
{
	struct verdict v = judge(leak, 0, 1e9, 0);

	ck_assert_int_eq(v.kind, VERDICT_LEAKS);
	ck_assert(fabs(v.trend.slope - 2 * SIZE) < 0.05 * SIZE);
	ck_assert(v.trend.low <= v.trend.slope && v.trend.slope <= v.trend.high);
	ck_assert(v.growth == 78 * SIZE && v.objects == 78 && v.deaths == 0);
	ck_assert_int_eq(judge(few, 0, 1e9, 0).kind, VERDICT_FEW);
	/* many objects, but in a few groups */
	ck_assert_int_eq(judge(groups, 0, 1e9, 0).kind, VERDICT_FEW);
	ck_assert_int_eq(judge(hold, 0, 1e9, 0).kind, VERDICT_STEADY);
	ck_assert_int_eq(judge(fill_up, 0, 1e9, 0).kind, VERDICT_SLOWS);
	ck_assert_int_eq(judge(swing, 0, 1e9, 0).kind, VERDICT_OSCILLATES);
	ck_assert_int_eq(judge(once, 0, 1e9, 0).kind, VERDICT_ONCE);
}
END_TEST

/* Half a million objects that are replaced hide two that leak, but only at one level. */
START_TEST(levels)
{
	struct verdict v = judge(leak, 500000, 1e9, 0);

	ck_assert_int_eq(v.kind, VERDICT_LEAKS);
	ck_assert_uint_eq(v.level, 1);
	/* 39 groups of two */
	ck_assert(fabs(v.z - sqrt(39)) < 1e-9);
}
END_TEST

static int stops_at;

static double stops(double t)
{
	return leak(fmin(t, stops_at));
}

/* A higher level still sees the growth of a site that has stopped. */
START_TEST(stopped)
{
	for (stops_at = -8; stops_at < 27; stops_at++)
		ck_assert_int_lt(judge(stops, 0, 1e9, 0).kind, VERDICT_LEAKS);
	/* too late to be seen */
	stops_at = 34;
	ck_assert_int_eq(judge(stops, 0, 1e9, 0).kind, VERDICT_LEAKS);
}
END_TEST

START_TEST(former_size)
{
	double live = SIZE * leak(N - 1);

	ck_assert_int_eq(judge(leak, 0, live, live).kind, VERDICT_LEAKS);
	ck_assert_int_eq(judge(leak, 0, live, 2 * live).kind, VERDICT_FORMER);
	/* most of the live memory is young: its peak shows nothing about the old */
	ck_assert_int_eq(judge(leak, 0, 10 * live, 20 * live).kind, VERDICT_LEAKS);
}
END_TEST

START_TEST(confirmation)
{
	struct verdict v = judge(leak, 0, 1e9, 0);

	ck_assert(verdict_confirms(&v, v.last, v.last));
	ck_assert(verdict_confirms(&v, v.last * 1.1, -1));
	ck_assert(!verdict_confirms(&v, v.base - v.growth / 2, -1));
	ck_assert(!verdict_confirms(&v, v.last, v.base - v.growth / 2));
}
END_TEST

START_TEST(order)
{
	struct verdict a = judge(leak, 0, 1e9, 0), b = judge(fill_up, 0, 1e9, 0), c = a;

	c.trend.low /= 2;
	ck_assert_int_lt(verdict_compare(&a, &b), 0);
	ck_assert_int_gt(verdict_compare(&b, &a), 0);
	ck_assert_int_lt(verdict_compare(&a, &c), 0);
	ck_assert_int_eq(verdict_compare(&a, &a), 0);
	ck_assert_str_eq(verdict_name(VERDICT_LEAKS), "leaks");
}
END_TEST

UNIT_MAIN("verdict", kinds, levels, stopped, former_size, confirmation, order)
