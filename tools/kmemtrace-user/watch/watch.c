// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/caches.h"
#include "account/tags.h"
#include "base/array.h"
#include "base/die.h"
#include "base/slots.h"
#include "control/control.h"
#include "watch/watch.h"

unsigned int history_advance(struct history_clock *c, uint64_t ns)
{
	uint64_t slot = (ns - c->start_ns) / HISTORY_SLOT_NS, began;

	began = slot > c->slot ? slot - c->slot : 0;
	c->slot += began;
	return began < HISTORY_SLOTS ? began : HISTORY_SLOTS;
}

void history_put(struct history *h, const struct history_clock *c,
		 unsigned int began, int64_t before, int64_t value)
{
	while (began-- > 1)
		h->value[(c->slot - began) % HISTORY_SLOTS] = before;
	h->value[c->slot % HISTORY_SLOTS] = value;
}

void history_add(int64_t *to, const struct history *h,
		 const struct history_clock *c)
{
	size_t known = history_known(c), i;

	for (i = 0; i < known; i++)
		to[i] = (uint64_t)to[i] +
			(uint64_t)h->value[(c->slot + 1 - known + i) %
					   HISTORY_SLOTS];
}

/* 1 << SLOTS_BITS slots of the hash at first */
#define SLOTS_BITS 10

/* resolution of ages in the module: 16 jiffies of 10 ms, the longest */
#define AGE_STEP_MS 160

const char *const watch_by_names[WATCH_BYS] = { "site", "function", "module",
						"cache", "kind" };

void watch_init(struct watch *w, enum watch_by by)
{
	*w = (struct watch){ .by = by, .kind = -1 };
	slots_init(&w->slots, SLOTS_BITS);
}

static void free_tags(struct watch *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		site_row_free(&w->tag[i].now);
		free(w->tag[i].name);
	}
	free(w->tag);
	free(w->order);
	free(w->row);
	w->tag = NULL;
	w->order = NULL;
	w->row = NULL;
	w->count = w->rows = 0;
}

void watch_exit(struct watch *w)
{
	free_tags(w);
	slots_exit(&w->slots);
	tags_free(&w->stats);
}

/* --- identity of tags --------------------------------------------------------------- */

static uint64_t hash_of(const struct site_row *t)
{
	uint64_t hash = t->id ? t->id : hash_text(0, t->location);

	return hash * SITE_KINDS + t->kind;
}

/*
 * An id is used again after its module was unloaded: then address or location differ, or
 * the counters are lower. codetags load changes the location, unloading both.
 */
static bool is_same(const struct watch_tag *known, const struct site_row *t)
{
	const struct site_row *old = &known->now;
	bool located = !strcmp(old->location, t->location);

	if (old->kind != t->kind || old->id != t->id)
		return false;
	if (!t->id)
		return located && old->address == t->address;
	if (t->f.allocs < known->last.allocs || t->f.frees < known->last.frees)
		return false;
	if (t->address)
		return old->address == t->address;
	return located || strstr(t->location, TAGS_UNLOADED);
}

static uint64_t hash_of_number(const void *arg, uint32_t number)
{
	const struct watch *w = arg;

	return hash_of(&w->tag[number].now);
}

static void rehash(struct watch *w, unsigned int bits)
{
	slots_rebuild(&w->slots, bits, 0, w->count, hash_of_number, w);
}

/* Return: the tag, a new one if it is not known. */
static struct watch_tag *find_or_add(struct watch *w, struct site_row *t)
{
	uint32_t at, i;

	if (slots_find(&w->slots, hash_of(t), at, i, is_same(&w->tag[i], t)))
		return &w->tag[i];
	array_reserve(w->tag, w->count);
	i = w->count++;
	memset(&w->tag[i], 0, sizeof(w->tag[i]));
	w->tag[i].now = *t;
	w->tag[i].now.f = (struct figures){ .oldest_ms = -1 };
	t->location = t->name.text = NULL;
	slots_set(&w->slots, at, i);
	if (w->count * 2 > 1u << w->slots.bits)
		rehash(w, w->slots.bits + 1);
	return &w->tag[i];
}

/* --- rows --------------------------------------------------------------------------- */

