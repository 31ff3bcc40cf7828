/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers for pairs of keys: 0 for the first pair, 1 for the next new pair, and so on.
 * The caller uses the number as index of an array with data for each pair.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

/* no number */
#define PAIRS_NONE UINT32_MAX

/* alignment of the arrays of pairs_fit(): a cache line, in bytes */
#define PAIRS_ALIGN 64

/** struct pair - two keys */
struct pair {
	uint64_t a;
	uint64_t b;
};

/**
 * struct pairs - pairs with their numbers
 * @pair: the pairs, by number
 * @count: number of pairs
 * @room: number of pairs that fit into @pair
 * @slots: hash of the numbers
 */
struct pairs {
	struct pair *pair;
	size_t count;
	size_t room;
	struct slots slots;
};

/** pairs_init() - set up without a pair */
void pairs_init(struct pairs *p);

/** pairs_exit() - undo pairs_init() */
void pairs_exit(struct pairs *p);

/**
 * pairs_get() - get the number of a pair; add the pair if it is new
 * @p: the pairs
 * @a: first key
 * @b: second key
 *
 * Return: the number.
 */
uint32_t pairs_get(struct pairs *p, uint64_t a, uint64_t b);

/**
 * pairs_find() - get the number of a pair, if it has one
 * @p: the pairs
 * @a: first key
 * @b: second key
 *
 * Return: the number; PAIRS_NONE if the pair was not added.
 */
uint32_t pairs_find(const struct pairs *p, uint64_t a, uint64_t b);

/**
 * pairs_fit() - extend an array that has one element for each pair
 * @p: the pairs
 * @array: the array; NULL: empty. It is replaced if it is shorter than @p->room.
 * @room: number of elements in the array; updated
 * @size: bytes of an element; new elements are filled with zeros
 *
 * Return: the array.
 */
void *pairs_fit(const struct pairs *p, void *array, size_t *room, size_t size);

#endif /* PAIRS_H */
