// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "group.h"

#define BITS_AT_FIRST 10

static size_t home(const struct group_table *t, uint64_t key, uint8_t type)
{
	return ((key ^ (uint64_t)type << 56) * 0x9e3779b97f4a7c15ull) >>
	       (64 - t->bits);
}

bool group_init(struct group_table *t)
{
	*t = (struct group_table){ .bits = BITS_AT_FIRST };
	t->slots = calloc(1ul << t->bits, sizeof(*t->slots));
	return t->slots != NULL;
}

void group_exit(struct group_table *t)
{
	free(t->slots);
	free(t->groups);
}

static bool grow_slots(struct group_table *t)
{
	size_t i, at, mask;
	uint32_t *slots = calloc(2ul << t->bits, sizeof(*slots));

	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->bits++;
	mask = (1ul << t->bits) - 1;
	for (i = 0; i < t->count; i++) {
		at = home(t, t->groups[i].key, t->groups[i].type);
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	return true;
}

static bool make_room(struct group_table *t)
{
	struct group *more;

	if (t->count < t->room)
		return true;
	more = realloc(t->groups, (t->room * 2 + 64) * sizeof(*more));
	if (!more)
		return false;
	t->groups = more;
	t->room = t->room * 2 + 64;
	return true;
}

uint32_t group_get(struct group_table *t, uint64_t key, uint8_t type)
{
	size_t mask, at;

	if (t->count >= (1ul << t->bits) / 2 && !grow_slots(t))
		return UINT32_MAX;
	mask = (1ul << t->bits) - 1;
	for (at = home(t, key, type); t->slots[at]; at = (at + 1) & mask) {
		struct group *g = &t->groups[t->slots[at] - 1];

		if (g->key == key && g->type == type)
			return t->slots[at] - 1;
	}
	if (!make_room(t))
		return UINT32_MAX;
	t->groups[t->count] = (struct group){ .key = key, .type = type };
	t->slots[at] = ++t->count;
	return t->count - 1;
}
