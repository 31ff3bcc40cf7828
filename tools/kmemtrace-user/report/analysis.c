// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/die.h"
#include "report/analysis.h"

const char *const analysis_types[ANALYSIS_TYPES] = { "kmalloc", "cache",
						     "pages", "percpu" };

static void keep_sizes(void *arg)
{
	struct analysis *a = arg;
	int i;

	for (i = 0; i < SITE_KINDS; i++)
		live_keep_sizes(&a->live[i]);
}

void analysis_init(struct analysis *a, enum analysis_by by, uint64_t page_size)
{
	int i;

	*a = (struct analysis){ .by = by,
				.page_size = page_size,
				.memory = UINT64_MAX,
				.gaps_are_losses = true };
	group_init(&a->groups);
	sizes_init(&a->sizes, keep_sizes, a);
	for (i = 0; i < SITE_KINDS; i++)
		live_init(&a->live[i], &a->sizes, i == SITE_PAGE ? page_size : 0);
}

void analysis_exit(struct analysis *a)
{
	int i;

	for (i = 0; i < SITE_KINDS; i++)
		live_exit(&a->live[i]);
	sizes_exit(&a->sizes);
	group_exit(&a->groups);
}

enum site_kind analysis_kind_of(uint8_t type)
{
	switch (type) {
	case KMEMTRACE_TYPE_PAGES:
		return SITE_PAGE;
	case KMEMTRACE_TYPE_PERCPU:
		return SITE_PERCPU;
	}
	return SITE_SLAB;
}

static unsigned int page_order(const struct analysis *a, uint64_t bytes)
{
	unsigned int order = 0;

	while (order < LIVE_ORDER_MAX && a->page_size << order < bytes)
		order++;
	return order;
}

uint64_t analysis_key(const struct analysis *a, enum analysis_by by,
		      const struct kmt_event *ev, uint32_t cpu)
{
	switch (by) {
	case BY_SITE:
		return ev->call_site;
	case BY_CACHE:
		/* a record of kmalloc has the size of the bucket instead of a cache */
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
	case BY_STACK:
		return ev->features & KMT_FEATURE_STACK ? ev->stack : 0;
	default:
		return a->given;
	}
}

/* Counts the bytes as freed. Counts a free if @size is a whole allocation. */
static inline void take_off(struct group *g, const struct size *size)
{
	g->freed += size->alloc;
	g->freed_req += size->req;
	g->frees += size_is_whole(size);
}

/* --- watches ------------------------------------------------------------------ */

void analysis_watch(struct analysis *a, struct analysis_watch *watch)
{
	watch->next = a->watch;
	a->watch = watch;
}

static void tell_alloc(struct analysis *a, uint64_t ptr, const struct live *l,
		       const struct kmt_event *ev)
{
	const struct analysis_change c = {
		.class = analysis_kind_of(ev->type_id),
		.group = l->group,
		.ptr = ptr,
		.bytes = ev->bytes_alloc,
		.requested = ev->bytes_req,
		.whole = true,
		.time = a->time_last,
		.from = l->cpu,
		.cpu = l->cpu,
	};
	const struct analysis_watch *w;

	for (w = a->watch; w; w = w->next)
		if (w->alloc)
			w->alloc(w->arg, &c);
}

/* @cpu: CPU of the free; UINT32_MAX if the free has no record */
static void tell_free(struct analysis *a, uint64_t ptr, const struct live *l,
		      uint32_t cpu)
{
	const struct size *size = &a->sizes.sizes[l->size];
	const struct analysis_change c = {
		.class = analysis_kind_of(a->groups.groups[l->group].type),
		.group = l->group,
		.ptr = ptr,
		.bytes = size->alloc,
		.requested = size->req,
		.whole = size_is_whole(size),
		.implicit = cpu == UINT32_MAX,
		.time = a->time_last,
		.from = l->cpu,
		.cpu = cpu,
	};
	const struct analysis_watch *w;

	for (w = a->watch; w; w = w->next)
		if (w->free)
			w->free(w->arg, &c);
}

static void tell_record(struct analysis *a, const struct merged *m)
{
	const struct analysis_watch *w;

	for (w = a->watch; w; w = w->next)
		if (w->record)
			w->record(w->arg, m);
}

/* --- allocations and frees ---------------------------------------------------- */

