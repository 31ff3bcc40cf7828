// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kmt_event.h"
#include "report/group.h"

bool group_init(struct group_table *t)
{
	*t = (struct group_table){ 0 };
	return pairs_init(&t->keys);
}

void group_exit(struct group_table *t)
{
	pairs_exit(&t->keys);
	free(t->groups);
	free(t->small);
}

uint32_t group_get(struct group_table *t, uint64_t key, uint8_t type,
		   uint16_t place)
{
	uint32_t index = pairs_get(&t->keys, key, type | place << 8);
	struct group *groups;

	if (index == PAIRS_NONE || index < t->count)
		return index;
	groups = pairs_fit(&t->keys, t->groups, &t->room, sizeof(*groups));
	if (!groups)
		return PAIRS_NONE;
	t->groups = groups;
	t->groups[t->count++] = (struct group){ .key = key, .type = type,
						.place = place };
	return index;
}

uint32_t group_get_small(struct group_table *t, uint32_t key, uint8_t type)
{
	size_t i = (size_t)key * (KMEMTRACE_TYPE_PERCPU + 1) + type;
	uint32_t index;

	if (i < t->nr_small && t->small[i])
		return t->small[i] - 1;
	index = group_get(t, key, type, 0);
	if (index == PAIRS_NONE || !array_reach(t->small, t->nr_small, i))
		return PAIRS_NONE;
	t->small[i] = index + 1;
	return index;
}
