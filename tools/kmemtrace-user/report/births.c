// SPDX-License-Identifier: GPL-2.0-only
#include "report/births.h"

void births_init(struct births *b)
{
	int i;

	*b = (struct births){ 0 };
	for (i = 0; i < SITE_KINDS; i++)
		map_init(&b->map[i], false);
}

void births_exit(struct births *b)
{
	int i;

	for (i = 0; i < SITE_KINDS; i++)
		map_exit(&b->map[i]);
}

void births_add(struct births *b, const struct analysis_change *c,
		uint64_t number)
{
	struct map_slot *slot = map_slot(&b->map[c->class], c->ptr);

	*slot = (struct map_slot){ c->ptr, number };
}

bool births_take(struct births *b, const struct analysis_change *c,
		 uint64_t *number)
{
	struct map *map = &b->map[c->class];
	struct map_slot *slot = c->whole ? map_find(map, c->ptr) : NULL;

	if (!slot)
		return false;
	*number = slot->value;
	map_remove(map, slot);
	return true;
}
