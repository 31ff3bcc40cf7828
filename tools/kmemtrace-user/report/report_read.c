// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/msg.h"
#include "base/pairs.h"
#include "report/halves.h"
#include "report/losses.h"
#include "report/report.h"
#include "report/when.h"

static void add_all(struct report *r)
{
	const struct window *w;

	while (!r->failed && (w = input_next(&r->in)))
		analysis_add_window(&r->a, w);
	analysis_end(&r->a, merge_stats(r->in.merge)->missing);
}

/* A free that does not match the filter counts if its allocation matched. */
static void add_record(struct report *r, struct kmt_event *ev, struct extra *e,
		       uint32_t cpu, bool matches)
{
	if (!matches) {
		if (ev->event_id == KMEMTRACE_EVENT_FREE)
			analysis_add_free(&r->a, ev, cpu);
		return;
	}
	r->matched++;
	if (r->keys.given && ev->event_id == KMEMTRACE_EVENT_ALLOC)
		r->a.given = keys_find(&r->keys, &r->a, ev, e, cpu);
	analysis_add(&r->a, ev, cpu);
}

static void take_record(struct report *r, const struct merged *record, struct extra *e)
{
	struct kmt_event ev = record->ev;
	bool matches;

	extra_take(e, record);
	if (record->lost)
		analysis_add_gap(&r->a, record->lost);
	matches = !r->filter || event_filter_match(r->filter, &ev, e);
	add_record(r, &ev, e, record->cpu, matches);
	r->failed = r->each && !r->each(r, record, matches);
}

/* Adds the records one by one, with the filter, and with the keys. */
static void add_each(struct report *r)
{
	const struct window *w;
	struct extra e;
	size_t i;

	extra_init(&e, &r->in);
	while (!r->failed && (w = input_next(&r->in))) {
		for (i = 0; !r->failed && i < w->count; i++) {
			r->peaks.now = w->before + i + 1;
			take_record(r, &w->events[i], &e);
		}
	}
	analysis_end(&r->a, merge_stats(r->in.merge)->missing);
}

/* Tells the analysis which events may be missing. */
static void begin_losses(struct report *r)
{
	uint64_t whole;

	r->a.gaps_are_losses = !input_partial(&r->in);
	if (report_is_overwritten(r) &&
	    input_number(r->in.end, "seq_whole", &whole)) {
		r->a.begins = true;
		r->a.from = whole;
	}
}

/* Return: whether each record is added alone. Otherwise, a whole window is faster. */
static bool is_one_by_one(const struct report *r)
{
	return r->filter || r->keys.given || r->numbers_records;
}

/*
 * After losses, each half would find slightly other bounds than the whole. The output must
 * not depend on the number of CPUs.
 */
static bool is_lossless(const struct input *in)
{
	uint64_t lost;

	return input_gaps_are_losses(in) &&
	       input_number(in->end, "lost_events", &lost) && !lost;
}

/* Return: whether two threads may each add half of the records. */
static bool is_divisible(const struct report *r)
{
	return !is_one_by_one(r) && !r->a.watch && !r->needs_live &&
	       r->a.by != BY_STACK && is_lossless(&r->in);
}

static void add_records(struct report *r)
{
	if (is_one_by_one(r))
		add_each(r);
	else if (r->in.readers > 1)
		halves_add(&r->a, &r->in);
	else
		add_all(r);
}

/* an analysis_watch.record */
static void report_read_pass_on(void *arg, const struct merged *record)
{
	struct report *r = arg;

	r->failed = r->failed || !r->each(r, record, true);
}

static void report_read_begin(struct report *r)
{
	keys_init(&r->keys, &r->in);
	analysis_init(&r->a, r->keys.given ? BY_GIVEN : r->keys.by[0],
		      r->in.page_size);
	input_number(r->in.meta, "mem_total", &r->a.memory);
	if (r->wants_peaks)
		peaks_init(&r->peaks, &r->a);
	report_view_begin(r);
	if (r->watch)
		r->watch(r);
	if (r->timeline)
		timeline_init(r->timeline, &r->a);
	if (r->each && !is_one_by_one(r)) {
		r->each_watch = (struct analysis_watch){ .record = report_read_pass_on, .arg = r };
		analysis_watch(&r->a, &r->each_watch);
	}
	if (r->a.by == BY_SITE && names_have_places(r->in.names))
		r->a.names = r->in.names;
}

