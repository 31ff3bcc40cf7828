// SPDX-License-Identifier: GPL-2.0-only
/*
 * Percentiles of known distributions, with and without censoring.
 */
#include <math.h>

#include "random.h"
#include "report/survival.h"
#include "unit.h"

static void is(const struct survival *s, unsigned int percent, bool known,
	       uint64_t ns)
{
	uint64_t got;

	ck_assert_int_eq(survival_percentile(s, percent, &got), known);
	ck_assert_uint_eq(got, ns);
}

START_TEST(small_numbers_are_exact)
{
	struct survival s = { 0 };
	uint64_t i;

	for (i = 1; i <= 20; i++)
		survival_end(&s, i);
	is(&s, 50, true, 10);
	is(&s, 90, true, 18);
	is(&s, 99, true, 20);
	survival_exit(&s);
}
END_TEST

/* The example of the textbooks: deaths at 6, 6, 6, 7, 10, 13, 16, 22, 23; 12 censored. */
START_TEST(remission_of_leukemia)
{
	static const uint64_t ended[] = { 6, 6, 6, 7, 10, 13, 16, 22, 23 };
	static const uint64_t censored[] = { 6,	 9,  10, 11, 17, 19,
					     20, 25, 32, 32, 34, 35 };
	struct survival s = { 0 };
	size_t i;

	for (i = 0; i < 9; i++)
		survival_end(&s, ended[i]);
	for (i = 0; i < 12; i++)
		survival_censor(&s, censored[i]);
	is(&s, 25, true, 13); /* survival is 0.690 from 13 on, 0.627 from 16 on */
	is(&s, 50, true, 23);
	is(&s, 90, false, 35);
	ck_assert(survival_share(&s, 6) == 1);
	ck_assert(fabs(survival_share(&s, 7) - 0.857) < 0.0005);
	ck_assert(fabs(survival_share(&s, 10) - 0.807) < 0.0005);
	ck_assert(fabs(survival_share(&s, 11) - 0.753) < 0.0005);
	ck_assert(fabs(survival_share(&s, 22) - 0.627) < 0.0005);
	ck_assert(fabs(survival_share(&s, 1000) - 0.448) < 0.0005);
	/* 9 of the 21 patients had a relapse; 4 of the others were observed for 32 weeks */
	ck_assert_uint_eq(survival_known(&s, 32), 9 + 4);
	ck_assert_uint_eq(survival_known(&s, 0), 21);
	survival_exit(&s);
}
END_TEST

START_TEST(nothing_ended)
{
	struct survival s = { 0 };

	survival_censor(&s, 1000000);
	survival_censor(&s, 5);
	is(&s, 50, false, 1000000);
	survival_exit(&s);
}
END_TEST

START_TEST(the_longest_is_not_rounded)
{
	struct survival s = { 0 };

	survival_end(&s, UINT64_MAX);
	is(&s, 50, true, UINT64_MAX);
	survival_end(&s, 1000);
	is(&s, 50, true, 1023);
	survival_exit(&s);
	s = (struct survival){ 0 };
	survival_end(&s, 1000);
	is(&s, 99, true, 1000);
	survival_exit(&s);
}
END_TEST

/*
 * Exponential lifetimes with a mean of 1 s. Each is observed for a uniform time of up to
 * 3 s. The median of those that ended would be 0.48 s.
 */
START_TEST(an_exponential_distribution)
{
	static const unsigned int percents[] = { 50, 75, 90 };
	struct survival s = { 0 };
	uint64_t random = 7, got, i;

	for (i = 0; i < 200000; i++) {
		double life = -log((1 + random_below(&random, 1 << 30)) /
				   (double)(1 << 30));
		double seen = 3.0 * random_below(&random, 1 << 30) / (1 << 30);

		if (life <= seen)
			survival_end(&s, life * 1e9);
		else
			survival_censor(&s, seen * 1e9);
	}
	for (i = 0; i < 3; i++) {
		double true_ns = -log(1 - percents[i] / 100.0) * 1e9;

		ck_assert(survival_percentile(&s, percents[i], &got));
		ck_assert(got > true_ns * 0.97);
		ck_assert(got < true_ns * (1 + 1.0 / 16) * 1.03);
		ck_assert(fabs(survival_share(&s, true_ns) - 1 + percents[i] / 100.0) < 0.04);
	}
	survival_exit(&s);
}
END_TEST

UNIT_MAIN("survival", small_numbers_are_exact, remission_of_leukemia,
	  nothing_ended, the_longest_is_not_rounded, an_exponential_distribution)