static char *name_of_site(enum watch_by by, const struct site_row *t)
{
	const struct sitename *site = &t->name;
	const char *left = *site->module ? " [" : "", *right = *site->module ? "]" : "";
	const char *blank = *site->tail ? " " : "";

	if (by == WATCH_FUNCTION)
		return xasprintf("%s%s%s%s", site->function, left, site->module, right);
	if (site->file)
		return xasprintf("%s %s:%" PRIu64 "%s%s%s%s%s", site->function, site->file,
				 site->line, left, site->module, right, blank, site->tail);
	if (site->has_offset)
		return xasprintf("%s+0x%" PRIx64 "%s%s%s%s%s", site->function, site->offset,
				 left, site->module, right, blank, site->tail);
	return xstrdup(t->location);
}

static char *name_of(enum watch_by by, const struct site_row *t)
{
	if (by == WATCH_KIND)
		return xstrdup(site_kind_names[t->kind]);
	if (by == WATCH_CACHE)
		return xstrdup(t->location);
	if (by == WATCH_MODULE)
		return xstrdup(*t->name.module ? t->name.module : "kernel");
	return name_of_site(by, t);
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct watch *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(w->tag[x].name, w->tag[y].name);

	return order ? order : x < y ? -1 : x > y;
}

static void name_tags(struct watch *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		struct watch_tag *t = &w->tag[i];

		if (!t->name)
			t->name = name_of(w->by, &t->now);
	}
}

static bool is_shown(const struct watch *w, const struct watch_tag *t)
{
	return w->kind < 0 || w->by == WATCH_CACHE || (int)t->now.kind == w->kind;
}

/* Sort the tags that are shown by name; those of the same name are a row. */
static void watch_make_rows(struct watch *w)
{
	size_t n = 0, i;

	free(w->row);
	free(w->order);
	w->row = xcalloc(w->count + 1, sizeof(*w->row));
	w->order = xcalloc(w->count + 1, sizeof(*w->order));
	w->rows = 0;
	name_tags(w);
	for (i = 0; i < w->count; i++)
		if (is_shown(w, &w->tag[i]))
			w->order[n++] = i;
	qsort_r(w->order, n, sizeof(*w->order), by_name, w);
	for (i = 0; i < n; i++) {
		const char *name = w->tag[w->order[i]].name;

		if (!i || strcmp(name, w->row[w->rows - 1].name))
			w->row[w->rows++] = (struct watch_row){ .name = name, .first = i };
		w->row[w->rows - 1].tags++;
	}
}

static void add_to_row(struct watch_row *row, const struct watch_tag *t,
		       const struct figures *base)
{
	figures_add(&row->now, &t->now.f, 1);
	figures_add(&row->step, &t->now.f, 1);
	figures_add(&row->step, &t->last, -1);
	figures_add(&row->change, &t->now.f, 1);
	figures_add(&row->change, base, -1);
}

static void sum_rows(struct watch *w)
{
	size_t i, k;

	for (i = 0; i < w->rows; i++) {
		struct watch_row *row = &w->row[i];

		*row = (struct watch_row){
			.name = row->name,
			.first = row->first,
			.tags = row->tags,
			.now.oldest_ms = -1,
		};
		for (k = 0; k < row->tags; k++) {
			const struct watch_tag *t = watch_tag(w, i, k);

			add_to_row(row, t, w->mark_ns ? &t->mark : &t->start);
		}
	}
}

void watch_group(struct watch *w, enum watch_by by, int kind)
{
	size_t i;

	for (i = 0; i < w->count && by != w->by; i++) {
		free(w->tag[i].name);
		w->tag[i].name = NULL;
	}
	w->by = by;
	w->kind = kind;
	watch_make_rows(w);
	sum_rows(w);
}

/* --- refresh ------------------------------------------------------------------------ */

/* Rows without a tag are those of modules that are gone; they stay for some time. */
static void drop_gone(struct watch *w, bool *dropped)
{
	size_t i, kept = 0;

	for (i = 0; i < w->count; i++) {
		struct watch_tag *t = &w->tag[i];

		if (w->clock.slot - t->seen_slot <= HISTORY_SLOTS ||
		    t->seen == w->refresh - 1) {
			if (kept != i)
				w->tag[kept] = *t;
			kept++;
			continue;
		}
		site_row_free(&t->now);
		free(t->name);
	}
	*dropped = kept != w->count;
	if (!*dropped)
		return;
	w->count = kept;
	rehash(w, w->slots.bits);
}

