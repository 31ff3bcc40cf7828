// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/pairs.h"

/* tests use smaller hashes, to fill them */
#ifndef PAIRS_BITS
#define PAIRS_BITS 10
#endif

static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return a ^ b << 56 ^ b >> 8;
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct pairs *p = arg;

	return hash_pair(p->pair[number].a, p->pair[number].b);
}

/* Find the slot of a pair, or the slot for it. Return: true if the pair has one. */
static bool pairs_look_up(const struct pairs *p, uint64_t a, uint64_t b, uint32_t *at,
			  uint32_t *number)
{
	return slots_find(&p->slots, hash_pair(a, b), *at, *number,
			  p->pair[*number].a == a && p->pair[*number].b == b);
}

void pairs_init(struct pairs *p)
{
	*p = (struct pairs){ 0 };
	slots_init(&p->slots, PAIRS_BITS);
}

void pairs_exit(struct pairs *p)
{
	slots_exit(&p->slots);
	free(p->pair);
}

uint32_t pairs_find(const struct pairs *p, uint64_t a, uint64_t b)
{
	uint32_t at, number;

	return pairs_look_up(p, a, b, &at, &number) ? number : PAIRS_NONE;
}

uint32_t pairs_get(struct pairs *p, uint64_t a, uint64_t b)
{
	uint32_t at, number;

	if (p->count >= (1ul << p->slots.bits) / 2)
		slots_rebuild(&p->slots, p->slots.bits + 1, 0, p->count, hash_of, p);
	if (pairs_look_up(p, a, b, &at, &number))
		return number;
	if (p->count == p->room)
		array_fit(p->pair, p->room, p->room * 2 + 64);
	p->pair[p->count] = (struct pair){ a, b };
	slots_set(&p->slots, at, p->count);
	return p->count++;
}

void *pairs_fit(const struct pairs *p, void *array, size_t *room, size_t size)
{
	size_t bytes = p->room * size;
	char *more;

	if (*room >= p->room)
		return array;
	more = aligned_alloc(PAIRS_ALIGN,
			     (bytes + PAIRS_ALIGN - 1) & ~(PAIRS_ALIGN - 1ul));
	if (!more)
		die();
	if (array)
		memcpy(more, array, *room * size);
	free(array);
	memset(more + *room * size, 0, (p->room - *room) * size);
	*room = p->room;
	return more;
}