/* The address is allocated again while live, so the recording lacks its free. */
static void free_unseen(struct analysis *a, const struct map_slot *slot)
{
	struct live l = live_unpack(slot);
	const struct size *size = &a->sizes.sizes[l.size];
	struct group *g = &a->groups.groups[l.group];
	struct analysis_class_sums *sums = &a->sums[analysis_kind_of(g->type)];

	sums->implicit++;
	sums->implicit_bytes += size->alloc;
	g->implicit++;
	take_off(g, size);
	if (a->watch)
		tell_free(a, slot->key, &l, UINT32_MAX);
}

/* The page allocator may have split or merged the old blocks. */
static void free_pages_unseen(struct analysis *a, uint64_t ptr,
			      unsigned int order)
{
	struct live_table *t = &a->live[SITE_PAGE];
	uint64_t end = ptr + (a->page_size << order);
	struct map_slot *slot = live_find_block(t, ptr);

	if (slot && size_order(live_size(t, slot)) > order)
		live_split_block(t, slot, ptr, order);
	while ((slot = live_next_block(t, &ptr, end))) {
		free_unseen(a, slot);
		live_remove_block(t, slot);
	}
}

/* An allocation usually has the same size as the previous one of its group. */
static inline uint32_t size_index(struct analysis *a, struct group *g,
				  const struct kmt_event *ev, unsigned int order)
{
	const struct size size = { ev->bytes_req, ev->bytes_alloc, order };
	uint32_t number = g->size;

	if (sizes_is(&a->sizes, number, &size))
		return number;
	if (size.alloc > g->largest)
		g->largest = size.alloc;
	g->size = sizes_get(&a->sizes, &size);
	return g->size;
}

static inline void analysis_add_live(struct analysis *a, struct live_table *t,
				     uint64_t ptr, const struct live *l)
{
	struct map_slot *slot;

	if (t->page_size) {
		live_add_block(t, ptr, l);
		return;
	}
	slot = map_slot(&t->map, ptr);
	if (slot->key)
		free_unseen(a, slot);
	*slot = (struct map_slot){ ptr, live_pack(l) };
}

static inline void analysis_add_alloc(struct analysis *a, const struct kmt_event *ev,
				      uint32_t cpu, uint32_t index)
{
	enum site_kind class = analysis_kind_of(ev->type_id);
	struct live l = { .group = index, .cpu = cpu, .fresh = true };
	unsigned int order = 0;
	struct group *g;

	/* they take more than 32 GiB */
	if (index >> LIVE_GROUP_BITS)
		die();
	g = &a->groups.groups[index];
	if (!ev->ptr) {
		g->failed++;
		return;
	}
	if (class == SITE_PAGE) {
		order = page_order(a, ev->bytes_alloc);
		if (live_is_covered(&a->live[class], ev->ptr, order))
			free_pages_unseen(a, ev->ptr, order);
	}
	if (ev->bytes_alloc > a->sums[class].largest)
		a->sums[class].largest = ev->bytes_alloc;
	if (!g->allocs++)
		g->largest = ev->bytes_alloc;
	g->req += ev->bytes_req;
	g->alloc += ev->bytes_alloc;
	/* the number may be reused until the entry is in the table */
	l.size = size_index(a, g, ev, order);
	analysis_add_live(a, &a->live[class], ev->ptr, &l);
	if (a->watch)
		tell_alloc(a, ev->ptr, &l, ev);
}

static inline void free_entry(struct analysis *a, struct live_table *t,
			      struct map_slot *slot,
			      const struct kmt_event *ev, uint32_t cpu)
{
	struct live l = live_unpack(slot);
	struct group *g = &a->groups.groups[l.group];

	a->cross_frees += g->type != ev->type_id;
	g->remote_frees += l.cpu != (cpu & ((1u << LIVE_CPU_BITS) - 1));
	take_off(g, &a->sizes.sizes[l.size]);
	if (a->watch)
		tell_free(a, slot->key, &l, cpu);
	if (t->page_size)
		live_remove_block(t, slot);
	else
		map_remove(&t->map, slot);
}

