/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Percentiles of durations, some of which are censored: they had not ended when the
 * observation ended. The estimator is that of Kaplan and Meier. The mean or the median of
 * the durations that ended would be too short.
 *
 * Durations are counted in bins: 32 bins of 1 ns, then 16 bins for each power of two. A
 * bin is narrower than 1/16 of its durations.
 */
#ifndef SURVIVAL_H
#define SURVIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* durations */
struct survival {
	/* number of durations that ended, and that are censored, in each bin */
	struct survival_bin {
		uint64_t ended;
		uint64_t censored;
	} *bins;
	size_t nr_bins;		/* number of elements of @bins */
	uint64_t ended;		/* number of durations that ended */
	uint64_t censored;	/* number of the others */
	uint64_t longest_ended;	/* the longest duration that ended */
	uint64_t longest;	/* the longest of all durations */
};

/** survival_exit() - free the memory; a struct of zeros is empty */
void survival_exit(struct survival *s);

/** survival_end() - add a duration that ended, in ns */
void survival_end(struct survival *s, uint64_t ns);

/** survival_censor() - add a duration that is at least @ns */
void survival_censor(struct survival *s, uint64_t ns);

/**
 * survival_percentile() - the shortest duration that a share of all does not exceed
 * @s: the durations; not empty
 * @percent: the share
 * @ns: set to the upper edge of the bin of this duration, or to the longest duration that
 *	ended, if that is shorter. If too many durations are censored: to the longest
 *	duration; the percentile is longer.
 *
 * Return: false if too many durations are censored.
 */
bool survival_percentile(const struct survival *s, unsigned int percent,
			 uint64_t *ns);

/**
 * survival_share() - the share of all durations that are at least as long
 * @s: the durations
 * @ns: a duration; rounded down to the beginning of its bin
 *
 * Return: 0 to 1; if no duration was observed for so long, the share at the longest one.
 */
double survival_share(const struct survival *s, uint64_t ns);

/**
 * survival_known() - number of durations of which survival_share() knows whether they count
 * @s: the durations
 * @ns: a duration; rounded down to the beginning of its bin
 *
 * Return: the durations that ended, and those that are at least as long.
 */
uint64_t survival_known(const struct survival *s, uint64_t ns);

#endif /* SURVIVAL_H */
