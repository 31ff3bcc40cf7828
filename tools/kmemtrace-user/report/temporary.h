/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temporary allocations: those that were freed before the next allocations on the same
 * CPU.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include "report/lifetimes.h"

/* the temporary allocations */
struct temporary {
	/*
	 * an allocation is temporary if fewer allocations followed on its CPU before it was freed
	 */
	uint64_t within;
	struct analysis_watch watch;	/* watches @a */
	/* for each live allocation: the number of allocations on its CPU up to it */
	struct births births;
	uint64_t *allocs;		/* for each CPU, the number of allocations */
	size_t nr_cpus;			/* number of elements of @allocs */
	/* for each group, the temporary allocations */
	struct temporary_sums {
		uint64_t count;
		uint64_t bytes;
	} *groups;
	size_t nr_groups;		/* number of elements of @groups */
};

/** temporary_init() - start to watch an analysis */
void temporary_init(struct temporary *t, struct analysis *a, uint64_t within);

/** temporary_exit() - free the memory */
void temporary_exit(struct temporary *t);

/** temporary_of() - get the sums of a group */
struct temporary_sums temporary_of(const struct temporary *t, size_t group);

#endif /* TEMPORARY_H */
