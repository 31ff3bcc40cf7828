// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "leaks/trend.h"

/* of the normal distribution, for 95 % */
#define Z95 1.959964

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Return: the number of pairs, whose slopes are set in ascending order. */
static size_t sort_slopes(double *slopes, const double *x, const double *y, size_t n)
{
	size_t i, j, pairs = 0;

	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			slopes[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
	qsort(slopes, pairs, sizeof(*slopes), by_value);
	return pairs;
}

static double median(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Var(S) of Kendall, less the part of ties. @sorted: n values, ascending */
static double kendall_variance(const double *sorted, size_t n)
{
	double v = (double)n * (n - 1) * (2 * n + 5), t;
	size_t i, j;

	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && sorted[j] == sorted[i]; j++)
			;
		t = j - i;
		v -= t * (t - 1) * (2 * t + 5);
	}
	return v / 18;
}

/* Set the ranks of values; equal values share their mean rank. @sorted: scratch */
static void trend_rank(double *ranks, const double *values, double *sorted, size_t n)
{
	size_t i, less, same, k;

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (i = 0; i < n; i++) {
		const double *at = bsearch(&values[i], sorted, n,
					   sizeof(*sorted), by_value);

		for (k = at - sorted; k && sorted[k - 1] == values[i]; k--)
			;
		less = k;
		for (same = 0; k < n && sorted[k] == values[i]; k++)
			same++;
		ranks[i] = less + (same - 1) / 2.0;
	}
}

static double autocorrelation(const double *values, size_t n, size_t lag)
{
	double mean = (n - 1) / 2.0; /* of ranks */
	double sum = 0, variance = 0;
	size_t i;

	for (i = 0; i < n; i++)
		variance += (values[i] - mean) * (values[i] - mean);
	for (i = 0; i + lag < n; i++)
		sum += (values[i] - mean) * (values[i + lag] - mean);
	return variance ? sum / variance : 0;
}

/* The factor of Hamed and Rao. @scratch: 3 n values */
static double correction(double slope, const double *x, const double *y, size_t n,
			 double *scratch)
{
	double *rest = scratch, *ranks = scratch + n, sum = 0, r, m;
	size_t i;

	for (i = 0; i < n; i++)
		rest[i] = y[i] - slope * x[i];
	trend_rank(ranks, rest, scratch + 2 * n, n);
	for (i = 1; i + 2 < n; i++) {
		r = autocorrelation(ranks, n, i);
		m = n - i;
		if (fabs(r) > Z95 / sqrt(n))
			sum += m * (m - 1) * (m - 2) * r;
	}
	m = n;
	return fmax(1, 1 + 2 * sum / (m * (m - 1) * (m - 2)));
}

/* Slope number @k from 1 on; a number that does not exist means the nearest one. */
static double numbered(const double *slopes, size_t pairs, double k)
{
	k = fmin(fmax(floor(k), 1), pairs);
	return slopes[(size_t)k - 1];
}

void trend_of(struct trend *trend, const double *x, const double *y, size_t n)
{
	double *slopes, *scratch, c;
	size_t pairs;

	*trend = (struct trend){ 0 };
	if (n < 4)
		return;
	slopes = xcalloc(n * (n - 1) / 2 + 3 * n, sizeof(*slopes));
	pairs = sort_slopes(slopes, x, y, n);
	scratch = slopes + pairs;
	trend->slope = median(slopes, pairs);
	c = correction(trend->slope, x, y, n, scratch);
	memcpy(scratch, y, n * sizeof(*y));
	qsort(scratch, n, sizeof(*scratch), by_value);
	c = Z95 * sqrt(c * kendall_variance(scratch, n));
	trend->low = numbered(slopes, pairs, (pairs - c) / 2);
	trend->high = numbered(slopes, pairs, (pairs + c) / 2 + 1);
	free(slopes);
}
