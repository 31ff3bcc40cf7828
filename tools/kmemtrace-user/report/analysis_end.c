// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of an analysis: sums, and bounds of what is live after losses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_event.h"
#include "report/analysis.h"

/* --- bounds --------------------------------------------------------------- */

/* Return: the product; UINT64_MAX on overflow. */
static uint64_t times(uint64_t n, uint64_t bytes)
{
	uint64_t product;

	return __builtin_mul_overflow(n, bytes, &product) ? UINT64_MAX :
							     product;
}

static uint64_t plus(uint64_t x, uint64_t y)
{
	return x + y < x ? UINT64_MAX : x + y;
}

static uint64_t least(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

static uint64_t most(uint64_t x, uint64_t y)
{
	return x > y ? x : y;
}

static uint64_t lower_bound(const struct group *g)
{
	return g->implicit ? 0 : group_live(g) - least(g->unsure_bytes, g->unsure_most);
}

/* a live allocation that a lost event may have freed */
struct doubt {
	uint64_t bytes;	/* the most that this event has freed */
	uint32_t group;	/* its group */
};

static int by_bytes(const void *a, const void *b)
{
	const struct doubt *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static bool is_unsure(const struct analysis *a, const struct map_slot *slot)
{
	return slot->key && (!live_unpack(slot).fresh || a->aging);
}

static void count_unsure(struct analysis *a, const struct live_table *t)
{
	size_t i;

	for (i = 0; i <= t->map.mask; i++) {
		const struct map_slot *slot = &t->map.slots[i];
		const struct size *size;
		struct group *g;

		if (!is_unsure(a, slot))
			continue;
		size = live_size(t, slot);
		g = &a->groups.groups[live_unpack(slot).group];
		g->unsure += size_is_whole(size);
		g->unsure_bytes += size->alloc;
	}
}

/* Counts the live allocations that a lost event may have freed. */
static void find_unsure(struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->groups.count; i++) {
		struct group *g = &a->groups.groups[i];

		g->unsure = g->unsure_bytes = 0;
		g->unsure_most = UINT64_MAX;
	}
	if (!a->lost && !a->frees_unseen)
		return;
	for (i = 0; i < SITE_KINDS; i++)
		count_unsure(a, &a->live[i]);
}

/* Calculates the sum of all lower bounds. */
static void add_up_low(struct analysis *a)
{
	size_t i;

	for (i = 0; i < SITE_KINDS; i++)
		a->sums[i].low = 0;
	for (i = 0; i < a->groups.count; i++) {
		const struct group *g = &a->groups.groups[i];

		a->sums[analysis_kind_of(g->type)].low += lower_bound(g);
	}
}

/* An event may have freed the whole block that a part is of. */
static size_t list_doubts(const struct analysis *a, const struct live_table *t,
			  struct doubt *doubts)
{
	size_t i, count = 0;

	for (i = 0; i <= t->map.mask; i++) {
		const struct map_slot *slot = &t->map.slots[i];
		uint32_t group = live_unpack(slot).group;
		const struct size *size = live_size(t, slot);

		if (is_unsure(a, slot))
			doubts[count++] = (struct doubt){
				size_is_whole(size) ? size->alloc :
						      a->groups.groups[group].largest,
				group
			};
	}
	return count;
}

/* @frees: 0 for each group */
static void find_most(struct analysis *a, const struct doubt *doubts, size_t count,
		      uint64_t *frees)
{
	size_t i;

	for (i = 0; i < a->groups.count; i++)
		a->groups.groups[i].unsure_most = 0;
	for (i = 0; i < count; i++) {
		struct group *g = &a->groups.groups[doubts[i].group];

		if (frees[doubts[i].group]++ < a->lost)
			g->unsure_most = plus(g->unsure_most, doubts[i].bytes);
	}
}

void analysis_narrow(struct analysis *a)
{
	size_t i, room = 0, count = 0;
	struct doubt *doubts;
	uint64_t *frees;

	if (!a->lost || a->frees_unseen || a->part != PART_ALL)
		return;
	for (i = 0; i < SITE_KINDS; i++)
		room += a->live[i].map.used;
	doubts = xcalloc(room + 1, sizeof(*doubts));
	frees = xcalloc(a->groups.count + 1, sizeof(*frees));
	for (i = 0; i < SITE_KINDS; i++)
		count += list_doubts(a, &a->live[i], doubts + count);
	qsort(doubts, count, sizeof(*doubts), by_bytes);
	find_most(a, doubts, count, frees);
	add_up_low(a);
	free(doubts);
	free(frees);
}

uint64_t analysis_highest(const struct analysis *a, uint64_t bytes, uint64_t largest)
{
	uint64_t high = plus(bytes, times(a->lost, largest));

	return bytes > a->memory ? bytes : least(high, a->memory);
}

void analysis_bounds(const struct analysis *a, const struct group *g,
		     struct analysis_bounds *b)
{
	const struct analysis_class_sums *sums = &a->sums[analysis_kind_of(g->type)];
	uint64_t frees = a->frees_unseen ? UINT64_MAX : a->lost, live = group_live(g);
	uint64_t others;

	*b = (struct analysis_bounds){
		.low = lower_bound(g),
		.high = analysis_highest(a, live, g->largest),
		.objects_low = g->implicit ? 0 : group_objects(g) - least(g->unsure, frees),
		.objects_high = plus(group_objects(g), a->lost),
	};
	if (a->memory == UINT64_MAX)
		return;
	/* the other groups of the class have the rest of the memory */
	others = least(sums->low - least(sums->low, b->low), a->memory);
	b->high = most(live, least(b->high, a->memory - others));
}

/* --- sums ----------------------------------------------------------------- */

/* Calculates the sums of all groups. */
static void add_up(struct analysis *a)
{
	size_t i;

	for (i = 0; i < SITE_KINDS; i++)
		a->sums[i].live = a->sums[i].objects = a->sums[i].uncertain = 0;
	for (i = 0; i < ANALYSIS_TYPES; i++)
		a->allocs[i] = a->failed[i] = a->req[i] = a->alloc[i] = 0;
	a->remote_frees = 0;
	for (i = 0; i < a->groups.count; i++) {
		const struct group *g = &a->groups.groups[i];
		struct analysis_class_sums *sums =
			&a->sums[analysis_kind_of(g->type)];

		a->allocs[g->type] += g->allocs;
		a->failed[g->type] += g->failed;
		a->req[g->type] += g->req;
		a->alloc[g->type] += g->alloc;
		a->remote_frees += g->remote_frees;
		sums->live += group_live(g);
		sums->objects += group_objects(g);
		if (g->implicit)
			sums->uncertain += group_live(g);
	}
}

void analysis_finish(struct analysis *a)
{
	add_up(a);
	if (a->begins)
		analysis_lose_frees(a);
	a->begins = false;
	find_unsure(a);
	add_up_low(a);
}

void analysis_end(struct analysis *a, uint64_t missing)
{
	if (!a->gaps_are_losses)
		analysis_lose_frees(a);
	else if (missing > a->lost)
		analysis_lose(a, missing - a->lost);
	analysis_finish(a);
}

static void join_sums(struct analysis_class_sums *to,
		      const struct analysis_class_sums *from)
{
	to->implicit += from->implicit;
	to->implicit_bytes += from->implicit_bytes;
	to->unmatched += from->unmatched;
	if (from->largest > to->largest)
		to->largest = from->largest;
}

void analysis_join(struct analysis *a, const struct analysis *second)
{
	size_t i;

	group_join(&a->groups, &second->groups);
	for (i = 0; i < SITE_KINDS; i++)
		join_sums(&a->sums[i], &second->sums[i]);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		a->frees[i] += second->frees[i];
	a->cross_frees += second->cross_frees;
	if (second->has_time && (!a->has_time || second->time_first < a->time_first))
		a->time_first = second->time_first;
	if (second->has_time && second->time_last > a->time_last)
		a->time_last = second->time_last;
	a->has_time |= second->has_time;
	add_up(a);
	add_up_low(a);
}

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
