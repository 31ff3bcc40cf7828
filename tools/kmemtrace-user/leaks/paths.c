// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "leaks/paths.h"
#include "report/threads.h"

/* a live object, or a place for one */
struct path_object {
	uint64_t born;	/* time of its allocation */
	uint32_t path;	/* number of its path */
	uint32_t next;	/* of a place: the next one, plus 1; 0: none */
};

void paths_init(struct paths *p)
{
	*p = (struct paths){ 0 };
	pairs_init(&p->index);
	pairs_init(&p->places);
	map_init(&p->live, true);
}

/* FNV-1a */
static uint64_t hash_of(const uint64_t *stack, unsigned int depth)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	unsigned int i;

	for (i = 0; i < depth; i++)
		hash = (hash ^ stack[i]) * 0x100000001b3ull;
	return hash;
}

/* Return: the number of the path of an allocation. */
static uint32_t path_of(struct paths *p, const struct kmt_event *ev,
			const struct kmt_extra *x)
{
	unsigned int depth = x->have & KMT_FEATURE_STACK ? x->depth : 0;
	uint32_t n = pairs_get(&p->index, ev->call_site, hash_of(x->stack, depth));
	struct path *path;

	if (n < p->count)
		return n;
	path = array_add(p->path, p->count);
	*path = (struct path){ .site = ev->call_site, .seq = kmt_event_number(ev), .depth = depth,
			       .size_min = UINT64_MAX, .cache = ev->cache };
	memcpy(path->stack, x->stack, depth * sizeof(*path->stack));
	return n;
}

/* The task that an interrupt has interrupted has nothing to do with it. */
static void count_task(struct path *path, const struct kmt_extra *x)
{
	bool interrupt = threads_interrupted(x);
	int tgid = interrupt ? PATHS_INTERRUPT : x->tgid;
	struct path_task *t = path->task;

	if (!(x->have & KMT_FEATURE_TASK))
		return;
	while (t < path->task + PATHS_TASKS && t->count && t->tgid != tgid)
		t++;
	if (t == path->task + PATHS_TASKS) {
		path->others++;
		return;
	}
	if (!t->count) {
		t->tgid = tgid;
		if (interrupt)
			strcpy(t->comm, THREADS_INTERRUPT_NAME);
		else
			threads_comm(x, t->comm);
	}
	t->count++;
}

static void see_time(struct paths *p, uint64_t time)
{
	if (!p->first)
		p->first = time;
	/* clocks of CPUs may differ a little */
	if (time > p->last)
		p->last = time;
}

static uint64_t since(uint64_t born, uint64_t time)
{
	return time > born ? time - born : 0;
}

/* Return: the number of a place, plus 1. */
static uint32_t paths_place(struct paths *p)
{
	uint32_t n = p->spare;

	if (!n) {
		array_reserve(p->object, p->nr_objects);
		return ++p->nr_objects;
	}
	p->spare = p->object[n - 1].next;
	return n;
}

void paths_alloc(struct paths *p, const struct kmt_event *ev, const struct kmt_extra *x)
{
	uint32_t n = path_of(p, ev, x);
	struct map_slot *slot;
	struct path *path;

	see_time(p, ev->time);
	slot = map_slot(&p->live, ev->ptr);
	/* an object at this address, whose free is missing, is left out */
	if (!slot->key || !slot->value)
		*slot = (struct map_slot){ ev->ptr, paths_place(p) };
	p->object[slot->value - 1] = (struct path_object){ .born = ev->time, .path = n };
	path = &p->path[n];
	path->allocs++;
	path->bytes += ev->bytes_alloc;
	if (ev->bytes_req < path->size_min)
		path->size_min = ev->bytes_req;
	if (ev->bytes_req > path->size_max)
		path->size_max = ev->bytes_req;
	count_task(path, x);
}

static void count_free(struct paths *p, uint64_t site, uint64_t addr)
{
	uint32_t n = pairs_get(&p->places, site, addr);
	struct path_free *f;

	if (n == p->nr_freed) {
		f = array_add(p->freed, p->nr_freed);
		*f = (struct path_free){ site, addr, 0 };
	}
	p->freed[n].count++;
}

void paths_release(struct paths *p, const struct kmt_event *ev)
{
	struct map_slot *slot = ev->ptr ? map_find(&p->live, ev->ptr) : NULL;
	struct path_object *o;
	struct path *path;

	see_time(p, ev->time);
	if (!slot || !slot->value)
		return;
	o = &p->object[slot->value - 1];
	path = &p->path[o->path];
	o->next = p->spare;
	p->spare = slot->value;
	map_remove(&p->live, slot);
	path->frees++;
	survival_end(&path->lives, since(o->born, ev->time));
	count_free(p, path->site, ev->call_site);
}

/* --- the result ------------------------------------------------------------------- */

/* limit of a one-sided interval of 90 % */
#define Z 1.28

/*
 * The least share that is kept, by the interval of Wilson (1927): a path with few objects
 * needs a larger share, and an object that is too young proves nothing.
 */
static double path_score(const struct path *p)
{
	double n = p->known, k = p->kept;

	if (!p->known)
		return 0;
	return (k + Z * Z / (2 * n) -
		Z * sqrt(k * (1 - k) / n + Z * Z / (4 * n * n))) /
	       (1 + Z * Z / n);
}

static int by_score(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	if (path_score(x) != path_score(y))
		return path_score(x) > path_score(y) ? -1 : 1;
	return x->allocs > y->allocs ? -1 : x->allocs < y->allocs;
}

static int by_count(const void *a, const void *b)
{
	const struct path_free *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static void paths_add_live(struct paths *p)
{
	const struct map_slot *slot = p->live.slots;
	const struct path_object *o;
	size_t i;

	for (i = 0; i <= p->live.mask; i++, slot++) {
		if (!slot->key || !slot->value)
			continue;
		o = &p->object[slot->value - 1];
		survival_censor(&p->path[o->path].lives,
				since(o->born, p->last));
	}
}

void paths_end(struct paths *p)
{
	size_t i;

	paths_add_live(p);
	p->kept_age = (p->last - p->first) / 2;
	for (i = 0; i < p->count; i++) {
		struct path *path = &p->path[i];

		path->kept = survival_share(&path->lives, p->kept_age);
		path->known = survival_known(&path->lives, p->kept_age);
	}
	if (p->count)
		qsort(p->path, p->count, sizeof(*p->path), by_score);
	if (p->nr_freed)
		qsort(p->freed, p->nr_freed, sizeof(*p->freed), by_count);
}

void paths_free(struct paths *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		survival_exit(&p->path[i].lives);
	free(p->path);
	free(p->freed);
	free(p->object);
	pairs_exit(&p->index);
	pairs_exit(&p->places);
	map_exit(&p->live);
}
