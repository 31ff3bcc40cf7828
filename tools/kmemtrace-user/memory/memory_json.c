// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/table.h"
#include "base/textfile.h"
#include "memory/memory_json.h"

/* limits of what is read */
#define PAGE_SIZE_MAX (1u << 30)

/* the longest location; those of the module are shorter */
#define LOCATION_MAX 1024

/* --- writing ------------------------------------------------------------------------- */

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

/* --- reading: messages ------------------------------------------------------------ */

static int damaged(const char *path, const char *what)
{
	msg_error("%s is damaged: %s; save it again with memory --save", path,
		  what);
	return -1;
}

/* --- members ---------------------------------------------------------------------- */

static bool take_figure(const json_t *object, const char *key, int64_t *to)
{
	const json_t *value = json_object_get(object, key);

	*to = json_integer_value(value);
	return json_is_integer(value) && *to <= JSON_BYTES_MAX && *to >= -JSON_BYTES_MAX;
}

/* Sets @why to a text of the document, in @buffer; to NULL if there is none. */
static void take_reason(const json_t *root, const char *key, char buffer[256],
			const char **why)
{
	*why = json_text(root, key, buffer, 256) ? buffer : NULL;
}

/* --- lines ------------------------------------------------------------------------ */

static struct balance_line *find_line(struct balance *b, const json_t *json)
{
	const char *key = json_string_value(json_object_get(json, "line"));
	int id;

	for (id = 0; key && id < LINES; id++)
		if (!strcmp(key, b->line[id].key))
			return &b->line[id];
	return NULL;
}

static const char unknown_line[] = "it has a line that this tool does not know";

/* Return: NULL, or what is wrong. */
static const char *take_line(struct balance *b, const json_t *json)
{
	const json_t *meminfo = json_object_get(json, "meminfo");
	struct balance_line *line = find_line(b, json);

	if (!line)
		return unknown_line;
	if (!json_take_bytes(json, "bytes", &line->bytes))
		return "a line has no valid number of bytes";
	line->by_count = json_is_true(json_object_get(json, "by_count"));
	line->has_figure = line->figure && json_is_object(meminfo);
	if (line->has_figure && (!take_figure(meminfo, "before", &line->before) ||
				 !take_figure(meminfo, "after", &line->after)))
		return "a line lacks its figure of /proc/meminfo";
	return NULL;
}

static const char *take_lines(struct balance *b, const json_t *root)
{
	const struct balance_line *total = &b->line[LINE_TOTAL];
	const char *wrong = NULL;
	json_t *json;
	size_t i;

	balance_begin(b);
	json_array_foreach(json_object_get(root, "lines"), i, json) {
		wrong = take_line(b, json);
		if (wrong)
			return wrong;
	}
	balance_name_free(b);
	if (!total->bytes || !balance_sums(b))
		return "its lines do not add up to the total";
	if (!json_take_bytes(root, "reserved", &b->reserved) ||
	    !json_take_bytes(root, "offline", &b->offline))
		return "it lacks the bytes outside of MemTotal";
	if (total->has_figure)
		b->difference = (int64_t)total->bytes - total->before;
	return NULL;
}

/* --- frames ----------------------------------------------------------------------- */

/* Return: false if a number of bytes is not one of whole frames. */
static bool take_kinds(const json_t *json, uint64_t page_size,
		       uint64_t frames[KINDS])
{
	uint64_t bytes;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (!json_take_bytes(json, kind_names[kind], &bytes) ||
		    bytes % page_size)
			return false;
		frames[kind] = bytes / page_size;
	}
	return true;
}

/* Return: 0; -1 after a message. */
static int take_frames(struct memory *m, const json_t *root, const char *path)
{
	const json_t *nodes = json_object_get(root, "nodes");
	size_t i, nr = json_array_size(nodes);
	struct tally *t = &m->tally;

	if (!take_kinds(json_object_get(root, "kinds"), m->page_size, t->kind))
		return damaged(path, "it lacks the bytes of a kind of frames");
	if (nr > NODES_MAX)
		return damaged(path, "it has too many nodes");
	if (nr)
		array_reach(t->node, t->nr_nodes, nr - 1);
	for (i = 0; i < nr; i++)
		if (!take_kinds(json_array_get(nodes, i), m->page_size,
				t->node[i].kind))
			return damaged(path, "a node lacks a kind of frames");
	return 0;
}

/* Return: the number of a zone; -1 if there are too many. */
static int find_zone(struct zones *z, const char *name)
{
	int zone;

	for (zone = 0; zone < ZONES_MAX && *z->zone[zone]; zone++)
		if (!strcmp(z->zone[zone], name))
			return zone;
	if (zone == ZONES_MAX)
		return -1;
	strcpy(z->zone[zone], name);
	return zone;
}

static bool take_place(struct memory *m, const json_t *json,
		       struct memory_place *place)
{
	const json_t *order = json_object_get(json, "order");
	char zone[sizeof(m->zones.zone[0])];
	uint64_t node;

	if (!json_take_bytes(json, "bytes", &place->bytes) ||
	    !json_take_bytes(json, "node", &node) || node >= m->tally.nr_nodes ||
	    !json_text(json, "zone", zone, sizeof(zone)))
		return false;
	place->node = node;
	place->zone = find_zone(&m->zones, zone);
	place->order = json_is_null(order) ? -1 : (int)json_integer_value(order);
	return place->zone >= 0 && place->order >= -1 &&
	       place->order < TALLY_ORDERS &&
	       (json_is_null(order) || json_is_integer(order));
}

