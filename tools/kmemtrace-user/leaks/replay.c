// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/counts.h"
#include "leaks/agefile.h"
#include "leaks/replay.h"
#include "report/lifetimes.h"
#include "report/losses.h"
#include "report/when.h"
#include "trace/input.h"
#include "trace/names.h"

/* The ages of a recording are exact to the nanosecond. A tick only has to be short. */
#define TICK_NS (1u << 16)

/* a part of a recording is judged alone if it is longer than 1 / CLEAR_PART of it */
#define CLEAR_PART 3

/* the longest time without losses */
struct clear {
	uint64_t from;	/* its start, in ns */
	uint64_t to;	/* its end */
	uint64_t start;	/* start of the time without losses that is being read */
};

/* a recording being read */
struct replayer {
	struct observation *w;	/* gets the samples */
	struct input in;	/* the recording */
	struct analysis a;	/* the analysis, by site */
	struct lifetimes life;	/* the lifetimes */
	struct analysis_watch watch; /* watches @a */
	uint64_t start;		/* time of the first sample, in ns */
	uint64_t interval;	/* distance of samples, in ns */
	uint64_t end;		/* time of the second check, in ns */
	uint64_t from;		/* start of the time that is judged, in ns */
	uint64_t to;		/* end of it */
	bool part;		/* it is not the whole recording */
	struct clear clear;	/* the longest time without losses */
	uint32_t reclaimable;	/* flag of allocations that the kernel can reclaim; 0: not known */
	/* group of the allocation in the present record, plus 1; 0: it has none */
	uint32_t group;
	double *reclaimed;	/* by group, number of allocations that the kernel can reclaim */
	size_t nr_reclaimed;	/* number of elements of @reclaimed */
	bool quiet;		/* print no message if the recording cannot be judged */
	char why[4608];		/* the reason why the recording cannot be judged; "": none */
};

/* --- samples ---------------------------------------------------------------------- */

/* Return: the number of samples, with the second check, that are before @time. */
static size_t samples_before(const struct replayer *p, uint64_t time)
{
	size_t n = p->w->n;
	uint64_t i;

	if (time <= p->start)
		return 0;
	i = (time - p->start + p->interval - 1) / p->interval;
	if (i < n)
		return i;
	return time <= p->end ? n : n + 1;
}

/* Counts in the samples from @from up to, but without, @to; sum_up() completes this. */
static void replay_count(double *bytes, double *objects, size_t from, size_t to, size_t n,
			 uint64_t size)
{
	if (from >= to)
		return;
	bytes[from] += size;
	objects[from]++;
	if (to > n)
		return;
	bytes[to] -= size;
	objects[to]--;
}

static void count_age(const struct replayer *p, struct observed *row, uint64_t bytes,
		      uint64_t birth)
{
	uint64_t last = p->start + (p->w->n - 1) * p->interval;
	uint64_t k;

	agefile_add(row->age, (last - birth) / TICK_NS, bytes);
	for (k = 0; k <= p->w->births; k++)
		row->older[k] += last - birth >= p->interval << k;
}

/* a lifetimes_take */
static void replay_take(void *arg, const struct lifetime *life)
{
	struct replayer *p = arg;
	struct observation *w = p->w;
	struct observed *row = observe_row(w, life->group + 1);
	size_t from = samples_before(p, life->birth), to, l;

	/* what is live at the end is live at the second check; see observation.lost */
	to = life->ended ? samples_before(p, life->death) : w->n + 1;
	replay_count(row->live.bytes, row->live.objects, from, to, w->n, life->bytes);
	for (l = 0; l < w->levels; l++) {
		uint64_t age = TICK_NS * (1ull << (w->bits + l));

		from = samples_before(p, life->birth + age);
		if (from >= to)
			break;
		replay_count(row->level[l].bytes, row->level[l].objects, from, to, w->n,
			     life->bytes);
	}
	from = samples_before(p, life->birth);
	for (l = 0; l <= w->births; l++)
		row->allocs[l] += from + (l ? 1ull << (l - 1) : 0) < w->n;
	if (from < w->n && to >= w->n)
		count_age(p, row, life->bytes, life->birth);
}

