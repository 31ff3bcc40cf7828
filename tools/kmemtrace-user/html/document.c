// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/json.h"
#include "base/memtext.h"
#include "html/content.h"
#include "html/document.h"
#include "html/flows.h"
#include "html/ranking.h"
#include "html/tables.h"
#include "report/timeline_view.h"

/* --- stacks --------------------------------------------------------------------- */

/* The page has at most so many stacks. */
#define STACKS_MAX 10000

/**
 * struct graph - the rows of the page
 * @s: the content
 * @p: the profile
 * @order: numbers of the rows of @p, by ranking_make()
 * @shown: number of rows that are stacks
 */
struct graph {
	const struct content *s;
	const struct profile *p;
	uint32_t *order;
	size_t shown;
};

static void graph_sort(struct graph *g)
{
	const struct profile *p = g->p;
	struct ranked *items = xcalloc(p->count + 1, sizeof(*items));
	size_t i;

	for (i = 0; i < p->count; i++)
		items[i] = (struct ranked){
			.peak = p->rows[i].value[PROFILE_PEAK_BYTES],
			.alloc = p->rows[i].value[PROFILE_ALLOC_BYTES],
		};
	g->order = ranking_make(items, p->count);
	g->shown = p->count < STACKS_MAX ? p->count : STACKS_MAX;
	free(items);
}

static size_t type_of(const struct profile_row *row)
{
	size_t i;

	for (i = 0; i + 1 < ANALYSIS_TYPES; i++)
		if (!strcmp(row->label[PROFILE_KIND], analysis_types[i]))
			break;
	return i;
}

/* A function is [name, module] or [name, module, source line]. */
static json_t *json_frames(const struct profile *p)
{
	json_t *all = json_array(), *frame;
	size_t i;

	for (i = 0; i < p->nr_frames; i++) {
		const struct profile_frame *f = &p->frames[i];

		frame = json_pack("[s,s]", f->name,
				  f->module == PROFILE_NO_MODULE ?
					  "" :
					  p->modules[f->module].name);
		if (f->source)
			json_array_append_new(frame, json_string(f->source));
		json_array_append_new(all, frame);
	}
	return all;
}

/* The outermost function first. */
static json_t *json_stack(const struct profile *p, const struct profile_row *row)
{
	json_t *stack = json_array();
	size_t depth;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	while (depth--)
		json_array_append_new(stack, json_integer(frames[depth]));
	return stack;
}

/* The figures of a row of the page: those of the profile, and what leaks. */
enum {
	VALUE_LEAKED_OBJECTS = PROFILE_VALUES,
	VALUE_LEAKED,
	VALUES,
};

static const char *value_name(int value)
{
	switch (value) {
	case VALUE_LEAKED_OBJECTS:
		return "leaked_objects";
	case VALUE_LEAKED:
		return "leaked";
	default:
		return profile_names[value];
	}
}

static bool is_value_known(const struct content *s, int value)
{
	return value < PROFILE_VALUES ? s->profile.have & PROFILE_BIT(value) :
				       !!s->leaks;
}

/* Adds the figures of a row. The live memory of a call site that leaks is leaked. */
static void add_values(uint64_t to[VALUES], const struct content *s, size_t row)
{
	const uint64_t *value = s->profile.rows[row].value;
	int i;

	for (i = 0; i < PROFILE_VALUES; i++)
		to[i] += value[i];
	if (!s->leaks || !s->leaks[row])
		return;
	to[VALUE_LEAKED_OBJECTS] += value[PROFILE_LIVE_OBJECTS];
	to[VALUE_LEAKED] += value[PROFILE_LIVE_BYTES];
}

/* Values that are not known, in all rows, are null. */
static json_t *json_values(const struct content *s, const uint64_t value[VALUES])
{
	json_t *values = json_array();
	int i;

	for (i = 0; i < VALUES; i++)
		json_array_append_new(values, is_value_known(s, i) ?
						      json_integer(value[i]) :
						      json_null());
	return values;
}

static json_t *json_row(const char *kind, json_t *stack, json_t *values)
{
	return json_pack("[s,o,o]", kind, stack, values);
}

static json_t *json_rows(const struct graph *g)
{
	uint64_t other[ANALYSIS_TYPES][VALUES] = { 0 };
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < g->p->count; i++) {
		const struct profile_row *row = &g->p->rows[g->order[i]];
		uint64_t value[VALUES] = { 0 };

		add_values(i < g->shown ? value : other[type_of(row)], g->s,
			   g->order[i]);
		if (i < g->shown)
			json_array_append_new(
				all, json_row(row->label[PROFILE_KIND],
					      json_stack(g->p, row),
					      json_values(g->s, value)));
	}
	for (i = 0; g->shown < g->p->count && i < ANALYSIS_TYPES; i++)
		json_array_append_new(all,
				      json_row(analysis_types[i], json_null(),
					       json_values(g->s, other[i])));
	return all;
}