/* Frees a part of a block, several blocks, or pages without a recorded allocation. */
static void free_other_pages(struct analysis *a, const struct kmt_event *ev,
			     uint32_t cpu, unsigned int order)
{
	struct live_table *t = &a->live[SITE_PAGE];
	uint64_t at = ev->ptr, end = at + (a->page_size << order);
	struct map_slot *slot = live_find_block(t, at);
	bool found = false;

	if (slot && ev->features & KMT_FEATURE_PAGE &&
	    size_order(live_size(t, slot)) > order) {
		free_entry(a, t, live_split_block(t, slot, at, order), ev, cpu);
		return;
	}
	while ((slot = live_next_block(t, &at, end))) {
		free_entry(a, t, slot, ev, cpu);
		found = true;
	}
	if (!found)
		a->sums[SITE_PAGE].unmatched++;
}

/* A record without the page feature has no order. It frees the whole block. */
static void add_page_free(struct analysis *a, const struct kmt_event *ev,
			  uint32_t cpu)
{
	struct live_table *t = &a->live[SITE_PAGE];
	struct map_slot *slot = map_find(&t->map, ev->ptr);
	bool has_order = ev->features & KMT_FEATURE_PAGE;
	unsigned int order = 0;

	if (has_order && ev->order <= WINDOW_ORDER_MAX)
		order = ev->order;
	if (!slot ||
	    (has_order && size_order(live_size(t, slot)) != order))
		free_other_pages(a, ev, cpu, order);
	else
		free_entry(a, t, slot, ev, cpu);
}

static inline void add_free(struct analysis *a, const struct kmt_event *ev,
			    uint32_t cpu)
{
	enum site_kind class = analysis_kind_of(ev->type_id);
	struct live_table *t = &a->live[class];
	struct map_slot *slot;

	a->frees[ev->type_id]++;
	if (!ev->ptr)
		return;
	if (class == SITE_PAGE) {
		add_page_free(a, ev, cpu);
		return;
	}
	slot = map_find(&t->map, ev->ptr);
	if (slot)
		free_entry(a, t, slot, ev, cpu);
	else
		a->sums[class].unmatched++;
}

static inline void note_time(struct analysis *a, const struct kmt_event *ev)
{
	if (!(ev->features & KMT_FEATURE_TIME))
		return;
	if (!a->has_time || ev->time < a->time_first)
		a->time_first = ev->time;
	if (ev->time > a->time_last)
		a->time_last = ev->time;
	a->has_time = true;
}

/* Return: the group of an allocation, created if needed; 0 for a free. */
static uint32_t find_group(struct analysis *a, const struct kmt_event *ev,
			   uint32_t cpu)
{
	uint16_t place = 0;

	if (ev->event_id != KMEMTRACE_EVENT_ALLOC)
		return 0;
	if (a->by == BY_STACK)
		return group_get_small(&a->groups,
				       analysis_key(a, BY_STACK, ev, cpu),
				       ev->type_id);
	if (a->names)
		place = names_place(a->names, ev->call_site, kmt_event_number(ev));
	return group_get(&a->groups, analysis_key(a, a->by, ev, cpu),
			 ev->type_id, place);
}

static inline void analysis_count(struct analysis *a, const struct kmt_event *ev,
				  uint32_t cpu, uint32_t group)
{
	note_time(a, ev);
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
		analysis_add_alloc(a, ev, cpu, group);
	else
		add_free(a, ev, cpu);
}

/* --- lost events ---------------------------------------------------------- */

/*
 * Visiting all live entries takes time, and a recording may have very many losses. So
 * the entries are marked as not fresh only if at least half as many records have been
 * added since the last time as there are entries. This delay also marks entries that were
 * allocated after the loss. The bounds are then wider than necessary.
 */
static void age(struct analysis *a)
{
	uint64_t live = 0;
	int i;

	for (i = 0; i < SITE_KINDS; i++)
		live += a->live[i].map.used;
	if (2 * a->since_aged < live)
		return;
	for (i = 0; i < SITE_KINDS; i++)
		live_age(&a->live[i]);
	a->since_aged = 0;
	a->aging = false;
}

void analysis_lose(struct analysis *a, uint64_t events)
{
	const struct analysis_watch *w;

	a->lost += events;
	for (w = a->watch; w; w = w->next)
		if (w->lose)
			w->lose(w->arg);
	a->aging = true;
	age(a);
}

void analysis_lose_frees(struct analysis *a)
{
	a->frees_unseen = true;
	analysis_lose(a, 0);
}

void analysis_add_gap(struct analysis *a, uint64_t missing)
{
	if (a->gaps_are_losses)
		analysis_lose(a, missing);
	else
		analysis_lose_frees(a);
}

