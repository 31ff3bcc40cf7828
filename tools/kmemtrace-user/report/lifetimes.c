// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/die.h"
#include "report/lifetimes.h"

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
	if (!l->loses)
		return;
	l->loses = false;
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

static void lifetimes_lose(void *arg)
{
	struct lifetimes *l = arg;

	l->loses = true;
}

static void lifetimes_add_alloc(void *arg, const struct analysis_change *c)
{
	struct lifetimes *l = arg;

	note_losses(l, c->time);
	l->before = c->time;
	births_add(&l->births, c, c->time);
}

static void lifetimes_add_free(void *arg, const struct analysis_change *c)
{
	struct lifetimes *l = arg;
	struct lifetime life = { .group = c->group, .bytes = c->bytes,
				 .death = c->time, .ended = true };

	note_losses(l, c->time);
	l->before = c->time;
	if (births_take(&l->births, c, &life.birth) && !c->implicit)
		l->take(l->arg, &life);
}

/* a lifetimes_take */
static void lifetimes_count(void *arg, const struct lifetime *life)
{
	uint64_t ns = life->death - life->birth;
	struct lifetimes *l = arg;

	array_reach(l->groups, l->nr_groups, life->group);
	if (life->ended)
		survival_end(&l->groups[life->group], ns);
	else
		survival_censor(&l->groups[life->group], ns);
}

void lifetimes_init(struct lifetimes *l, struct analysis *a)
{
	lifetimes_init_for(l, a, lifetimes_count, l);
}

void lifetimes_init_for(struct lifetimes *l, struct analysis *a,
			lifetimes_take take, void *arg)
{
	*l = (struct lifetimes){
		.a = a,
		.take = take,
		.arg = arg,
		.watch = { .alloc = lifetimes_add_alloc, .free = lifetimes_add_free, .lose = lifetimes_lose,
			   .arg = l },
	};
	analysis_watch(a, &l->watch);
	births_init(&l->births);
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

static void lifetimes_add_live(struct lifetimes *l, enum site_kind class,
			       const struct map_slot *slot)
{
	const struct map_slot *birth =
		map_find(&l->births.map[class], slot->key);
	struct live live = live_unpack(slot);
	struct lifetime life = { .group = live.group,
				 .bytes = live_size(&l->a->live[class], slot)->alloc,
				 .death = l->a->time_last };
	uint64_t age;

	if (!birth)
		return; /* a part of a block whose beginning was freed */
	life.birth = birth->value;
	age = life.death - life.birth;
	if (age > l->oldest[live.group])
		l->oldest[live.group] = age;
	if (!live.fresh || l->a->aging)
		life.death = surely_live(l, life.birth);
	l->take(l->arg, &life);
}

void lifetimes_finish(struct lifetimes *l)
{
	size_t i, groups = l->a->groups.count;
	int class;

	note_losses(l, l->a->time_last);
	l->oldest = xcalloc(groups + 1, sizeof(*l->oldest));
	array_reach(l->groups, l->nr_groups, groups);
	for (class = 0; class < SITE_KINDS; class++) {
		const struct map *map = &l->a->live[class].map;

		for (i = 0; i <= map->mask; i++)
			if (map->slots[i].key)
				lifetimes_add_live(l, class, &map->slots[i]);
	}
}