/* a callback of struct analysis_watch, after that of the allocation in this record */
static void count_reclaimable(void *arg, const struct merged *m)
{
	struct replayer *p = arg;
	bool is = m->ev.gfp_flags & p->reclaimable ||
		  names_cache_is_reclaimable(p->in.names, m->ev.cache);
	uint32_t group = p->group;

	p->group = 0;
	if (!group || !is)
		return;
	array_reach(p->reclaimed, p->nr_reclaimed, group);
	p->reclaimed[group]++;
}

/* An object of kmalloc() that is made of pages is counted by its pages. */
static void leave_out_large(void *arg, const struct analysis_change *c)
{
	struct replayer *p = arg;
	struct map *births = &p->life.births.map[SITE_SLAB];
	struct map_slot *slot;

	p->group = c->class == SITE_SLAB ? c->group + 1 : 0;
	if (c->class != SITE_SLAB || c->requested <= NAMES_KMALLOC_MAX ||
	    p->a.groups.groups[c->group].type != KMEMTRACE_TYPE_KMALLOC)
		return;
	slot = map_find(births, c->ptr);
	if (slot)
		map_remove(births, slot);
}

static void sum_up(const struct observation *w)
{
	size_t each = w->room, count = 2 * (w->levels + 1), i, k;

	for (i = 0; i < w->count; i++) {
		double *at = w->row[i].values;

		for (k = 0; k < count * each; k++)
			if (k % each)
				at[k] += at[k - 1];
	}
}

/* --- sites ------------------------------------------------------------------------ */

static bool is_slab_page(const char *function, size_t len)
{
	static const char *const functions[] = { "allocate_slab", "alloc_slab_page",
						 "new_slab" };
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strlen(functions[i]) == len && !memcmp(functions[i], function, len))
			return true;
	return false;
}

/*
 * Writes "file:line [module] func:function", or "function+0xoffset ..." without a source
 * line, as the module's file tags. Return: whether it allocates the pages of slabs.
 */
static bool put_location(const struct names *names, const struct group *g, FILE *out)
{
	const char *source;
	char symbol[512];
	size_t function;

	names_symbol(names, g->key, g->place, symbol, sizeof(symbol));
	source = names_source(names, g->key, g->place, symbol);
	function = strcspn(symbol, "+. ");
	if (source)
		fprintf(out, "%s%s", source, symbol + strcspn(symbol, " "));
	else
		fputs(symbol, out);
	if (strchr("0[(", symbol[0])) /* no symbol */
		fputs(" func:?", out);
	else
		fprintf(out, " func:%.*s", (int)function, symbol);
	return g->type == KMEMTRACE_TYPE_PAGES && is_slab_page(symbol, function);
}

/* The share of the live objects is that of the allocations. */
static void set_reclaimable(const struct replayer *p, struct observed *row, size_t group)
{
	double share = group + 1 < p->nr_reclaimed ?
			       p->reclaimed[group + 1] / p->a.groups.groups[group].allocs : 0;

	row->reclaimable[0] = share * row->live.objects[0];
	row->reclaimable[1] = share * row->live.objects[p->w->n - 1];
}

/* The observation has the figures of the sites. */
static void make_sites(struct replayer *p, struct sites *sites)
{
	struct tags tags = { .stats = xstrdup("") };
	size_t i;

	for (i = 0; i < p->a.groups.count; i++) {
		const struct group *g = &p->a.groups.groups[i];
		struct observed *row = observe_row(p->w, i + 1);
		struct memtext text;
		FILE *out = memtext_open(&text);
		bool slab = put_location(p->in.names, g, out);
		char *location = memtext_close(&text, NULL);
		struct site_row *site;

		table_clean(location);
		site = site_rows_add(&tags.rows, analysis_kind_of(g->type), location);
		site->id = i + 1;
		site->address = g->key;
		row->slab = slab;
		set_reclaimable(p, row, i);
	}
	sites_init(sites, &tags);
	observe_merge(p->w, sites);
}