/* Return: whether the number of @ev has reached a->from, for the first time. */
static inline bool has_begun(const struct analysis *a, const struct kmt_event *ev)
{
	return a->begins && kmt_event_number(ev) >= a->from;
}

static void analysis_begin(struct analysis *a)
{
	a->begins = false;
	analysis_lose_frees(a);
}

/* --- records -------------------------------------------------------------- */

void analysis_add(struct analysis *a, const struct kmt_event *ev, uint32_t cpu)
{
	a->since_aged++;
	if (has_begun(a, ev))
		analysis_begin(a);
	if (a->aging)
		age(a);
	analysis_count(a, ev, cpu, find_group(a, ev, cpu));
}

void analysis_add_free(struct analysis *a, const struct kmt_event *ev,
		       uint32_t cpu)
{
	struct analysis_class_sums *sums =
		&a->sums[analysis_kind_of(ev->type_id)];
	uint64_t unmatched = sums->unmatched;

	if (!ev->ptr)
		return;
	analysis_add(a, ev, cpu);
	a->frees[ev->type_id] -= sums->unmatched - unmatched;
	sums->unmatched = unmatched;
}

/*
 * Successive records use unrelated addresses. So the memory of AHEAD records is
 * prefetched before it is needed.
 */
#define AHEAD 32

/* Numbers the groups from @from on, which the record with this number created. */
static void number_groups(struct analysis *a, size_t from, uint64_t number)
{
	for (; from < a->groups.count; from++)
		a->groups.groups[from].first = number;
}

/* Prepares for a record. Return: the group of an allocation. */
static uint32_t look_ahead(struct analysis *a, const struct merged *m,
			   uint64_t number)
{
	enum site_kind class = analysis_kind_of(m->ev.type_id);
	size_t count = a->groups.count;
	uint32_t group;

	map_prefetch(&a->live[class].map, m->ev.ptr);
	group = find_group(a, &m->ev, m->cpu);
	number_groups(a, count, number);
	group_prefetch(&a->groups, group);
	return group;
}

/* Return: the index of the next record of the part from @i on; w->count if there is none. */
static size_t next_mine(const struct analysis *a, const struct window *w, size_t i)
{
	uint64_t others = a->part == PART_FIRST ? UINT64_MAX : 0;

	if (a->part == PART_ALL)
		return i;
	while (i < w->count) {
		uint64_t mine = (w->second[i / 64] ^ others) >> i % 64;

		if (mine)
			return i + __builtin_ctzll(mine);
		i = (i / 64 + 1) * 64;
	}
	return i;
}

/* The losses before a record are noted even if the record belongs to the other part. */
static void note_gaps(struct analysis *a, const struct window *w, size_t from,
		      size_t to)
{
	for (; from < to; from++)
		if (w->events[from].lost)
			analysis_add_gap(a, w->events[from].lost);
}

void analysis_add_window(struct analysis *a, const struct window *w)
{
	bool gaps = a->part == PART_ALL || w->gaps;
	size_t i = 0, seen = 0, k, n;
	uint32_t groups[AHEAD];
	uint16_t at[AHEAD];

	while (i < w->count) {
		for (n = 0; n < AHEAD; n++) {
			i = next_mine(a, w, i);
			if (i >= w->count)
				break;
			groups[n] = look_ahead(a, &w->events[i], w->before + i);
			at[n] = i++;
		}
		for (k = 0; k < n; k++) {
			const struct merged *m = &w->events[at[k]];

			if (gaps)
				note_gaps(a, w, seen, at[k] + 1);
			seen = at[k] + 1;
			analysis_count(a, &m->ev, m->cpu, groups[k]);
			tell_record(a, m);
		}
		if (n && has_begun(a, &w->events[at[n - 1]].ev))
			analysis_begin(a);
	}
	if (gaps)
		note_gaps(a, w, seen, w->count);
	a->since_aged += w->count;
	if (a->aging)
		age(a);
}

/* --- two parts ------------------------------------------------------------ */

void analysis_split(struct analysis *a, struct analysis *second)
{
	analysis_init(second, a->by, a->page_size);
	second->memory = a->memory;
	second->gaps_are_losses = a->gaps_are_losses;
	second->from = a->from;
	second->begins = a->begins;
	second->names = a->names;
	second->part = PART_SECOND;
	a->part = PART_FIRST;
}
