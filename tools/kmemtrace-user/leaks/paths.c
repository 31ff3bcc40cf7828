// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "leaks/paths.h"
#include "report/survival.h"

/**
 * struct path_object - an object
 * @born: time of its allocation
 * @died: time of its free; 0: live
 * @bytes: bytes allocated
 * @path: number of its path
 */
struct path_object {
	uint64_t born;
	uint64_t died;
	uint64_t bytes;
	uint32_t path;
};

bool paths_init(struct paths *p)
{
	*p = (struct paths){ 0 };
	return pairs_init(&p->index) && pairs_init(&p->places) && map_init(&p->live, true);
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

/* Return: the number of the path of an allocation; PAIRS_NONE if memory ran out. */
static uint32_t path_of(struct paths *p, const struct kmt_event *ev,
			const struct kmt_extra *x)
{
	unsigned int depth = x->have & KMT_FEATURE_STACK ? x->depth : 0;
	uint32_t n = pairs_get(&p->index, ev->call_site, hash_of(x->stack, depth));
	struct path *path;

	if (n == PAIRS_NONE || n < p->count)
		return n;
	path = array_add(p->path, p->count);
	if (!path)
		return PAIRS_NONE;
	*path = (struct path){ .site = ev->call_site, .seq = ev->seq, .depth = depth,
			       .size_min = UINT64_MAX, .cache = ev->cache };
	memcpy(path->stack, x->stack, depth * sizeof(*path->stack));
	return n;
}

static void count_task(struct path *path, const struct kmt_extra *x)
{
	struct path_task *t = path->task;
	int i;

	if (!(x->have & KMT_FEATURE_TASK))
		return;
	for (i = 0; i < PATHS_TASKS - 1 && t->count && t->tgid != x->tgid; i++)
		t++;
	if (!t->count) {
		t->tgid = x->tgid;
		memcpy(t->comm, x->comm, sizeof(t->comm));
	}
	t->count++;
}

static void see_time(struct paths *p, uint64_t time)
{
	if (!p->first)
		p->first = time;
	p->last = time;
}

bool paths_alloc(struct paths *p, const struct kmt_event *ev, const struct kmt_extra *x)
{
	uint32_t n = path_of(p, ev, x);
	struct path_object *o;
	struct map_slot *slot;
	struct path *path;

	see_time(p, ev->time);
	if (n == PAIRS_NONE)
		return false;
	o = array_add(p->object, p->nr_objects);
	slot = o ? map_slot(&p->live, ev->ptr) : NULL;
	if (!slot)
		return false;
	*slot = (struct map_slot){ ev->ptr, p->nr_objects };
	*o = (struct path_object){ .born = ev->time, .bytes = ev->bytes_alloc, .path = n };
	path = &p->path[n];
	path->allocs++;
	path->bytes += ev->bytes_alloc;
	if (ev->bytes_req < path->size_min)
		path->size_min = ev->bytes_req;
	if (ev->bytes_req > path->size_max)
		path->size_max = ev->bytes_req;
	count_task(path, x);
	return true;
}

static bool count_free(struct paths *p, uint64_t site, uint64_t addr)
{
	uint32_t n = pairs_get(&p->places, site, addr);
	struct path_free *f;

	if (n == PAIRS_NONE)
		return false;
	if (n == p->nr_freed) {
		f = array_add(p->freed, p->nr_freed);
		if (!f)
			return false;
		*f = (struct path_free){ site, addr, 0 };
	}
	p->freed[n].count++;
	return true;
}

bool paths_release(struct paths *p, const struct kmt_event *ev)
{
	struct map_slot *slot = ev->ptr ? map_find(&p->live, ev->ptr) : NULL;
	struct path_object *o;

	see_time(p, ev->time);
	if (!slot || !slot->value)
		return true;
	o = &p->object[slot->value - 1];
	map_remove(&p->live, slot);
	o->died = ev->time > o->born ? ev->time : o->born + 1;
	p->path[o->path].frees++;
	return count_free(p, p->path[o->path].site, ev->call_site);
}

/* --- the result ------------------------------------------------------------------- */

/* The share that is kept; a path with few objects needs a larger one. */
static double score(const struct path *p)
{
	return p->kept * p->allocs / (p->allocs + 4);
}

static int by_score(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	if (score(x) != score(y))
		return score(x) > score(y) ? -1 : 1;
	return x->allocs > y->allocs ? -1 : x->allocs < y->allocs;
}

static int by_count(const void *a, const void *b)
{
	const struct path_free *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static int by_path(const void *a, const void *b)
{
	const struct path_object *x = a, *y = b;

	return x->path < y->path ? -1 : x->path > y->path;
}

/* Compute the share that is kept by a path, from its objects. */
static bool keep(const struct paths *p, const struct path_object *o, size_t n)
{
	struct path *path = &p->path[o->path];
	struct survival lives = { 0 };
	bool ok = true;
	size_t i;

	path->kept_age = (p->last - p->first) / 2;
	for (i = 0; ok && i < n; i++) {
		if (o[i].died) {
			ok = survival_end(&lives, o[i].died - o[i].born);
			continue;
		}
		ok = survival_censor(&lives, p->last - o[i].born);
		if (p->last - o[i].born >= path->kept_age) {
			path->left++;
			path->left_bytes += o[i].bytes;
		}
	}
	path->kept = survival_share(&lives, path->kept_age);
	survival_exit(&lives);
	return ok;
}

bool paths_end(struct paths *p)
{
	bool ok = true;
	size_t i, n;

	if (p->nr_objects)
		qsort(p->object, p->nr_objects, sizeof(*p->object), by_path);
	for (i = 0; ok && i < p->nr_objects; i += n) {
		for (n = 1; i + n < p->nr_objects &&
			    p->object[i + n].path == p->object[i].path; n++)
			;
		ok = keep(p, &p->object[i], n);
	}
	if (ok && p->count)
		qsort(p->path, p->count, sizeof(*p->path), by_score);
	if (ok && p->nr_freed)
		qsort(p->freed, p->nr_freed, sizeof(*p->freed), by_count);
	return ok;
}

void paths_free(struct paths *p)
{
	free(p->path);
	free(p->freed);
	free(p->object);
	pairs_exit(&p->index);
	pairs_exit(&p->places);
	map_exit(&p->live);
}
