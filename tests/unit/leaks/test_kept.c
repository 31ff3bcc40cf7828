// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "leaks/findings.h"
#include "random.h"
#include "unit.h"

static double uniform(uint64_t *random)
{
	return (random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

static double exponential(uint64_t *random, double mean)
{
	return -mean * log(uniform(random));
}

/* the mean of a range */
static double mean_of(const double *births, const double *living, size_t a, size_t b)
{
	double n = 0, k = 0;

	for (; a <= b; a++) {
		n += births[a];
		k += living[a];
	}
	return k / n;
}

/* The isotonic regression by its definition: min over a <= i of max over b >= i. */
static double by_definition(const double *births, const double *living, size_t n, size_t i)
{
	double least = INFINITY, most;
	size_t a, b;

	for (a = 0; a <= i; a++) {
		for (most = 0, b = i; b < n; b++)
			most = fmax(most, mean_of(births, living, a, b));
		least = fmin(least, most);
	}
	return least;
}

START_TEST(isotonic)
{
	double births[20], living[20], share[20];
	uint64_t random = 9;
	size_t n, i;
	int round;

	for (round = 0; round < 3000; round++) {
		n = 1 + random_below(&random, 20);
		for (i = 0; i < n; i++) {
			births[i] = 1 + random_below(&random, 30);
			living[i] = random_below(&random, births[i] + 1);
		}
		kept_shares(births, living, n, share);
		for (i = 0; i < n; i++)
			ck_assert(fabs(share[i] - by_definition(births, living, n, i)) <
				  1e-12);
	}
}
END_TEST

START_TEST(without_births)
{
	static const double births[] = { 0, 10, 0, 20, 0 }, living[] = { 0, 8, 0, 4, 0 };
	static const double want[] = { 1, 0.8, 0.8, 0.2, 0.2 };
	double share[5];
	size_t i;

	kept_shares(births, living, 5, share);
	for (i = 0; i < 5; i++)
		ck_assert(fabs(share[i] - want[i]) < 1e-12);
}
END_TEST

/* Births by interval of age, and which of them live: exponential, one in five for ever. */
START_TEST(known_distribution)
{
	static const double bounds[] = { 0, 1, 2, 4, 8, 16, 32 };
	double births[6] = { 0 }, living[6] = { 0 }, share[6], want;
	uint64_t random = 3;
	size_t i, k;

	for (k = 0; k < 400000; k++) {
		double age = uniform(&random) * 32;
		double life = random_below(&random, 5) ? exponential(&random, 3) : 1e9;

		for (i = 0; age >= bounds[i + 1]; i++)
			;
		births[i]++;
		living[i] += life > age;
	}
	kept_shares(births, living, 6, share);
	for (i = 0; i < 6; i++) {
		/* the mean of the function over the interval */
		want = 0.2 + 0.8 * 3 * (exp(-bounds[i] / 3) - exp(-bounds[i + 1] / 3)) /
				     (bounds[i + 1] - bounds[i]);
		ck_assert_msg(fabs(share[i] - want) < 0.01, "%zu: %g instead of %g", i,
			      share[i], want);
	}
}
END_TEST

UNIT_MAIN("kept", isotonic, without_births, known_distribution)
