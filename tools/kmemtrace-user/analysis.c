// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "analysis.h"

bool analysis_init(struct analysis *a, enum analysis_by by, uint64_t page_size)
{
	bool ok;
	int i;

	*a = (struct analysis){ .by = by, .page_size = page_size };
	ok = group_init(&a->groups);
	for (i = 0; i < CLASSES; i++)
		ok = live_init(&a->live[i]) && ok;
	return ok;
}

void analysis_exit(struct analysis *a)
{
	int i;

	for (i = 0; i < CLASSES; i++)
		live_exit(&a->live[i]);
	group_exit(&a->groups);
}

enum analysis_class analysis_class_of(uint8_t type)
{
	switch (type) {
	case KMEMTRACE_TYPE_PAGES:
		return CLASS_PAGES;
	case KMEMTRACE_TYPE_PERCPU:
		return CLASS_PERCPU;
	}
	return CLASS_SLAB;
}

static unsigned int page_order(const struct analysis *a, uint64_t bytes)
{
	unsigned int order = 0;

	while (order < LIVE_ORDER_MAX && a->page_size << order < bytes)
		order++;
	return order;
}

static uint64_t key_of(const struct analysis *a, const struct kmt_event *ev,
		       uint32_t cpu)
{
	switch (a->by) {
	case BY_SITE:
		return ev->call_site;
	case BY_CACHE:
		/* kmalloc has no cache in its records, but a bucket's size */
		return ev->type_id == KMEMTRACE_TYPE_CACHE ? ev->cache :
							     ev->bytes_alloc;
	case BY_KIND:
		return 0;
	case BY_GFP:
		return ev->gfp_flags;
	case BY_ORDER:
		return page_order(a, ev->bytes_alloc);
	case BY_NODE:
		return (uint32_t)ev->node;
	case BY_CPU:
		return cpu;
	case BY_SIZE:
		return ev->bytes_req;
	case BY_PROCESS:
		return a->process;
	}
	return 0;
}

/* Take bytes off what is live; the allocation itself too if whole. */
static void take_off(struct analysis *a, const struct live *l)
{
	struct analysis_class_sums *sums = &a->sums[analysis_class_of(l->type)];
	struct group *g = &a->groups.groups[l->group];

	sums->live -= l->alloc;
	sums->objects -= l->whole;
	g->live -= l->alloc;
	g->live_req -= l->req;
	g->objects -= l->whole;
	g->frees += l->whole;
}

/* The address was live: it must have been freed in between, unseen. */
static void free_unseen(struct analysis *a, struct live_table *t,
			struct live *l)
{
	struct analysis_class_sums *sums = &a->sums[analysis_class_of(l->type)];

	sums->implicit++;
	sums->implicit_bytes += l->alloc;
	a->groups.groups[l->group].implicit++;
	take_off(a, l);
	live_remove(t, l);
}

/* Blocks of pages may have been split, or have come together again. */
static bool free_pages_unseen(struct analysis *a, const struct kmt_event *ev)
{
	struct live_table *t = &a->live[CLASS_PAGES];
	unsigned int order = page_order(a, ev->bytes_alloc);
	uint64_t end = ev->ptr + (a->page_size << order), at = ev->ptr;
	struct live *l = live_find_block(t, ev->ptr, a->page_size);

	if (l && l->order > order) {
		l = live_split_block(t, l, ev->ptr, order, a->page_size);
		if (!l)
			return false;
	}
	for (; at < end; at += a->page_size) {
		l = live_find(t, at);
		if (l)
			free_unseen(a, t, l);
	}
	return true;
}

/* No kernel has larger ones; a damaged file may. */
static uint32_t up_to_u32(uint64_t bytes)
{
	return bytes < UINT32_MAX ? bytes : UINT32_MAX;
}

