// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "sizes.h"

/* tests fill them up sooner */
#ifndef SIZES_BITS_AT_FIRST
#define SIZES_BITS_AT_FIRST 12
#endif

/* states */
enum { NONE, THERE, USED };

static uint32_t home(const struct sizes *s, const struct size *size)
{
	uint64_t key = size->req * 31 + size->alloc + (size->block << 55);

	return key * 0x9e3779b97f4a7c15ull >> (64 - s->bits);
}

/* Memory for 1 << bits slots; what is there is kept, but not yet found. */
static bool make_room(struct sizes *s, unsigned int bits)
{
	size_t numbers = 1ul << (bits - 1), old = 0;
	struct size *sizes;
	uint8_t *states;
	uint32_t *slots;

	if (s->bits)
		old = 1ul << (s->bits - 1);
	sizes = reallocarray(s->sizes, numbers, sizeof(*sizes));
	if (sizes)
		s->sizes = sizes;
	states = realloc(s->states, numbers);
	if (states)
		s->states = states;
	slots = calloc(1ul << bits, sizeof(*slots));
	if (!sizes || !states || !slots) {
		free(slots);
		return false;
	}
	memset(states + old, NONE, numbers - old);
	free(s->slots);
	s->slots = slots;
	s->bits = bits;
	return true;
}

bool sizes_init(struct sizes *s, sizes_mark mark, void *arg)
{
	*s = (struct sizes){ .mark = mark, .arg = arg };
	return make_room(s, SIZES_BITS_AT_FIRST);
}

void sizes_exit(struct sizes *s)
{
	free(s->sizes);
	free(s->states);
	free(s->slots);
}

void sizes_keep(struct sizes *s, uint32_t number)
{
	s->states[number] = USED;
}

/* Return: its slot; that of the number plus 1, or one that is free. */
static uint32_t *find(const struct sizes *s, const struct size *size)
{
	uint32_t mask = (1u << s->bits) - 1, at = home(s, size);

	while (s->slots[at] && !sizes_is(s, s->slots[at] - 1, size))
		at = (at + 1) & mask;
	return &s->slots[at];
}

/* Those that are not in use are gone; the others are put into the hash. */
static void rebuild(struct sizes *s)
{
	uint32_t i, numbers = 1u << (s->bits - 1);

	memset(s->slots, 0, sizeof(*s->slots) << s->bits);
	s->count = s->next = 0;
	for (i = 0; i < numbers; i++) {
		if (s->states[i] != USED) {
			s->states[i] = NONE;
			continue;
		}
		s->states[i] = THERE;
		*find(s, &s->sizes[i]) = i + 1;
		s->count++;
	}
}

/* If most are in use, it would be full again soon: then it gets larger. */
static bool sweep(struct sizes *s)
{
	s->mark(s->arg);
	rebuild(s);
	if (s->count < 1u << (s->bits - 2))
		return true;
	if (s->bits == SIZES_BITS + 1)
		/* with a few alone free, this would be done again and again */
		return s->count < (1u << SIZES_BITS) / 8 * 7;
	s->mark(s->arg);
	if (!make_room(s, s->bits + 1))
		return false;
	rebuild(s);
	return true;
}

uint32_t sizes_get(struct sizes *s, const struct size *size)
{
	uint32_t *slot = find(s, size);

	if (*slot)
		return *slot - 1;
	if (s->count >= 1u << (s->bits - 1)) {
		if (!sweep(s))
			return UINT32_MAX;
		slot = find(s, size);
	}
	while (s->states[s->next] != NONE)
		s->next++;
	s->sizes[s->next] = *size;
	s->states[s->next] = THERE;
	s->count++;
	*slot = s->next + 1;
	return s->next++;
}