/* A recording that cannot be judged. */
__attribute__((format(printf, 2, 3)))
static int replay_refuse(struct replayer *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->why, sizeof(p->why), format, args);
	va_end(args);
	return EXIT_FAILED;
}

/* --- the recording ---------------------------------------------------------------- */

/* Set the time that is judged. */
static int choose_time(struct replayer *p, const char *path)
{
	if (input_is_stream(&p->in))
		return replay_refuse(p, "%s is not a file: save the recording to a file first",
				     path);
	if (p->part)
		input_limit(&p->in, p->from, p->to);
	else if (!input_span(&p->in, &p->from, &p->to))
		return p->quiet ? replay_refuse(p, "the times of the records are not known: they have none, or the file has no index") :
				  when_no_times(&p->in);
	return EXIT_DONE;
}

static int replay_plan(struct replayer *p, double settle)
{
	struct observation *w = p->w;
	double seconds = (p->to - p->from) / 1e9, least;
	size_t i;

	w->ages.head.tick_ns = TICK_NS;
	least = observe_plan(w, seconds, settle, 0, true);
	if (least < 0)
		return EXIT_FAILED;
	if (least > 0)
		return replay_refuse(p, "the recording has %.3g s: record for at least %.0f s%s",
				     seconds, ceil(least),
				     p->quiet ? "" : ", or use a shorter --settle");
	p->interval = TICK_NS * w->interval;
	p->end = p->to;
	p->start = p->to - TICK_NS * (1ull << w->bits) - (w->n - 1) * p->interval;
	for (i = 0; i < w->n; i++)
		w->time[i] = (int64_t)(p->start + i * p->interval - p->from) / 1e9;
	w->time[w->n] = seconds;
	return EXIT_DONE;
}

static void replay_begin(struct replayer *p)
{
	analysis_init(&p->a, BY_SITE, p->in.page_size);
	map_init(&p->w->index, false);
	p->reclaimable = names_gfp_mask(p->in.names, "__GFP_RECLAIMABLE");
	p->watch = (struct analysis_watch){ .alloc = leave_out_large,
					    .record = count_reclaimable, .arg = p };
	/* the watch that is added last is called first */
	analysis_watch(&p->a, &p->watch);
	if (names_have_places(p->in.names))
		p->a.names = p->in.names;
	lifetimes_init_for(&p->life, &p->a, replay_take, p);
}

static void see_losses(struct clear *c, const struct window *window)
{
	size_t i;

	for (i = 0; i < window->count; i++) {
		uint64_t time = window->events[i].ev.time;

		/* clocks of CPUs may differ a little */
		if (window->events[i].lost || !c->start)
			c->start = time + 1;
		else if (time > c->start && time - c->start > c->to - c->from)
			*c = (struct clear){ c->start, time, c->start };
	}
}

static int read_records(struct replayer *p)
{
	const struct window *window;

	replay_begin(p);
	if (input_begin(&p->in, false))
		return EXIT_FAILED;
	while ((window = input_next(&p->in))) {
		see_losses(&p->clear, window);
		analysis_add_window(&p->a, window);
	}
	if (p->in.err)
		return EXIT_FAILED;
	analysis_end(&p->a, merge_stats(p->in.merge)->missing);
	lifetimes_finish(&p->life);
	sum_up(p->w);
	return EXIT_DONE;
}

