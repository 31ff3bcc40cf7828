// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <string.h>

#include "account/trust.h"
#include "base/table.h"
#include "base/textfile.h"
#include "memory/memory_json.h"

static json_t *json_line(const struct balance_line *line)
{
	json_t *meminfo = json_null();

	if (line->has_figure)
		meminfo = json_pack("{s:s,s:I,s:I,s:b}", "formula", line->figure,
				    "before", (json_int_t)line->before, "after",
				    (json_int_t)line->after, "differs",
				    balance_differs(line));
	return json_pack("{s:s,s:s,s:I,s:b,s:o,s:s?}", "line", line->key, "title",
			 line->title, "bytes", (json_int_t)line->bytes,
			 "by_count", line->by_count, "meminfo", meminfo, "note",
			 line->note);
}

static json_t *json_lines(const struct memory *m)
{
	json_t *lines = json_array();
	int id;

	for (id = 0; id < LINES; id++)
		json_array_append_new(lines, json_line(&m->balance.line[id]));
	return lines;
}

static json_t *json_sites(const struct memory *m, size_t top)
{
	json_t *sites = json_array();
	size_t i;

	for (i = 0; i < m->sites.count && (!top || i < top); i++) {
		const struct site_row *row = &m->sites.row[i];

		json_array_append_new(
			sites, json_pack("{s:I,s:I,s:o,s:s?}", "live", (json_int_t)row->f.bytes,
					 "id", (json_int_t)row->id, "address",
					 table_json_address(row->address), "site",
					 *row->location ? row->location : NULL));
	}
	return sites;
}

static json_t *json_places(const struct memory *m)
{
	json_t *places = json_array();
	size_t i;

	for (i = 0; i < m->nr_places; i++) {
		const struct memory_place *place = &m->place[i];

		json_array_append_new(
			places,
			json_pack("{s:i,s:s,s:o,s:I}", "node", (int)place->node,
				  "zone", m->zones.zone[place->zone], "order",
				  place->order < 0 ? json_null() :
						     json_integer(place->order),
				  "bytes", (json_int_t)place->bytes));
	}
	return places;
}

static json_t *json_kinds(const struct memory *m, const uint64_t *frames)
{
	json_t *kinds = json_object();
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		json_object_set_new(kinds, kind_names[kind],
				    json_integer(frames[kind] * m->page_size));
	return kinds;
}

static json_t *json_nodes(const struct memory *m)
{
	json_t *nodes = json_array();
	size_t node;

	for (node = 0; node < m->tally.nr_nodes; node++)
		json_array_append_new(nodes,
				      json_kinds(m, m->tally.node[node].kind));
	return nodes;
}

/* The lines of the module's file stats, for memory_load(). */
static json_t *json_stats(const struct memory *m)
{
	const char *line = m->tags.stats;
	json_t *lines = json_array();

	for (; line && *line; line = textfile_next_line(line))
		json_array_append_new(lines,
				      json_stringn(line, strcspn(line, "\n")));
	return lines;
}

static json_t *json_accounting(const struct memory *m)
{
	double since = memory_since(m);

	if (m->no_module)
		return json_null();
	return json_pack("{s:b,s:o,s:o,s:o,s:o}", "on",
			 (int)trust_counter(&m->tags, "accounting"),
			 "since_seconds",
			 since < 0 ? json_null() : json_real(since), "error",
			 trust_json(&m->tags), "holes",
			 trust_json_holes(&m->tags), "stats", json_stats(m));
}

json_t *memory_json(const struct memory *m, size_t top)
{
	const struct balance *b = &m->balance;
	size_t left_out = top && top < m->sites.count ? m->sites.count - top : 0;

	return json_pack(
		"{s:s,s:I,s:f,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:s?,s:s?,s:o}",
		"document", MEMORY_DOCUMENT, "page_size",
		(json_int_t)m->page_size, "explained_percent",
		balance_explained(b), "difference", (json_int_t)b->difference,
		"reserved", (json_int_t)b->reserved, "offline",
		(json_int_t)b->offline, "lines", json_lines(m), "kinds",
		json_kinds(m, m->tally.kind), "nodes", json_nodes(m), "owners",
		owners_json(&m->owners), "sites", json_sites(m, top), "left_out", (json_int_t)left_out, "unknown",
		json_places(m), "no_module", m->no_module, "no_vmalloc",
		m->vmallocs.why, "accounting", json_accounting(m));
}
