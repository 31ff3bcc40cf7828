// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "report/losses.h"
#include "report/report.h"
#include "trace/input.h"

static json_t *json_kinds(const struct analysis *a)
{
	json_t *kinds = json_object();
	int i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_object_set_new(
			kinds, analysis_types[i],
			json_pack("{s:I,s:I,s:I,s:I,s:I}", "allocs",
				  (json_int_t)a->allocs[i], "frees",
				  (json_int_t)a->frees[i], "failed",
				  (json_int_t)a->failed[i], "total_requested",
				  (json_int_t)a->req[i], "total_allocated",
				  (json_int_t)a->alloc[i]));
	return kinds;
}

static json_t *json_live(const struct report *r)
{
	json_t *live = json_object();
	int i;

	for (i = 0; i < SITE_KINDS; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		json_object_set_new(
			live, site_total_names[i],
			json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "live",
				  (json_int_t)s->live, "objects",
				  (json_int_t)s->objects, "largest",
				  (json_int_t)s->largest, "uncertain",
				  (json_int_t)report_uncertain(r, i), "implicit",
				  (json_int_t)s->implicit, "unmatched",
				  (json_int_t)s->unmatched));
	}
	return live;
}

static json_t *json_clean(const char *text)
{
	char *copy = xstrndup(text, strcspn(text, "\n"));
	json_t *value;

	table_clean(copy);
	value = json_string(copy);
	free(copy);
	return value;
}

/* Adds an array of all values of a key, if there are any. */
static void json_set_values(json_t *all, const char *name, const char *key,
			    const char *text)
{
	json_t *values = json_array();

	for (; text; text = textfile_next_line(text))
		if (metaline_has_key(text, key))
			json_array_append_new(values, json_clean(text + strlen(key) + 1));
	if (json_array_size(values))
		json_object_set(all, name, values);
	json_decref(values);
}

/* The highest live memory, of the classes of --at, up to the moment of --at. */
static json_t *json_peak(const struct report *r)
{
	const struct peaks *p = &r->peaks;

	if (r->no_live)
		return json_null();
	return json_pack("{s:I,s:o,s:I,s:b}", "bytes",
			 (json_int_t)p->highest, "time_ns",
			 p->time ? json_integer(p->time) : json_null(),
			 "lost_before", (json_int_t)p->lost, "counts_twice",
			 peaks_mix(p));
}

/* A stack is an array of functions, the innermost first. */
static json_t *json_stack(const struct report *r, const struct group *g,
			  size_t key)
{
	char symbol[MEMO_TEXT_MAX];
	json_t *stack = json_array();
	struct keys_frames f;
	size_t i;

	keys_frames(&r->keys, g, key, &f);
	for (i = 0; i < f.depth; i++) {
		keys_symbol(&r->keys, f.callers[i], f.places[i], symbol,
			    sizeof(symbol));
		json_array_append_new(stack, json_string(symbol));
	}
	if (f.recorded)
		return stack;
	json_decref(stack);
	return json_null();
}

static json_t *json_rows(const struct report *r)
{
	json_t *rows = listing_json(&r->list);
	size_t key, i;

	for (key = 0; r->view != VIEW_MATRIX && key < r->keys.count; key++) {
		if (r->keys.by[key] != BY_STACK)
			continue;
		for (i = 0; i < r->list.shown; i++)
			json_object_set_new(
				json_array_get(rows, i), "stack",
				json_stack(r, r->rows[r->list.row[i]], key));
	}
	return rows;
}

static json_t *json_sums(const struct report *r)
{
	const struct merge_stats *s = merge_stats(r->in.merge);
	char release[256] = "";

	input_value(r->in.meta, "release", release, sizeof(release));
	return json_pack("{s:s,s:I,s:f,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o}",
			 "kernel", release, "events", (json_int_t)s->events,
			 "seconds", report_seconds(r), "lost_events",
			 (json_int_t)input_lost(&r->in), "gaps",
			 (json_int_t)s->gaps, "worst_gap",
			 (json_int_t)s->worst_gap, "remote_frees",
			 (json_int_t)r->a.remote_frees, "cross_frees",
			 (json_int_t)r->a.cross_frees, "note", losses_json(&r->in),
			 "kinds", json_kinds(&r->a), "live", json_live(r));
}

/* Adds what the figures depend on. */
static void add_conditions(json_t *all, const struct report *r)
{
	json_object_update_new(all, json_pack("{s:s*,s:s*,s:s*}", "skipped",
					      losses_skipped(&r->in), "no_live", r->no_live,
					      "kept", input_kept(&r->in)));
	if (input_snapshots(&r->in))
		json_object_set_new(all, "snapshots",
				    json_integer(input_snapshots(&r->in)));
	if (r->in.timed)
		json_object_set_new(all, "from_ns", json_integer(r->in.first));
	if (r->in.timed && r->in.last != UINT64_MAX)
		json_object_set_new(all, "to_ns", json_integer(r->in.last));
	if (r->wants_peaks)
		json_object_set_new(all, "peak", json_peak(r));
	if (r->at)
		json_object_set_new(all, "at", json_string(r->at));
	json_set_values(all, "recorded_if", "filter", r->in.meta);
	json_set_values(all, "triggers", "trigger", r->in.meta);
	if (r->filter) {
		json_object_set_new(all, "filter", json_string(r->expression));
		json_object_set_new(all, "matching", json_integer(r->matched));
	}
}

json_t *report_json(const struct report *r)
{
	json_t *all = json_sums(r);

	add_conditions(all, r);
	return all;
}

/* The keys of the rows, by which diff names them. */
static json_t *json_by(const struct report *r)
{
	json_t *by = json_array();
	size_t i;

	for (i = 0; i < r->keys.count; i++)
		json_array_append_new(by, json_string(key_names[r->keys.by[i]]));
	return by;
}

int report_print_json(struct report *r)
{
	json_t *rows = r->tree ? report_json_tree(r) : json_rows(r);
	json_t *all = json_sums(r);

	json_object_set_new(all, r->tree ? "tree" : "rows", rows);
	if (!r->tree && r->view != VIEW_MATRIX)
		json_object_set_new(all, "by", json_by(r));
	add_conditions(all, r);
	return json_print(all);
}
