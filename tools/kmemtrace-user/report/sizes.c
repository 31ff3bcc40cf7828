// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "report/sizes.h"

/* tests set a smaller value, so that the numbers run out sooner */
#ifndef SIZES_BITS_AT_FIRST
#define SIZES_BITS_AT_FIRST 12
#endif

/* states */
enum { NONE, THERE, USED };

/*
 * Allocates memory for 1 << bits slots. Keeps the sizes and their numbers. The hash is
 * empty until rebuild().
 */
static void make_room(struct sizes *s, unsigned int bits)
{
	size_t numbers = 1ul << (bits - 1), old = 0;

	if (s->bits)
		old = 1ul << (s->bits - 1);
	s->sizes = xreallocarray(s->sizes, numbers, sizeof(*s->sizes));
	s->states = xreallocarray(s->states, numbers, 1);
	memset(s->states + old, NONE, numbers - old);
	slots_exit(&s->slots);
	slots_init(&s->slots, bits);
	s->bits = bits;
}

void sizes_init(struct sizes *s, sizes_mark mark, void *arg)
{
	*s = (struct sizes){ .mark = mark, .arg = arg };
	make_room(s, SIZES_BITS_AT_FIRST);
}

void sizes_exit(struct sizes *s)
{
	free(s->sizes);
	free(s->states);
	slots_exit(&s->slots);
}

void sizes_keep(struct sizes *s, uint32_t number)
{
	s->states[number] = USED;
}

/* Finds the slot of a size, or a free slot for it. Return: whether the size is there. */
static bool sizes_find(const struct sizes *s, const struct size *size, uint32_t *at,
		       uint32_t *number)
{
	return slots_find(&s->slots,
			  size->req * 31 + size->alloc + (size->block << 55),
			  *at, *number, sizes_is(s, *number, size));
}

/* Frees the numbers that are not in use, and puts the others into the hash. */
static void rebuild(struct sizes *s)
{
	uint32_t i, at, number, numbers = 1u << (s->bits - 1);

	slots_clear(&s->slots, s->bits, numbers);
	s->count = s->next = 0;
	for (i = 0; i < numbers; i++) {
		if (s->states[i] != USED) {
			s->states[i] = NONE;
			continue;
		}
		s->states[i] = THERE;
		sizes_find(s, &s->sizes[i], &at, &number);
		slots_set(&s->slots, at, i);
		s->count++;
	}
}

/*
 * Frees the numbers that are not in use. If at least half of the numbers are in use, the
 * next sweep would soon be necessary. Then the number of slots is doubled.
 */
static bool sweep(struct sizes *s)
{
	s->mark(s->arg);
	rebuild(s);
	if (s->count < 1u << (s->bits - 2))
		return true;
	if (s->bits == SIZES_BITS + 1)
		/* with few free numbers, each of the next calls would sweep */
		return s->count < (1u << SIZES_BITS) / 8 * 7;
	s->mark(s->arg);
	make_room(s, s->bits + 1);
	rebuild(s);
	return true;
}

uint32_t sizes_get(struct sizes *s, const struct size *size)
{
	uint32_t at, number;

	if (sizes_find(s, size, &at, &number))
		return number;
	if (s->count >= 1u << (s->bits - 1)) {
		if (!sweep(s))
			die();
		sizes_find(s, size, &at, &number);
	}
	while (s->states[s->next] != NONE)
		s->next++;
	s->sizes[s->next] = *size;
	s->states[s->next] = THERE;
	s->count++;
	slots_set(&s->slots, at, s->next);
	return s->next++;
}
