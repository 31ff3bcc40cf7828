// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "leaks/verdict.h"

#define QUARTERS 4

double verdict_deaths(const double *old, const double *older, size_t n, size_t step)
{
	double deaths = 0;
	size_t i;

	for (i = 0; i + step < n; i += step)
		deaths += fmax(0, old[i] - older[i + step]);
	return deaths;
}

/* The sum of the squares of all changes: their variance, if they are independent. */
static double groups_of(const double *objects, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 1; i < n; i++)
		sum += (objects[i] - objects[i - 1]) * (objects[i] - objects[i - 1]);
	return sum;
}

/* Set the smallest value of each quarter of the samples. */
static void lows_of(const double *values, size_t n, double lows[QUARTERS])
{
	size_t i, q;

	for (i = 0; i < n; i++) {
		q = i * QUARTERS / n;
		if (i == (q * n + QUARTERS - 1) / QUARTERS || values[i] < lows[q])
			lows[q] = values[i];
	}
}

static bool rises(const double lows[QUARTERS])
{
	int q;

	for (q = 1; q < QUARTERS; q++)
		if (lows[q] <= lows[q - 1])
			return false;
	return true;
}

static bool slows(const double lows[QUARTERS])
{
	double before = fmax(lows[1] - lows[0], lows[2] - lows[1]);
	double last = lows[3] - lows[2];

	return last + 2 * sqrt(fmax(last, 0) + 1) < before / 2;
}

/* The memory grew, but not in each quarter. */
static enum verdict_kind unsteady(const struct verdict_series *s, const double *bytes)
{
	size_t i;

	for (i = 1; i < s->n; i++)
		if (bytes[i] < bytes[i - 1])
			return VERDICT_OSCILLATES;
	return VERDICT_ONCE;
}

static enum verdict_kind kind_of(const struct verdict_series *s, struct verdict *v)
{
	const struct old_memory *old = &s->old[v->level];
	double lows[QUARTERS], counts[QUARTERS];

	lows_of(old->bytes, s->n, lows);
	v->base = lows[QUARTERS - 1];
	if (v->trend.low <= 0)
		return v->trend.slope > 0 ? unsteady(s, old->bytes) : VERDICT_STEADY;
	lows_of(old->objects, s->n, counts);
	if (!rises(lows))
		return unsteady(s, old->bytes);
	if (v->z < VERDICT_Z)
		return v->deaths ? VERDICT_OSCILLATES : VERDICT_FEW;
	if (slows(counts))
		return VERDICT_SLOWS;
	if (v->last >= 0.9 * s->live && s->peak > s->live)
		return VERDICT_FORMER;
	return VERDICT_LEAKS;
}

static void measure(struct verdict *v, const struct verdict_series *s, size_t level)
{
	const struct old_memory *old = &s->old[level];
	size_t end = s->n - 1;

	*v = (struct verdict){
		.level = level,
		.growth = old->bytes[end] - old->bytes[0],
		.objects = old->objects[end] - old->objects[0],
		.deaths = verdict_deaths(old->objects, old[1].objects, s->n, s->step << level),
		.last = old->bytes[end],
	};
	if (v->objects > s->lost)
		v->z = (v->objects - s->lost) / sqrt(fmax(v->objects + 2 * v->deaths,
					      groups_of(old->objects, s->n)));
	if (v->growth == 0 && v->deaths == 0)
		return; /* most sites: nothing happened */
	trend_of(&v->trend, s->time, old->bytes, s->n);
}

/* At such a level, the growth is that of the site, without noise. */
static bool is_quiet(const struct old_memory *old, size_t n, double deaths)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (old->objects[i] < old->objects[i - 1])
			return false;
	return !deaths;
}

bool verdict_is_less(double grew, double average)
{
	return grew + 2 * sqrt(grew + 1) < average / 2;
}

/*
 * The higher a level, the earlier the time whose growth it shows. So the lowest quiet level
 * decides whether @objects, by which a level grew, still come.
 */
static bool has_stopped(const struct old_memory *quiet, size_t n, double objects)
{
	double end = quiet->objects[n - 1], grew = end - quiet->objects[0];
	double group = grew ? fmax(1, groups_of(quiet->objects, n) / grew) : 1;

	return verdict_is_less((end - quiet->objects[n / 2]) / group, objects / group / 2) ||
	       verdict_is_less((end - quiet->objects[n * 3 / 4]) / group, objects / group / 4);
}

void verdict_of(struct verdict *v, const struct verdict_series *s)
{
	struct verdict at;
	const struct old_memory *quiet = NULL;
	size_t level;

	*v = (struct verdict){ 0 };
	for (level = 0; level + 1 < s->levels; level++) {
		measure(&at, s, level);
		at.kind = kind_of(s, &at);
		if (!quiet && is_quiet(&s->old[level], s->n, at.deaths))
			quiet = &s->old[level];
		if (at.kind == VERDICT_LEAKS && quiet && has_stopped(quiet, s->n, at.objects))
			at.kind = VERDICT_SLOWS;
		if (!level || at.kind > v->kind || (at.kind == v->kind && at.z > v->z))
			*v = at;
	}
}

bool verdict_confirms(const struct verdict *v, double later, double survivors)
{
	double least = v->base - v->growth / 4;

	return later >= least && (survivors < 0 || survivors >= least);
}

int verdict_compare(const struct verdict *a, const struct verdict *b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind ? -1 : 1;
	if (a->trend.low != b->trend.low)
		return a->trend.low > b->trend.low ? -1 : 1;
	return a->growth > b->growth ? -1 : a->growth < b->growth;
}

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[VERDICT_KINDS] = {
		"steady", "oscillates", "once", "few", "former", "lazy", "slows", "cache", "held", "leaks",
	};

	return names[kind];
}

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
