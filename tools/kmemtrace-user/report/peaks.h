/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The highest live memory: of each group, and of all groups together.
 */
#ifndef PEAKS_H
#define PEAKS_H

#include "report/analysis.h"

/*
 * the highest live memory so far
 *
 * A page of a slab and the objects on it both count: @live has such memory twice if it has
 * both classes.
 */
struct peaks {
	/* mask of the classes that count in @live; 0: all classes */
	unsigned int classes;
	/* number of the current record, counted from 1; set by the caller */
	uint64_t now;
	const struct analysis *a;	/* the analysis */
	struct analysis_watch watch;	/* watches @a */
	uint64_t *peak;			/* for each group, its highest live bytes */
	size_t count;			/* number of elements of @peak */
	unsigned int seen;		/* mask of the classes of @classes that had an allocation */
	uint64_t live;			/* live bytes of all groups of @classes */
	uint64_t highest;		/* the highest @live */
	uint64_t at;			/* @now when @live was highest; 0: it was never above 0 */
	uint64_t time;			/* time of this record, in ns; 0: no times */
	uint64_t lost;			/* events that had been lost up to this record */
};

/**
 * peaks_class() - parse "peak", "peak:slab", "peak:pages" or "peak:percpu"
 * @text: the text
 * @classes: set to the mask of classes
 *
 * Return: 0, or -EINVAL.
 */
int peaks_class(const char *text, unsigned int *classes);

/**
 * peaks_init() - start to watch an analysis
 * @p: set, except @classes and @now
 * @a: the analysis, before the first record
 */
void peaks_init(struct peaks *p, struct analysis *a);

/** peaks_exit() - free the memory */
void peaks_exit(struct peaks *p);

/** peaks_mix() - whether @highest may count memory twice: as a page and as an object */
bool peaks_mix(const struct peaks *p);

/** peaks_of() - the highest live bytes of a group */
uint64_t peaks_of(const struct peaks *p, size_t group);

/**
 * peaks_bounds() - get bounds of the true highest live bytes of a group
 * @p: the peaks, after analysis_finish()
 * @group: index of the group
 * @low: set to the minimum
 * @high: set to the maximum
 *
 * Live bytes are too high by the bytes of lost frees, and too low by the bytes of lost
 * allocations, at any time.
 */
void peaks_bounds(const struct peaks *p, size_t group, uint64_t *low,
		  uint64_t *high);

#endif /* PEAKS_H */
