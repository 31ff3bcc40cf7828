// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "report/lifetimes.h"

/* --- losses --------------------------------------------------------------- */

/* Makes one range of each two: all losses stay within the ranges. */
static void merge_losses(struct lifetimes *l)
{
	size_t i;

	for (i = 0; i < LIFETIMES_LOSSES / 2; i++)
		l->losses[i] = (struct lifetimes_loss){
			l->losses[2 * i].first, l->losses[2 * i + 1].last
		};
	l->nr_losses = LIFETIMES_LOSSES / 2;
}

/*
 * The losses are at the time of the next record at the latest. An allocation just before
 * may have been freed at once, so the time of the record before is the beginning.
 */
static void note_losses(struct lifetimes *l, uint64_t time)
{
	if (l->lost == l->a->lost)
		return;
	l->lost = l->a->lost;
	if (l->nr_losses == LIFETIMES_LOSSES)
		merge_losses(l);
	l->losses[l->nr_losses++] = (struct lifetimes_loss){ l->before, time };
}

/*
 * Return: the last time at which an allocation was surely live. A loss at the time of the
 * allocation may be before or after it.
 */
static uint64_t surely_live(const struct lifetimes *l, uint64_t birth)
{
	size_t low = 0, high = l->nr_losses;

	/* find the first range that does not end before the allocation */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->losses[middle].last < birth)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == l->nr_losses)
		return l->a->time_last;
	return l->losses[low].first > birth ? l->losses[low].first : birth;
}

/* --- allocations ---------------------------------------------------------- */

static bool add_alloc(void *arg, const struct analysis_change *c)
{
	struct lifetimes *l = arg;

	note_losses(l, c->time);
	l->before = c->time;
	return births_add(&l->births, c, c->time);
}

static bool add_free(void *arg, const struct analysis_change *c)
{
	struct lifetimes *l = arg;
	uint64_t birth;

	note_losses(l, c->time);
	l->before = c->time;
	if (!births_take(&l->births, c, &birth) || c->implicit)
		return true;
	return array_reach(l->groups, l->nr_groups, c->group) &&
	       survival_end(&l->groups[c->group], c->time - birth);
}

bool lifetimes_init(struct lifetimes *l, struct analysis *a)
{
	*l = (struct lifetimes){
		.a = a,
		.watch = { .alloc = add_alloc, .free = add_free, .arg = l },
	};
	analysis_watch(a, &l->watch);
	return births_init(&l->births);
}

void lifetimes_exit(struct lifetimes *l)
{
	size_t i;

	for (i = 0; i < l->nr_groups; i++)
		survival_exit(&l->groups[i]);
	free(l->groups);
	free(l->oldest);
	births_exit(&l->births);
}

static bool add_live(struct lifetimes *l, const struct map_slot *slot,
		     const struct map *births)
{
	const struct map_slot *birth = map_find(births, slot->key);
	struct live live = live_unpack(slot);
	uint64_t age, end = l->a->time_last;

	if (!birth)
		return true; /* a part of a block whose beginning was freed */
	age = end - birth->value;
	if (age > l->oldest[live.group])
		l->oldest[live.group] = age;
	if (!live.fresh || l->a->aging)
		end = surely_live(l, birth->value);
	return survival_censor(&l->groups[live.group], end - birth->value);
}

bool lifetimes_finish(struct lifetimes *l)
{
	size_t i, groups = l->a->groups.count;
	int class;

	note_losses(l, l->a->time_last);
	l->oldest = calloc(groups + 1, sizeof(*l->oldest));
	if (!l->oldest || !array_reach(l->groups, l->nr_groups, groups))
		return false;
	for (class = 0; class < CLASSES; class++) {
		const struct map *map = &l->a->live[class].map;

		for (i = 0; i <= map->mask; i++)
			if (map->slots[i].key &&
			    !add_live(l, &map->slots[i], &l->births.map[class]))
				return false;
	}
	return true;
}