static int read_input(struct replayer *p, struct replay *r, double settle)
{
	const char *why = liveness_lost(&p->in);
	uint64_t areas;
	int ret;

	if (why)
		return replay_refuse(p, "%s shows no leaks: what is live in it is not known, because %s",
				     r->file, why);
	if (input_kept(&p->in))
		return replay_refuse(p, "%s shows no leaks: it has only the last events; record without --flight",
				     r->file);
	if (input_partial(&p->in))
		return replay_refuse(p, "%s shows no leaks: it has some CPUs only, and frees on others are missing; record without --cpus",
				     r->file);
	ret = choose_time(p, r->file);
	if (!ret)
		ret = replay_plan(p, settle);
	if (!ret)
		ret = read_records(p);
	if (ret)
		return ret;
	make_sites(p, &r->sites);
	input_value(p->in.meta, "release", r->release, sizeof(r->release));
	r->w.lost = input_lost(&p->in);
	/* counted at the end of the recording */
	r->w.unpurged = !p->part && input_number(p->in.end, "unpurged_areas", &areas) ?
				areas :
				INFINITY;
	if (!p->part) {
		held_take(&r->w.helds, p->in.end, COUNTS_START, 0, 2);
		held_take(&r->w.helds, p->in.end, COUNTS_NOW, 1, 2);
		r->w.helds.ends = true;
	}
	r->buffer = losses_buffer(&p->in);
	snprintf(r->ending, sizeof(r->ending), "%s",
		 input_ending(&p->in) ? input_ending(&p->in) : "");
	r->status = losses_exit(&p->in);
	return EXIT_DONE;
}

static int replay_read_once(struct replayer *p, struct replay *r, char *path, double settle)
{
	int ret;

	*r = (struct replay){ .file = path, .w = { .ages = { .fd = -1 } } };
	snprintf(r->name, sizeof(r->name), "%s", path);
	table_clean(r->name);
	ret = input_open(&p->in, &path, 1);
	if (ret)
		return ret;
	ret = read_input(p, r, settle);
	free(p->reclaimed);
	lifetimes_exit(&p->life);
	analysis_exit(&p->a);
	input_close(&p->in);
	return ret;
}

/* Return: whether the time without losses is long enough to be judged alone. */
static bool is_clear_enough(const struct replayer *p, double settle)
{
	struct observation trial = { .ages.head.tick_ns = TICK_NS };
	uint64_t clear = p->clear.to - p->clear.from;
	bool is = clear > (p->to - p->from) / CLEAR_PART &&
		  !observe_plan(&trial, clear / 1e9, settle, 0, true);

	free(trial.time);
	return is;
}

/*
 * Each lost event may be the free of an object, so that many losses hide any leak. If they
 * were all within a short time, the longer part before or after it is judged.
 */
static int read_file(struct replayer *p, struct replay *r, char *path, double settle)
{
	int ret = replay_read_once(p, r, path, settle), status = r->status;
	uint64_t lost = r->w.lost, first = p->from;

	if (!ret && lost && is_clear_enough(p, settle)) {
		*p = (struct replayer){ .w = p->w, .quiet = p->quiet, .part = true,
					.from = p->clear.from, .to = p->clear.to };
		replay_free(r);
		ret = replay_read_once(p, r, path, settle);
		r->status = status;
	}
	r->lost = lost;
	r->from = (p->from - first) / 1e9;
	r->to = (p->to - first) / 1e9;
	return ret;
}

int replay_read(struct replay *r, char *path, double settle)
{
	struct replayer p = { .w = &r->w };
	int ret = read_file(&p, r, path, settle);

	return *p.why ? msg_error("%s", p.why) : ret;
}

int replay_try(struct replay *r, char *path, double settle, char *why, size_t size)
{
	struct replayer p = { .w = &r->w, .quiet = true };
	int ret = read_file(&p, r, path, settle);

	snprintf(why, size, "%s", p.why);
	table_clean(why);
	return *why ? EXIT_DONE : ret;
}

void replay_free(struct replay *r)
{
	observe_free(&r->w);
	sites_free(&r->sites);
}