/* --- the bound of live bytes ---------------------------------------------------- */

/**
 * struct site - the sums of a call site and a type of allocation
 * @class: its class
 * @live: live bytes
 * @implicit: implicit frees
 */
struct site {
	enum site_kind class;
	uint64_t live;
	uint64_t implicit;
};

/**
 * struct bounds - the call sites of a report
 * @places: numbers of call sites: an address, and its place
 * @known: numbers of @site: a number in @places, and the type
 * @site: the call sites
 * @count: number of @site
 */
struct bounds {
	struct pairs places;
	struct pairs known;
	struct site *site;
	size_t count;
};

static void add_group(struct bounds *b, const struct group *g, uint64_t address,
		      uint16_t place)
{
	uint32_t number = pairs_get(&b->places, address, place);

	number = pairs_get(&b->known, number, g->type);
	if (number == b->count) {
		array_reserve(b->site, b->count);
		b->site[b->count++] = (struct site){
			.class = analysis_kind_of(g->type)
		};
	}
	b->site[number].live += group_live(g);
	b->site[number].implicit += g->implicit;
}

static void add_groups(struct bounds *b, const struct report *r, size_t key)
{
	const struct group_table *t = &r->a.groups;
	uint64_t address;
	uint16_t place;
	size_t i;

	for (i = 0; i < t->count; i++) {
		address = keys_site(&r->keys, &t->groups[i], key, &place);
		add_group(b, &t->groups[i], address, place);
	}
}

static void set_sums(const struct bounds *b, struct analysis_class_sums *sums)
{
	size_t i;

	for (i = 0; i < SITE_KINDS; i++)
		sums[i].uncertain = 0;
	for (i = 0; i < b->count; i++)
		if (b->site[i].implicit)
			sums[b->site[i].class].uncertain += b->site[i].live;
}

static void bounds_by_site(struct report *r)
{
	struct bounds b = { 0 };
	size_t key;

	for (key = 0; key < r->keys.count && r->keys.by[key] != BY_SITE;)
		key++;
	/* with one key, each group is a call site */
	if (r->keys.count == 1 || key == r->keys.count)
		return;
	pairs_init(&b.places);
	pairs_init(&b.known);
	add_groups(&b, r, key);
	set_sums(&b, r->a.sums);
	pairs_exit(&b.places);
	pairs_exit(&b.known);
	free(b.site);
}

int report_read(struct report *r, const char *command)
{
	int ret = when_limit(&r->in, command, r->since,
			     r->until == r->at ? "--at" : "--until", r->until);

	if (!ret)
		ret = lines_open(&r->lines, r->in.names, r->in.meta, r->debuginfo);
	if (!ret && r->expression)
		ret = event_filter_create(&r->filter, r->expression, &r->in);
	if (ret)
		return ret;
	report_read_begin(r);
	r->no_live = liveness_lost(&r->in);
	r->in.stacks = keys_have(&r->keys, BY_STACK);
	r->in.readers = is_divisible(r) ? 2 : 1;
	ret = input_begin(&r->in, r->filter || r->each || keys_need_records(&r->keys));
	if (ret)
		return ret;
	/* in a stream, END may be known only now */
	begin_losses(r);
	add_records(r);
	if (r->failed || r->in.err)
		return EXIT_FAILED;
	analysis_narrow(&r->a);
	bounds_by_site(r);
	report_view_finish(r);
	if (!r->in.timed && r->in.reader && !r->in.end && !merge_stats(r->in.merge)->events)
		return msg_error("the recording is cut short or damaged before its first record");
	return when_check_records(&r->in);
}

void report_free(struct report *r)
{
	event_filter_destroy(r->filter);
	listing_free(&r->list);
	free(r->rows);
	peaks_exit(&r->peaks);
	report_view_free(r);
	analysis_exit(&r->a);
	keys_exit(&r->keys);
	lines_close(r->lines);
}

int report_end(struct report *r, int ret)
{
	if (!ret && r->filter) {
		fflush(stdout); /* the note comes after the output */
		event_filter_note(r->filter);
	}
	if (!ret)
		ret = losses_exit(&r->in);
	report_free(r);
	input_close(&r->in);
	return ret;
}