static void begin_refresh(struct watch *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		struct watch_tag *t = &w->tag[i];

		t->last = t->now.f;
		t->now.f = (struct figures){ .peak = t->last.peak, .oldest_ms = -1 };
	}
}

/* @renamed: set if rows must be made anew */
static void watch_take(struct watch *w, struct site_row *from, bool *renamed)
{
	size_t known = w->count;
	struct watch_tag *t = find_or_add(w, from);

	*renamed |= w->count != known;
	if (from->location && strcmp(t->now.location, from->location)) {
		site_row_rename(&t->now, from->location);
		from->location = NULL;
		free(t->name);
		t->name = NULL;
		*renamed = true;
	}
	figures_add(&t->now.f, &from->f, 1);
	t->now.address = from->address;
	t->seen = w->refresh;
	t->seen_slot = w->clock.slot;
}

static void take_all(struct watch *w, struct tags *tags, bool *renamed)
{
	size_t i;

	for (i = 0; i < tags->rows.count; i++) {
		struct site_row *t = &tags->rows.row[i];

		if (t->f.allocs || t->f.frees || t->f.objects || t->f.bytes)
			watch_take(w, t, renamed);
	}
}

/* a century, in ms; larger ages are not those of a machine */
#define AGE_MAX 3155760000000ll

static void take_age(struct watch *w, struct watch_tag *t)
{
	t->born_ns = WATCH_UNBORN;
	if (t->now.f.oldest_ms < 0)
		return;
	if (t->now.f.oldest_ms > AGE_MAX)
		t->now.f.oldest_ms = AGE_MAX;
	t->born_ns = w->ns - (uint64_t)t->now.f.oldest_ms * 1000000;
	w->has_ages[t->now.kind] = true;
}

static void limit_age(const struct watch *w, struct watch_tag *t)
{
	if (t->now.f.objects <= 0)
		t->born_ns = WATCH_UNBORN;
	else if (t->last.objects <= 0)
		t->born_ns = w->has_ages[t->now.kind] ? (int64_t)(w->ns - w->step_ns) :
							WATCH_UNBORN;
	if (t->born_ns != WATCH_UNBORN)
		t->now.f.oldest_ms = (int64_t)(w->ns - (uint64_t)t->born_ns + 999999) / 1000000;
}

static void end_refresh(struct watch *w, bool no_ages, unsigned int began)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		struct watch_tag *t = &w->tag[i];

		if (t->seen != w->refresh) {
			/* it holds nothing any more, but its counts stay */
			t->now.f.allocs = t->last.allocs;
			t->now.f.frees = t->last.frees;
		}
		if (no_ages)
			limit_age(w, t);
		else
			take_age(w, t);
		if (w->refresh == 1)
			t->start = t->last = t->now.f;
		history_put(&t->history, &w->clock, began, t->last.bytes,
			    t->now.f.bytes);
	}
}

static bool is_restarted(const struct watch *w, const struct tags *tags,
			 uint64_t ns)
{
	return w->refresh && (ns < w->ns || tags_incomparable(tags, &w->stats));
}

static void restart(struct watch *w)
{
	free_tags(w);
	w->refresh = 0;
	w->mark_ns = 0;
	w->ages_cost_ns = 0;
	memset(w->has_ages, 0, sizeof(w->has_ages));
	w->restarts++;
	rehash(w, SLOTS_BITS);
}

void watch_refresh(struct watch *w, struct tags *tags, uint64_t ns)
{
	bool renamed = false, dropped = false;
	unsigned int began;

	if (is_restarted(w, tags, ns))
		restart(w);
	if (w->refresh && ns == w->ns)
		return;
	if (!w->refresh) {
		w->start_ns = w->ns = ns;
		w->clock = (struct history_clock){ .start_ns = ns };
	}
	w->refresh++;
	w->step_ns = ns - w->ns;
	w->ns = ns;
	began = history_advance(&w->clock, ns);
	drop_gone(w, &dropped);
	begin_refresh(w);
	take_all(w, tags, &renamed);
	end_refresh(w, tags->no_ages, began);
	free(w->stats.stats);
	w->stats.stats = tags->stats;
	tags->stats = NULL;
	if (renamed || dropped || !w->row)
		watch_make_rows(w);
	sum_rows(w);
}