static json_t *json_flows(const struct graph *g)
{
	const struct timeline *t = &g->s->stacks;
	struct flows other[ANALYSIS_TYPES] = { 0 };
	json_t *all = json_array();
	size_t i;

	if (!content_has_timeline(g->s))
		return all;
	for (i = 0; i < g->p->count; i++) {
		const struct profile_row *row = &g->p->rows[g->order[i]];
		struct flows f = { 0 };

		flows_add(i < FLOWS_SERIES ? &f : &other[type_of(row)], t,
			  row->group);
		if (i < FLOWS_SERIES)
			json_array_append_new(
				all, flows_json(&f, i, row->label[PROFILE_KIND]));
	}
	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_array_append_new(all, flows_json(&other[i], -1,
						      analysis_types[i]));
	return all;
}

static json_t *graph_json(const struct content *s)
{
	struct graph g = { .s = s, .p = &s->profile };
	json_t *values = json_array(), *all;
	int i;

	graph_sort(&g);
	for (i = 0; i < VALUES; i++)
		json_array_append_new(values, json_string(value_name(i)));
	all = json_pack("{s:o,s:I,s:o,s:o,s:o}", "values", values, "left_out",
			(json_int_t)(s->profile.count - g.shown), "frames",
			json_frames(&s->profile), "rows", json_rows(&g), "flows",
			json_flows(&g));
	free(g.order);
	return all;
}

/* sites with a line in the timeline */
#define SERIES_MAX 8

/* --- tables --------------------------------------------------------------- */

static json_t *json_table(const struct content *s, enum content_table table)
{
	const struct report *r = &s->table[table];
	json_t *made = content_table(r);

	if (json_object_get(made, "rows"))
		json_object_set_new(made, "flows",
				    content_has_timeline(s) ?
					    flows_of_table(r, r->timeline) :
					    json_null());
	if (table == CONTENT_SITES)
		json_object_set_new(made, "ages", ages_of_recording(&s->ages, r));
	return made;
}

/* --- the timeline --------------------------------------------------------- */

/* Times are relative to the first record: a number in JavaScript has 53 bits. */
static json_t *json_ends(const struct timeline *t)
{
	json_t *ends = json_array();
	size_t i;

	for (i = 0; i <= t->bucket; i++)
		json_array_append_new(ends,
				      json_integer(timeline_end(t, i) - t->start));
	return ends;
}

/* The series of the first rows of a table. */
static json_t *json_series(const struct report *r, const struct timeline *t,
			   size_t max)
{
	json_t *all = json_array(), *series;
	size_t i;

	for (i = 0; i < r->list.shown && i < max; i++) {
		size_t group = flows_group(r, i);

		if (group >= t->nr_groups || !t->groups[group].peak)
			continue;
		series = json_pack("{s:I}", "row", (json_int_t)i);
		timeline_json_series(series, t, &t->groups[group]);
		json_array_append_new(all, series);
	}
	return all;
}

static json_t *json_timeline(const struct content *s)
{
	const struct report *kinds = &s->table[CONTENT_KINDS];
	const struct report *sites = &s->table[CONTENT_SITES];
	const struct timeline *t = &s->timeline[CONTENT_KINDS];

	if (!content_has_timeline(s))
		return json_null();
	return json_pack("{s:I,s:b,s:I,s:o,s:o,s:o,s:o}", "start_ns",
			 (json_int_t)t->start, "counts_twice",
			 peaks_mix(&kinds->peaks), "step",
			 (json_int_t)TIMELINE_FLOW, "ends", json_ends(t), "total",
			 timeline_json_total(t), "kinds",
			 json_series(kinds, t, kinds->list.shown), "sites",
			 json_series(sites, &s->timeline[CONTENT_SITES],
				     SERIES_MAX));
}

/* --- all memory of the machine ----------------------------------------------- */

/* Raw files of 2008 have no MemTotal. */
static json_t *json_memory(const struct content *s)
{
	uint64_t total;

	if (!input_number(s->table[CONTENT_KINDS].in.meta, "mem_total", &total) ||
	    total > INT64_MAX)
		return json_pack("{s:s}", "why",
				 "the recording lacks MemTotal");
	return json_pack("{s:I}", "total", (json_int_t)total);
}

/* --- the document --------------------------------------------------------- */

static json_t *json_words(const struct report *r)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	report_words(r, out);
	return tables_lines(memtext_close(&text, NULL));
}

json_t *document_make(const struct content *s)
{
	const struct report *kinds = &s->table[CONTENT_KINDS];
	json_t *all;
	int i;

	all = json_pack("{s:i,s:s,s:o,s:o}", "version", JSON_VERSION, "title",
			s->profile.title, "report", report_json(kinds), "words",
			json_words(kinds));
	for (i = 0; i < CONTENT_SIZES; i++)
		json_object_set_new(all, content_tables[i],
				    json_table(s, i));
	json_object_set(all, content_tables[CONTENT_SIZES], s->sizes);
	json_object_set_new(all, "timeline", json_timeline(s));
	json_object_set_new(all, "memory", json_memory(s));
	json_object_set_new(all, "stacks", graph_json(s));
	return all;
}
