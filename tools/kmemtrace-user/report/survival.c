// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "report/survival.h"

/* bins for each power of two, as a power of two */
#define BITS 4
/* the product of many factors is rounded */
#define ROUNDED 1e-9L

static unsigned int shift_of(uint64_t ns)
{
	return ns >> (BITS + 1) ? 63 - BITS - __builtin_clzll(ns) : 0;
}

static size_t bin_of(uint64_t ns)
{
	unsigned int shift = shift_of(ns);

	return ((size_t)shift << BITS) + (ns >> shift);
}

/* Return: the longest duration of a bin. */
static uint64_t edge_of(size_t bin)
{
	size_t shift = bin >> BITS;

	shift -= shift > 0;
	return ((bin - (shift << BITS) + 1) << shift) - 1;
}

static struct survival_bin *survival_bin_of(struct survival *s, uint64_t ns)
{
	size_t bin = bin_of(ns);

	array_reach(s->bins, s->nr_bins, bin);
	if (ns > s->longest)
		s->longest = ns;
	return &s->bins[bin];
}

void survival_exit(struct survival *s)
{
	free(s->bins);
}

void survival_end(struct survival *s, uint64_t ns)
{
	survival_bin_of(s, ns)->ended++;
	s->ended++;
	if (ns > s->longest_ended)
		s->longest_ended = ns;
}

void survival_censor(struct survival *s, uint64_t ns)
{
	survival_bin_of(s, ns)->censored++;
	s->censored++;
}

/* Within a bin, the durations that ended are taken to be shorter than the others. */
bool survival_percentile(const struct survival *s, unsigned int percent,
			 uint64_t *ns)
{
	long double share = 1 - percent / 100.0L + ROUNDED, survive = 1;
	uint64_t left = s->ended + s->censored;
	size_t i;

	for (i = 0; i < s->nr_bins; i++) {
		const struct survival_bin *bin = &s->bins[i];

		if (bin->ended)
			survive *= (long double)(left - bin->ended) / left;
		left -= bin->ended + bin->censored;
		if (!bin->ended || survive > share)
			continue;
		*ns = edge_of(i);
		if (*ns > s->longest_ended)
			*ns = s->longest_ended;
		return true;
	}
	*ns = s->longest;
	return false;
}

double survival_share(const struct survival *s, uint64_t ns)
{
	uint64_t left = s->ended + s->censored;
	size_t i, end = bin_of(ns);
	double share = 1;

	for (i = 0; i < s->nr_bins && i < end; i++) {
		const struct survival_bin *bin = &s->bins[i];

		if (bin->ended)
			share *= (double)(left - bin->ended) / left;
		left -= bin->ended + bin->censored;
	}
	return share;
}

uint64_t survival_known(const struct survival *s, uint64_t ns)
{
	uint64_t known = s->ended;
	size_t i;

	for (i = bin_of(ns); i < s->nr_bins; i++)
		known += s->bins[i].censored;
	return known;
}