/* --- marks -------------------------------------------------------------------------- */

void watch_mark(struct watch *w)
{
	size_t i;

	if (!w->refresh)
		return;
	for (i = 0; i < w->count; i++)
		w->tag[i].mark = w->tag[i].now.f;
	w->mark_ns = w->ns;
	sum_rows(w);
}

void watch_unmark(struct watch *w)
{
	w->mark_ns = 0;
	sum_rows(w);
}

static struct figures mark_bound(const struct watch *w, const struct watch_tag *t)
{
	uint64_t ms = (w->ns - w->mark_ns) / 1000000;
	int64_t oldest = t->now.f.oldest_ms, live = t->now.f.bytes;
	struct figures b = { .low = live - t->mark.bytes };

	if (live <= 0 || t->now.f.allocs == t->mark.allocs)
		return (struct figures){ 0 };
	b.high = live;
	if (b.low < 0)
		b.low = 0;
	if (oldest >= 0 && (uint64_t)oldest + AGE_STEP_MS < ms)
		b.low = live;
	return b;
}

struct figures watch_since_mark(const struct watch *w, uint32_t row)
{
	struct figures sum = { 0 }, b;
	size_t i;

	for (i = 0; i < w->row[row].tags; i++) {
		b = mark_bound(w, watch_tag(w, row, i));
		figures_add(&sum, &b, 1);
	}
	return sum;
}

/* --- queries ------------------------------------------------------------------------ */

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct watch_row *)row)->name);
}

uint32_t watch_find(const struct watch *w, const char *name)
{
	const struct watch_row *row = w->rows ? bsearch(name, w->row, w->rows, sizeof(*w->row),
							compare_name) : NULL;

	return row ? row - w->row : WATCH_NONE;
}

void watch_history(const struct watch *w, uint32_t row,
		   int64_t value[HISTORY_SLOTS])
{
	size_t i;

	memset(value, 0, HISTORY_SLOTS * sizeof(*value));
	for (i = 0; i < w->row[row].tags; i++)
		history_add(value, &watch_tag(w, row, i)->history, &w->clock);
}

/* of the time that may pass, ages may take one part in so many */
#define AGES_SHARE 400

static uint64_t ns_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static int read_tags(struct watch *w, struct tags *tags, char *why, size_t size)
{
	uint64_t since = ns_of(CLOCK_MONOTONIC) - w->ages_ns;
	uint64_t began = ns_of(CLOCK_THREAD_CPUTIME_ID), cost;
	bool quick = w->refresh && since < w->ages_cost_ns * AGES_SHARE;
	int err = tags_read_module(tags, quick, why, size);

	cost = ns_of(CLOCK_THREAD_CPUTIME_ID) - began;
	if (quick) {
		w->quick_cost_ns = cost;
		return err;
	}
	w->ages_cost_ns = cost > w->quick_cost_ns ? cost - w->quick_cost_ns : 0;
	w->ages_ns = ns_of(CLOCK_MONOTONIC);
	return err;
}

/*
 * Replace the message of a failed read, if the module was there before. While it is being
 * unloaded, its directory still exists, but its files cannot be read any more.
 */
static void source_explain(const struct watch *w, int err, char *why, size_t size)
{
	const struct timespec wait = { .tv_nsec = 100000000 };
	int tries;

	if (!w->refresh || err == -EINVAL)
		return;
	for (tries = 20; tries && !control_is_gone(); tries--)
		nanosleep(&wait, NULL);
	if (tries)
		snprintf(why, size, "the module was unloaded, or its files are gone: load it and start top again");
}

int source_refresh(struct watch *w, char *why, size_t size)
{
	struct tags tags;
	int err;

	err = w->by == WATCH_CACHE ? caches_read_module(&tags, why, size) :
				     read_tags(w, &tags, why, size);
	if (err)
		source_explain(w, err, why, size);
	else
		watch_refresh(w, &tags, tags.clock_ns ? tags.clock_ns :
							ns_of(CLOCK_MONOTONIC));
	tags_free(&tags);
	return err;
}
