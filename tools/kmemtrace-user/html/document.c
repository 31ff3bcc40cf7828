// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memtext.h"
#include "html/document.h"
#include "html/flows.h"
#include "html/graph.h"
#include "html/tables.h"
#include "report/timeline_view.h"

/* sites with a line in the timeline */
#define SERIES_MAX 8

/* --- tables --------------------------------------------------------------- */

static json_t *json_table(const struct content *s, enum content_table table)
{
	const struct report *r = &s->table[table];
	json_t *made = content_table(r);

	if (made && json_object_get(made, "rows"))
		json_object_set_new(made, "flows",
				    content_has_timeline(s) ?
					    flows_of_table(r, r->timeline) :
					    json_null());
	if (made && table == CONTENT_SITES)
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
	if (!all)
		return NULL;
	for (i = 0; i < CONTENT_SIZES; i++)
		json_object_set_new(all, content_tables[i],
				    json_table(s, i));
	json_object_set(all, content_tables[CONTENT_SIZES], s->sizes);
	json_object_set_new(all, "timeline", json_timeline(s));
	json_object_set_new(all, "memory", json_memory(s));
	json_object_set_new(all, "stacks", graph_json(s));
	return all;
}
