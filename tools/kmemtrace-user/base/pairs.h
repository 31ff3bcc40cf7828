/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers for pairs of keys: 0 for the first pair that is met, 1 for the next,
 * so that an array can hold what belongs to each.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

/* instead of a number */
#define PAIRS_NONE UINT32_MAX

/* what pairs_fit() returns begins with a cache line */
#define PAIRS_ALIGN 64

/** struct pair - two keys */
struct pair {
	uint64_t a;
	uint64_t b;
};

/**
 * struct pairs - pairs with their numbers
 * @pair: by number
 * @count: how many
 * @room: for how many there is memory
 * @slots: hash of the numbers
 */
struct pairs {
	struct pair *pair;
	size_t count;
	size_t room;
	struct slots slots;
};

/** pairs_init() - know no pair; false if memory ran out */
bool pairs_init(struct pairs *p);

/** pairs_exit() - undo pairs_init() */
void pairs_exit(struct pairs *p);

/**
 * pairs_get() - the number of a pair, which is added if it is new
 * @p: the pairs
 * @a: first key
 * @b: second key
 *
 * Return: the number; PAIRS_NONE if memory ran out.
 */
uint32_t pairs_get(struct pairs *p, uint64_t a, uint64_t b);

/**
 * pairs_find() - the number of a pair, if it has one
 * @p: the pairs
 * @a: first key
 * @b: second key
 *
 * Return: the number; PAIRS_NONE if it was never met.
 */
uint32_t pairs_find(const struct pairs *p, uint64_t a, uint64_t b);

/**
 * pairs_fit() - make an array as long as there is room for pairs
 * @p: the pairs
 * @array: of what belongs to each
 * @room: how long it is; set to how long it is then
 * @size: of an element; new ones are 0
 *
 * Return: the array; NULL if memory ran out, and it is still as it was.
 */
void *pairs_fit(const struct pairs *p, void *array, size_t *room, size_t size);

#endif /* PAIRS_H */