static int take_places(struct memory *m, const json_t *root, const char *path)
{
	struct memory_place *place;
	json_t *json;
	size_t i;

	json_array_foreach(json_object_get(root, "unknown"), i, json) {
		place = array_add(m->place, m->nr_places);
		if (!take_place(m, json, place))
			return damaged(path, "an unexplained frame lacks its zone");
	}
	return 0;
}

/* --- sites ------------------------------------------------------------------------ */

/* Return: false if it has no valid number of bytes. */
static bool take_site(struct memory *m, const json_t *json)
{
	const char *address = json_string_value(json_object_get(json, "address"));
	char location[LOCATION_MAX];
	struct site_row *row;
	uint64_t bytes;

	if (!json_take_bytes(json, "live", &bytes))
		return false;
	json_text(json, "site", location, sizeof(location));
	row = site_rows_add(&m->sites, SITE_PAGE, xstrdup(location));
	row->f.bytes = bytes;
	if (!*location)
		return true;
	row->id = json_integer_value(json_object_get(json, "id"));
	row->address = address ? strtoull(address, NULL, 16) : 0;
	return true;
}

static int take_sites(struct memory *m, const json_t *root, const char *path)
{
	const json_t *sites = json_object_get(root, "sites");
	const json_t *left_out = json_object_get(root, "left_out");
	size_t i, nr = json_array_size(sites);

	if (!json_is_array(sites) || !json_is_integer(left_out))
		return damaged(path, "it lacks the sites of other kernel pages");
	if (json_integer_value(left_out)) {
		msg_error("%s does not have all sites: write it with memory --save, or with memory --json --top 0",
			  path);
		return -1;
	}
	for (i = 0; i < nr; i++)
		if (!take_site(m, json_array_get(sites, i)))
			return damaged(path, "a site has no valid number of bytes");
	memory_sort_sites(m);
	return 0;
}

/* --- state of accounting ---------------------------------------------------------- */

/* Makes the text of the module's file stats. */
static void take_stats(struct memory *m, const json_t *root)
{
	const json_t *accounting = json_object_get(root, "accounting");
	struct memtext text;
	FILE *out = memtext_open(&text);
	char line[256];
	json_t *json;
	size_t i;

	json_array_foreach(json_object_get(accounting, "stats"), i, json) {
		snprintf(line, sizeof(line), "%s",
			 json_is_string(json) ? json_string_value(json) : "");
		table_clean(line);
		fprintf(out, "%s\n", line);
	}
	m->tags.stats = memtext_close(&text, NULL);
}

/* --- the document ------------------------------------------------------------------- */

static int take_document(struct memory *m, const json_t *root, const char *path)
{
	const char *wrong;

	if (!json_take_bytes(root, "page_size", &m->page_size) || !m->page_size ||
	    m->page_size > PAGE_SIZE_MAX)
		return damaged(path, "it lacks the size of a page");
	wrong = take_lines(&m->balance, root);
	if (wrong == unknown_line) {
		msg_error("%s cannot be read: %s; read it with the tool that wrote it",
			  path, wrong);
		return -1;
	}
	if (wrong)
		return damaged(path, wrong);
	take_reason(root, "no_module", m->text[0], &m->no_module);
	take_reason(root, "no_vmalloc", m->text[1], &m->vmallocs.why);
	wrong = owners_load(&m->owners, json_object_get(root, "owners"));
	if (wrong)
		return damaged(path, wrong);
	if (take_frames(m, root, path) || take_places(m, root, path) || take_sites(m, root, path))
		return -1;
	take_stats(m, root);
	return 0;
}

static int check_document(const json_t *root, const char *path)
{
	const json_t *version = json_object_get(root, "version");
	char name[32];

	if (!json_text(root, "document", name, sizeof(name)) ||
	    strcmp(name, MEMORY_DOCUMENT)) {
		if (!strcmp(name, MEMORY_CHANGES_DOCUMENT))
			msg_error("%s has changes, which memory --diff wrote: name a file of memory --save",
				  path);
		else
			msg_error("%s is another document: name a file of memory --save",
				  path);
		return -1;
	}
	if (!json_is_integer(version))
		return damaged(path, "it lacks its version");
	if (json_integer_value(version) == JSON_VERSION)
		return 0;
	msg_error("%s has version %" PRId64 ", this tool knows %d: read it with the tool that wrote it",
		  path, (int64_t)json_integer_value(version), JSON_VERSION);
	return -1;
}

static json_t *parse(const char *text, size_t size, const char *path)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

	if (root)
		return root;
	table_clean(error.text);
	if (json_error_code(&error) == json_error_premature_end_of_input && size)
		msg_error("%s is incomplete: it ends in line %d; save it again with memory --save",
			  path, error.line);
	else
		msg_error("%s is not JSON, line %d: %s; name a file of memory --save",
			  path, error.line, error.text);
	return NULL;
}

int memory_load(struct memory *m, const char *path)
{
	json_t *root;
	size_t size;
	char *text;
	int err = -1;

	memset(m, 0, sizeof(*m));
	text = textfile_read(AT_FDCWD, path, &size);
	if (!text) {
		outfile_unreadable(path);
		return -1;
	}
	root = parse(text, size, path);
	free(text);
	if (root && !check_document(root, path))
		err = take_document(m, root, path);
	json_decref(root);
	return err;
}
