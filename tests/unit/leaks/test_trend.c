// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "leaks/verdict.h"
#include "random.h"
#include "unit.h"

#define N 60

static double uniform(uint64_t *random)
{
	return (random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

static double normal(uint64_t *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

START_TEST(line)
{
	double x[N], y[N];
	struct trend t;
	int i;

	for (i = 0; i < N; i++) {
		x[i] = 2 * i;
		y[i] = 5 + 3 * i;
	}
	y[7] = 1e9; /* outliers do not matter */
	y[50] = -1e9;
	trend_of(&t, x, y, N);
	ck_assert(fabs(t.slope - 1.5) < 1e-9);
	ck_assert(t.low > 1.4 && t.low <= 1.5 && t.high >= 1.5 && t.high < 1.6);
}
END_TEST

/* Sen's example: 5 points, whose slopes can be written down. */
START_TEST(by_hand)
{
	static const double x[] = { 1, 2, 3, 4, 10 }, y[] = { 9, 15, 19, 20, 45 };
	struct trend t;

	/* slopes: 1 2.5 3.667 3.75 3.714 4 4 4.167 5 6: median (3.75 + 4) / 2 */
	trend_of(&t, x, y, 5);
	ck_assert(fabs(t.slope - 3.875) < 1e-9);
	/* C = 1.96 * sqrt(5 * 4 * 15 / 18) = 8.0014: numbers 1 and 10 */
	ck_assert(t.low == 1 && t.high == 6);
}
END_TEST

START_TEST(constant)
{
	double x[N], y[N];
	struct trend t;
	int i;

	for (i = 0; i < N; i++) {
		x[i] = i;
		y[i] = 64 << 20;
	}
	trend_of(&t, x, y, N);
	ck_assert(t.slope == 0 && t.low == 0 && t.high == 0);
	trend_of(&t, x, y, 3);
	ck_assert(t.slope == 0);
}
END_TEST

/* @carry: how much of a value's noise the next one has. Return: hits out of 1000 */
static int coverage(double slope, double carry)
{
	uint64_t random = 7;
	double x[N], y[N], noise;
	struct trend t;
	int i, round, hits = 0;

	for (round = 0; round < 1000; round++) {
		noise = normal(&random);
		for (i = 0; i < N; i++) {
			noise = carry * noise +
				sqrt(1 - carry * carry) * normal(&random);
			x[i] = i;
			y[i] = slope * i + noise;
		}
		trend_of(&t, x, y, N);
		hits += t.low <= slope && slope <= t.high;
	}
	return hits;
}

/* The interval has the true slope in about 95 % of the cases. */
START_TEST(covers)
{
	int independent = coverage(0.1, 0), correlated = coverage(0.1, 0.7);

	ck_assert_int_ge(independent, 925);
	ck_assert_int_le(independent, 985);
	/* the factor cannot be estimated well from so few points */
	ck_assert_int_ge(correlated, 780);
}
END_TEST

UNIT_MAIN("trend", line, by_hand, constant, covers)
