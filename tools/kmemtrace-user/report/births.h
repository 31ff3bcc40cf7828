/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A number for each live allocation, for example the time of the allocation.
 */
#ifndef BIRTHS_H
#define BIRTHS_H

#include "report/analysis.h"

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

#endif /* BIRTHS_H */
