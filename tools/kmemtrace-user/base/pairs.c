// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

/* tests fill them up sooner */
#ifndef PAIRS_BITS
#define PAIRS_BITS 10
#endif

static size_t home(const struct pairs *p, uint64_t a, uint64_t b)
{
	return ((a ^ b << 56 ^ b >> 8) * 0x9e3779b97f4a7c15ull) >>
	       (64 - p->bits);
}

bool pairs_init(struct pairs *p)
{
	*p = (struct pairs){ .bits = PAIRS_BITS };
	p->slots = calloc(1ul << p->bits, sizeof(*p->slots));
	return p->slots != NULL;
}

void pairs_exit(struct pairs *p)
{
	free(p->slots);
	free(p->pair);
}

static bool grow_slots(struct pairs *p)
{
	size_t i, at, mask;
	uint32_t *slots = calloc(2ul << p->bits, sizeof(*slots));

	if (!slots)
		return false;
	free(p->slots);
	p->slots = slots;
	p->bits++;
	mask = (1ul << p->bits) - 1;
	for (i = 0; i < p->count; i++) {
		at = home(p, p->pair[i].a, p->pair[i].b);
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	return true;
}

static bool make_room(struct pairs *p)
{
	struct pair *more;

	if (p->count < p->room)
		return true;
	more = realloc(p->pair, (p->room * 2 + 64) * sizeof(*more));
	if (!more)
		return false;
	p->pair = more;
	p->room = p->room * 2 + 64;
	return true;
}

/* Where it is, or would be. */
static size_t look_up(const struct pairs *p, uint64_t a, uint64_t b)
{
	size_t mask = (1ul << p->bits) - 1, at;

	for (at = home(p, a, b); p->slots[at]; at = (at + 1) & mask) {
		const struct pair *pair = &p->pair[p->slots[at] - 1];

		if (pair->a == a && pair->b == b)
			break;
	}
	return at;
}

uint32_t pairs_find(const struct pairs *p, uint64_t a, uint64_t b)
{
	return p->slots[look_up(p, a, b)] - 1;
}

uint32_t pairs_get(struct pairs *p, uint64_t a, uint64_t b)
{
	size_t at;

	if (p->count >= (1ul << p->bits) / 2 && !grow_slots(p))
		return PAIRS_NONE;
	at = look_up(p, a, b);
	if (p->slots[at])
		return p->slots[at] - 1;
	if (!make_room(p))
		return PAIRS_NONE;
	p->pair[p->count] = (struct pair){ a, b };
	p->slots[at] = ++p->count;
	return p->count - 1;
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
		return NULL;
	if (array)
		memcpy(more, array, *room * size);
	free(array);
	memset(more + *room * size, 0, (p->room - *room) * size);
	*room = p->room;
	return more;
}