static bool add_alloc(struct analysis *a, const struct kmt_event *ev,
		      uint32_t cpu)
{
	enum analysis_class class = analysis_class_of(ev->type_id);
	struct live_table *t = &a->live[class];
	uint32_t index;
	struct group *g;
	struct live *l;

	index = group_get(&a->groups, key_of(a, ev, cpu), ev->type_id);
	if (index == UINT32_MAX)
		return false;
	g = &a->groups.groups[index];
	if (!ev->ptr) {
		a->failed[ev->type_id]++;
		g->failed++;
		return true;
	}
	if (class == CLASS_PAGES) {
		if (!free_pages_unseen(a, ev))
			return false;
	} else {
		l = live_find(t, ev->ptr);
		if (l)
			free_unseen(a, t, l);
	}
	l = live_add(t, ev->ptr,
		     class == CLASS_PAGES ? page_order(a, ev->bytes_alloc) : 0);
	if (!l)
		return false;
	l->req = up_to_u32(ev->bytes_req);
	l->alloc = up_to_u32(ev->bytes_alloc);
	l->group = index;
	l->cpu = cpu;
	l->type = ev->type_id;
	l->whole = 1;

	a->allocs[ev->type_id]++;
	a->req[ev->type_id] += ev->bytes_req;
	a->alloc[ev->type_id] += ev->bytes_alloc;
	if (l->alloc > a->sums[class].largest)
		a->sums[class].largest = l->alloc;
	a->sums[class].live += l->alloc;
	a->sums[class].objects++;
	g->allocs++;
	g->req += ev->bytes_req;
	g->alloc += ev->bytes_alloc;
	g->live += l->alloc;
	g->live_req += l->req;
	g->objects++;
	return true;
}

static void free_entry(struct analysis *a, struct live_table *t,
		       struct live *l, const struct kmt_event *ev,
		       uint32_t cpu)
{
	if (l->type != ev->type_id)
		a->cross_frees++;
	if (l->cpu != (uint16_t)cpu) {
		a->remote_frees++;
		a->groups.groups[l->group].remote_frees++;
	}
	take_off(a, l);
	live_remove(t, l);
}

/* Without the page feature a free is of the whole block. */
static bool add_page_free(struct analysis *a, const struct kmt_event *ev,
			  uint32_t cpu)
{
	struct live_table *t = &a->live[CLASS_PAGES];
	struct live *l = live_find_block(t, ev->ptr, a->page_size);
	bool has_order = ev->features & KMT_FEATURE_PAGE;
	unsigned int order = has_order && ev->order <= LIVE_ORDER_MAX ?
				     ev->order :
				     0;
	bool found = false;
	uint64_t end, at;

	if (l && (!has_order || l->order == order) && l->ptr == ev->ptr) {
		free_entry(a, t, l, ev, cpu);
		return true;
	}
	if (l && has_order && l->order > order) {
		l = live_split_block(t, l, ev->ptr, order, a->page_size);
		if (!l)
			return false;
		free_entry(a, t, l, ev, cpu);
		return true;
	}
	/* larger than what was allocated there, if anything was */
	end = ev->ptr + (a->page_size << order);
	for (at = ev->ptr; at < end; at += a->page_size) {
		l = live_find(t, at);
		if (!l)
			continue;
		free_entry(a, t, l, ev, cpu);
		found = true;
	}
	if (!found)
		a->sums[CLASS_PAGES].unmatched++;
	return true;
}

static bool add_free(struct analysis *a, const struct kmt_event *ev,
		     uint32_t cpu)
{
	enum analysis_class class = analysis_class_of(ev->type_id);
	struct live *l;

	a->frees[ev->type_id]++;
	if (!ev->ptr)
		return true;
	if (class == CLASS_PAGES)
		return add_page_free(a, ev, cpu);
	l = live_find(&a->live[class], ev->ptr);
	if (l)
		free_entry(a, &a->live[class], l, ev, cpu);
	else
		a->sums[class].unmatched++;
	return true;
}

bool analysis_add(struct analysis *a, const struct kmt_event *ev, uint32_t cpu)
{
	if (ev->features & KMT_FEATURE_TIME) {
		if (!a->has_time || ev->time < a->time_first)
			a->time_first = ev->time;
		if (ev->time > a->time_last)
			a->time_last = ev->time;
		a->has_time = true;
	}
	return ev->event_id == KMEMTRACE_EVENT_ALLOC ? add_alloc(a, ev, cpu) :
						       add_free(a, ev, cpu);
}

void analysis_finish(struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->groups.count; i++) {
		const struct group *g = &a->groups.groups[i];

		if (g->implicit)
			a->sums[analysis_class_of(g->type)].uncertain +=
				g->live;
	}
}
