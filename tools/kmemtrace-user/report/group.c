// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kmt_event.h"
#include "report/group.h"

void group_init(struct group_table *t)
{
	*t = (struct group_table){ 0 };
	pairs_init(&t->keys);
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

	if (index < t->count)
		return index;
	t->groups = pairs_fit(&t->keys, t->groups, &t->room, sizeof(*t->groups));
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
	array_reach(t->small, t->nr_small, i);
	t->small[i] = index + 1;
	return index;
}

static uint64_t most(uint64_t x, uint64_t y)
{
	return x > y ? x : y;
}

static void group_add(struct group *to, const struct group *from)
{
	to->allocs += from->allocs;
	to->frees += from->frees;
	to->req += from->req;
	to->alloc += from->alloc;
	to->freed_req += from->freed_req;
	to->freed += from->freed;
	to->failed += from->failed;
	to->remote_frees += from->remote_frees;
	to->implicit += from->implicit;
	to->largest = most(to->largest, from->largest);
	to->unsure += from->unsure;
	to->unsure_bytes += from->unsure_bytes;
	to->unsure_most += from->unsure_most;
	if (from->first < to->first)
		to->first = from->first;
}

static int compare_first(const void *x, const void *y)
{
	const struct group *gx = x, *gy = y;

	return (gx->first > gy->first) - (gx->first < gy->first);
}

void group_join(struct group_table *t, const struct group_table *from)
{
	size_t i, count;

	for (i = 0; i < from->count; i++) {
		const struct group *g = &from->groups[i];
		uint32_t index;

		count = t->count;
		index = group_get(t, g->key, g->type, g->place);
		if (index == count)
			t->groups[index] = *g;
		else
			group_add(&t->groups[index], g);
	}
	qsort(t->groups, t->count, sizeof(*t->groups), compare_first);
}
