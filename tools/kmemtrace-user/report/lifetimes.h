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

#include "report/analysis.h"
#include "report/survival.h"

/*
 * A number for each live allocation, for example the time of the allocation.
 */

/* numbers by address */
struct births {
	struct map map[SITE_KINDS];	/* for each class, maps an address to a number */
};

/** births_init() - initialise an empty set */
void births_init(struct births *b);

/** births_exit() - undo births_init() */
void births_exit(struct births *b);

/** births_add() - set the number of a new allocation */
void births_add(struct births *b, const struct analysis_change *c,
		uint64_t number);

/**
 * births_take() - get and remove the number of an allocation that is freed
 * @b: the numbers
 * @c: the free
 * @number: set to the number
 *
 * Return: false if @c does not free an allocation: it frees a further part of a block.
 */
bool births_take(struct births *b, const struct analysis_change *c,
		 uint64_t *number);

/* number of ranges of times with losses */
#define LIFETIMES_LOSSES 1024

/* an allocation of which the beginning is known */
struct lifetime {
	uint32_t group;	/* index of its group */
	uint64_t bytes;	/* bytes allocated */
	uint64_t birth;	/* time of the allocation, in ns */
	uint64_t death;	/* time up to which it was live, in ns */
	bool ended;	/* it was freed at @death; otherwise it may have been live for longer */
};

/**
 * typedef lifetimes_take - take an allocation whose end is known
 * @arg: the argument of lifetimes_init_for()
 * @life: the allocation
 */
typedef void (*lifetimes_take)(void *arg, const struct lifetime *life);

/* the lifetimes */
struct lifetimes {
	const struct analysis *a;	/* the analysis */
	struct analysis_watch watch;	/* watches @a */
	struct births births;		/* time of each live allocation */
	lifetimes_take take;		/* takes each allocation; by default it counts in @groups */
	void *arg;			/* argument of @take */
	struct survival *groups;	/* the lifetimes of each group */
	size_t nr_groups;		/* number of elements of @groups */
	/* for each of @groups, the age of its oldest live allocation, in ns */
	uint64_t *oldest;
	/* ranges of times; all losses are within them */
	struct lifetimes_loss {
		uint64_t first;
		uint64_t last;
	} losses[LIFETIMES_LOSSES];
	size_t nr_losses;		/* number of @losses */
	/* events were lost, or frees missed, after the last change */
	bool loses;
	uint64_t before;		/* time of the last change of live memory */
};

/** lifetimes_init() - start to watch an analysis */
void lifetimes_init(struct lifetimes *l, struct analysis *a);

/** lifetimes_init_for() - as lifetimes_init(), with a function instead of @l->groups */
void lifetimes_init_for(struct lifetimes *l, struct analysis *a,
			lifetimes_take take, void *arg);

/** lifetimes_exit() - free the memory */
void lifetimes_exit(struct lifetimes *l);

/** lifetimes_finish() - add the allocations that are live at the end */
void lifetimes_finish(struct lifetimes *l);

#endif /* LIFETIMES_H */
