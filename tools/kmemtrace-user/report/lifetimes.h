/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lifetimes of the allocations of each group.
 *
 * An allocation that is live at the end is censored: its lifetime is at least its age. If
 * events were lost after the allocation, its free may be among them. So it is censored at
 * the time of the first loss. A free without a record has no known time: such an
 * allocation is left out.
 */
#ifndef LIFETIMES_H
#define LIFETIMES_H

#include "report/births.h"
#include "report/survival.h"

/* number of ranges of times with losses */
#define LIFETIMES_LOSSES 1024

/**
 * struct lifetimes - the lifetimes
 * @a: the analysis
 * @watch: watches @a
 * @births: time of each live allocation
 * @groups: the lifetimes of each group
 * @nr_groups: number of elements of @groups
 * @oldest: for each of @groups, the age of its oldest live allocation, in ns
 * @losses: ranges of times; all losses are within them
 * @nr_losses: number of @losses
 * @lost: events lost up to now
 * @before: time of the last change of live memory
 */
struct lifetimes {
	const struct analysis *a;
	struct analysis_watch watch;
	struct births births;
	struct survival *groups;
	size_t nr_groups;
	uint64_t *oldest;
	struct lifetimes_loss {
		uint64_t first;
		uint64_t last;
	} losses[LIFETIMES_LOSSES];
	size_t nr_losses;
	uint64_t lost;
	uint64_t before;
};

/** lifetimes_init() - start to watch an analysis; false if memory ran out */
bool lifetimes_init(struct lifetimes *l, struct analysis *a);

/** lifetimes_exit() - free the memory */
void lifetimes_exit(struct lifetimes *l);

/**
 * lifetimes_finish() - add the allocations that are live at the end
 * @l: the lifetimes, after analysis_finish()
 *
 * Return: false if memory ran out.
 */
bool lifetimes_finish(struct lifetimes *l);

#endif /* LIFETIMES_H */
