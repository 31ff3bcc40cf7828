// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "leaks/companions.h"

/* 1 of so many changes, or frees, may differ: an object straddles two ticks, or is missed */
#define TOLERANCE 16
/* of few changes, two may differ */
#define STRADDLING 2
/* fewer changes may agree by chance */
#define CHANGES_MIN TOLERANCE

bool companions_is_cache(const struct observation *w, const struct observed *row)
{
	return row->held || row->reclaimable[1] > row->live.objects[w->n - 1] / 2;
}

/* The change of the old objects from the sample before to sample @i. */
static double change_of(const struct observed *row, size_t i)
{
	return row->level[0].objects[i] - row->level[0].objects[i - 1];
}

double companions_deaths(const struct observation *w, const struct observed *row)
{
	return verdict_deaths(row->level[0].objects, row->level[1].objects, w->n, w->step);
}

/* What is left of a change if that of a row is subtracted; NULL: there is none. */
static double left_less(const double *left, const struct observed *row, size_t i)
{
	return (left ? left[i] : 0) - (row ? change_of(row, i) : 0);
}

/* The sum of what is left of changes if those of a row are subtracted; NULL: none are. */
static double left_without(const double *left, const struct observed *row, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 1; i < n; i++)
		sum += fabs(left_less(left, row, i));
	return sum;
}

/*
 * The sum of the distances from steady growth. If a sample is late, steady growth has more
 * objects there, which is no swing.
 */
static double swing(const struct observation *w, const double *left, const struct observed *row)
{
	double all = 0, rate, sum = 0;
	size_t i;

	for (i = 1; i < w->n; i++)
		all += left_less(left, row, i);
	rate = all / (w->time[w->n - 1] - w->time[0]);
	for (i = 1; i < w->n; i++)
		sum += fabs(left_less(left, row, i) - rate * (w->time[i] - w->time[i - 1]));
	return sum;
}

/*
 * Several small caches make a notable part together. So that they do not add up to a steady
 * leak, such a cache counts once, and has to explain swings as well, and at least half of its
 * own changes.
 */
static bool explains(const struct observation *w, const double *left,
		     const struct observed *cache, double notable, bool used)
{
	size_t n = w->n;
	double explained = left_without(left, NULL, n) - left_without(left, cache, n);

	return explained >= notable ||
	       (!used && explained >= left_without(NULL, cache, n) / 2 &&
		swing(w, left, cache) < swing(w, left, NULL));
}

/* Return: the row of another cache that explains most of what is left; NULL: none does. */
static const struct observed *best_cache(const struct observation *w, const struct observed *row,
					 const double *left, double notable, const bool *used)
{
	const struct observed *found = NULL, *at;
	double least = left_without(left, NULL, w->n), sum;

	for (at = w->row; at < w->row + w->count; at++) {
		if (at == row || !companions_is_cache(w, at))
			continue;
		sum = left_without(left, at, w->n);
		if (sum < least && explains(w, left, at, notable, used[at - w->row])) {
			least = sum;
			found = at;
		}
	}
	return found;
}

static int companions_judge(double own, double theirs)
{
	if (theirs < VERDICT_Z * VERDICT_Z)
		return COMPANIONS_GROW;
	return fabs(own - theirs) <= fmax(VERDICT_Z, theirs / TOLERANCE) ? COMPANIONS_DIE :
									   COMPANIONS_NONE;
}

static void add_cache(const struct observation *w, const struct observed *cache,
		      struct companions_caches *with)
{
	double grew = cache->level[0].objects[w->n - 1] - cache->level[0].objects[0];
	double deaths = companions_deaths(w, cache);

	if (!with->most)
		with->most = cache;
	if (cache->is_names) {
		with->names_grew = fmax(with->names_grew, grew);
		with->name_deaths = fmax(with->name_deaths, deaths);
	} else {
		with->grew += fmax(0, grew);
		with->deaths += deaths;
	}
	with->held |= !!cache->held;
}

/* Subtract the changes of caches, each of which explains a part, one by one. */
int companions_find(const struct observation *w, const struct observed *row,
		    struct companions_caches *with)
{
	double all, now, may, before, after, theirs = 0;
	double *left = xcalloc(w->n, sizeof(*left));
	bool *used = xcalloc(w->count, sizeof(*used));
	const struct observed *cache;
	size_t i;

	for (i = 1; i < w->n; i++)
		left[i] = change_of(row, i);
	all = now = left_without(left, NULL, w->n);
	may = fmax(STRADDLING, all / TOLERANCE);
	before = swing(w, left, NULL);
	while (now > may && (cache = best_cache(w, row, left, all / TOLERANCE, used))) {
		if (!used[cache - w->row])
			add_cache(w, cache, with);
		used[cache - w->row] = true;
		for (i = 1; i < w->n; i++)
			left[i] -= change_of(cache, i);
		theirs += companions_deaths(w, cache);
		now = left_without(left, NULL, w->n);
	}
	after = swing(w, left, NULL);
	free(used);
	free(left);
	if (all < CHANGES_MIN || now > may || after > fmax(before / 2, w->n))
		return COMPANIONS_NONE;
	return companions_judge(companions_deaths(w, row), theirs);
}

/* --- growth in lock step --------------------------------------------------------------- */

/*
 * 1 of so many objects may come a sample later or earlier than those of the other site. Causes
 * that have nothing in common also differ in this way, so only a few may, unless the sites are
 * related.
 */
#define LATE	     64
#define LATE_RELATED 4
/* the swings that prove a common reason are at least 1 in so many parts of the growth */
#define SWINGS 4

/* Cancel what comes a sample later or earlier. Return: objects. */
static double cancel_late(double *left, size_t n)
{
	double moved = 0, both;
	size_t i;

	for (i = 1; i + 1 < n; i++) {
		if (left[i] * left[i + 1] >= 0)
			continue;
		both = copysign(fmin(fabs(left[i]), fabs(left[i + 1])), left[i]);
		left[i] -= both;
		left[i + 1] += both;
		moved += fabs(both);
	}
	return moved;
}

bool companions_in_step(const struct observation *w, const struct observed *row,
			const struct observed *other, bool related)
{
	double grew = row->level[0].objects[w->n - 1] - row->level[0].objects[0];
	double theirs = other->level[0].objects[w->n - 1] - other->level[0].objects[0];
	double *left = xcalloc(w->n, sizeof(*left)), all, late, rest, before, after;
	size_t i;

	for (i = 1; i < w->n; i++)
		left[i] = change_of(other, i);
	all = left_without(left, NULL, w->n);
	before = swing(w, left, NULL);
	for (i = 1; grew > 0 && i < w->n; i++)
		left[i] -= theirs / grew * change_of(row, i);
	late = cancel_late(left, w->n);
	rest = left_without(left, NULL, w->n);
	after = swing(w, left, NULL);
	free(left);
	if (grew <= 0 || theirs <= 0 || late > all / (related ? LATE_RELATED : LATE) ||
	    rest > fmax(STRADDLING, all / TOLERANCE))
		return false;
	return related || (before > all / SWINGS && after <= before / SWINGS);
}
