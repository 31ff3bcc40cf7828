// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/trust.h"
#include "base/cmdline.h"
#include "base/array.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"
#include "memory/memory.h"

/* --- the lines ----------------------------------------------------------------- */

enum { LINE_TITLE, LINE_BYTES, LINE_SHARE, LINE_MEMINFO, LINE_FIGURE, LINE_COLS };

static const struct table_column line_columns[LINE_COLS] = {
	[LINE_TITLE] = { "", "title", TABLE_STRING, 23 },
	[LINE_BYTES] = { "KiB", "bytes", TABLE_KIB, 11 },
	[LINE_SHARE] = { "USED", "share", TABLE_PERCENT, 6 },
	[LINE_MEMINFO] = { "MEMINFO", "before", TABLE_KIB, 11 },
	[LINE_FIGURE] = { "", "formula", TABLE_STRING, 0 },
};

static bool is_shown(const struct memory *m, enum balance_id id)
{
	const struct balance_line *line = &m->balance.line[id];

	if (line->bytes)
		return true;
	return id <= LINE_CPU_LISTS || id == LINE_USED ||
	       id == LINE_UNEXPLAINED || (line->has_figure && line->before);
}

/**
 * struct lines - the lines of the balance that are printed
 * @m: the memory
 * @id: ids of the lines
 * @count: number of lines
 */
struct lines {
	const struct memory *m;
	enum balance_id id[LINES];
	size_t count;
};

static void get_line(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct lines *l = arg;
	const struct balance_line *line = &l->m->balance.line[l->id[row]];
	uint64_t used = l->m->balance.line[LINE_USED].bytes;

	switch (column) {
	case LINE_TITLE:
		snprintf(cell->string, sizeof(cell->string), "%s", line->title);
		break;
	case LINE_BYTES:
		cell->number = line->bytes;
		break;
	case LINE_SHARE:
		cell->blank = l->id[row] < LINE_USED || !used;
		if (!cell->blank)
			cell->number = line->bytes * 1000.0 / used + 0.5;
		break;
	case LINE_MEMINFO:
		cell->number = line->before;
		cell->blank = !line->has_figure;
		break;
	default:
		/* a * refers to a note below the table */
		snprintf(cell->string, sizeof(cell->string), "%c %s",
			 line->has_figure && balance_differs(line) ? '*' : ' ',
			 line->has_figure ? line->figure : "by count");
		cell->blank = !line->has_figure && !line->by_count;
	}
}

static void print_lines(const struct memory *m)
{
	struct lines l = { .m = m };
	int id;

	for (id = 0; id < LINES; id++)
		if (is_shown(m, id))
			l.id[l.count++] = id;
	table_print_text(line_columns, LINE_COLS, l.count, get_line, &l);
}

static void print_notes(const struct memory *m)
{
	const struct balance *b = &m->balance;
	int id;

	printf("\nexplained: %.1f %% of used memory\n",
	       balance_explained(&m->balance));
	for (id = 0; id < LINES; id++)
		if (is_shown(m, id) && b->line[id].note &&
		    balance_differs(&b->line[id]))
			printf("* %s: %s\n", b->line[id].title,
			       b->line[id].note);
	if (b->difference)
		printf("* total: %" PRId64 " KiB more than MemTotal\n",
		       (int64_t)b->difference / 1024);
	printf("outside of MemTotal: %" PRIu64 " KiB reserved",
	       b->reserved / 1024);
	if (b->offline)
		printf(", %" PRIu64 " KiB given back (balloon)",
		       b->offline / 1024);
	putchar('\n');
}

/* --- the sites ----------------------------------------------------------------- */

enum { SITE_BYTES, SITE_LOCATION, SITE_COLS };

static const struct table_column site_columns[SITE_COLS] = {
	[SITE_BYTES] = { "KiB", "bytes", TABLE_KIB, 11 },
	[SITE_LOCATION] = { "SITE", "location", TABLE_STRING, 0 },
};

static void get_site(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct memory_site *s = &((const struct memory *)arg)->site[row];

	if (column == SITE_BYTES)
		cell->number = s->bytes;
	else
		snprintf(cell->string, sizeof(cell->string), "%s",
			 s->tag ? s->tag->location : "?");
}

static void print_sites(const struct memory *m, size_t top)
{
	size_t rows = top && top < m->nr_sites ? top : m->nr_sites;

	if (!m->nr_sites)
		return;
	puts("\nother kernel pages:");
	table_print_text(site_columns, SITE_COLS, rows, get_site, (void *)m);
	table_print_left_out(m->nr_sites - rows);
}

/* --- zones of frames without a known user --------------------------------------- */

enum { PLACE_BYTES, PLACE_NODE, PLACE_ZONE, PLACE_ORDER, PLACE_COLS };

static const struct table_column place_columns[PLACE_COLS] = {
	[PLACE_BYTES] = { "KiB", "bytes", TABLE_KIB, 11 },
	[PLACE_NODE] = { "NODE", "node", TABLE_NUMBER, 5 },
	[PLACE_ZONE] = { "ZONE", "zone", TABLE_STRING, 8 },
	[PLACE_ORDER] = { "ORDER", "order", TABLE_STRING, 0 },
};

/**
 * struct place - frames without a known user
 * @bytes: bytes of the frames
 * @node: their node
 * @zone: their zone
 * @order: order of their compound page; -1: idle, see struct tally_node
 */
struct place {
	uint64_t bytes;
	size_t node;
	int zone;
	int order;
};

/**
 * struct places - all frames without a known user
 * @m: the memory
 * @place: the frames, by node, zone and order
 * @count: number of elements of @place
 */
struct places {
	const struct memory *m;
	struct place *place;
	size_t count;
};

static bool add_place(struct places *p, size_t node, int zone, int order)
{
	const struct tally_node *n = &p->m->tally.node[node];
	uint64_t frames = order < 0 ? n->idle[zone] : n->unknown[zone][order];
	struct place *place;

	if (!frames)
		return true;
	place = array_add(p->place, p->count);
	if (place)
		*place = (struct place){ frames * p->m->page_size, node, zone,
					 order };
	return place;
}

/* Return: false if memory ran out. */
static bool find_places(struct places *p, const struct memory *m)
{
	size_t node;
	int zone, order;

	*p = (struct places){ .m = m };
	for (node = 0; node < m->tally.nr_nodes; node++)
		for (zone = 0; zone < ZONES_MAX; zone++)
			for (order = -1; order < TALLY_ORDERS; order++)
				if (!add_place(p, node, zone, order))
					return false;
	return true;
}

static void get_place(void *arg, size_t row, size_t column,
		      struct table_cell *cell)
{
	const struct places *p = arg;
	const struct place *place = &p->place[row];

	switch (column) {
	case PLACE_BYTES:
		cell->number = place->bytes;
		break;
	case PLACE_NODE:
		cell->number = place->node;
		break;
	case PLACE_ZONE:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 p->m->zones.zone[place->zone]);
		break;
	default:
		snprintf(cell->string, sizeof(cell->string),
			 place->order < 0 ?
				 "- (free in lists of CPUs, or the rest of a higher order)" :
				 "%d",
			 place->order);
	}
}

static void print_places(const struct places *p)
{
	if (!p->m->tally.nr_nodes)
		return;
	puts("\nunexplained frames, including those that are known by count:");
	table_print_text(place_columns, PLACE_COLS, p->count, get_place,
			 (void *)p);
}

/* --- the nodes ----------------------------------------------------------------- */

/**
 * struct nodes - a row for each kind of frames, a column for each node
 * @m: the memory
 * @kind: the kinds
 */
struct nodes {
	const struct memory *m;
	int kind[KINDS];
};

static void get_node(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct nodes *n = arg;
	int kind = n->kind[row];

	if (!column)
		snprintf(cell->string, sizeof(cell->string), "%s",
			 kind_names[kind]);
	else
		cell->number = n->m->tally.node[column - 1].kind[kind] *
			       n->m->page_size;
}

static void print_nodes(const struct memory *m)
{
	struct table_column columns[TABLE_COLUMNS_MAX] = {
		{ "KiB", "kind", TABLE_STRING, 10 },
	};
	char title[TABLE_COLUMNS_MAX][16];
	struct nodes n = { .m = m };
	size_t node, rows = 0, cols = m->tally.nr_nodes + 1;
	int kind;

	if (cols > TABLE_COLUMNS_MAX)
		cols = TABLE_COLUMNS_MAX;
	for (node = 0; node + 1 < cols; node++) {
		snprintf(title[node], sizeof(title[node]), "NODE %zu", node);
		columns[node + 1] = (struct table_column){
			title[node], title[node], TABLE_KIB, 11
		};
	}
	for (kind = KIND_POISONED; kind < KINDS; kind++)
		if (m->tally.kind[kind])
			n.kind[rows++] = kind;
	putchar('\n');
	table_print_text(columns, cols, rows, get_node, &n);
}

/**
 * struct wanted - the options
 * @top: value of --top
 * @by_node: --by-node is given
 * @json: --json is given
 * @verbose: --verbose is given
 */
struct wanted {
	size_t top;
	bool by_node;
	bool json;
	bool verbose;
};

/* --- state of accounting ------------------------------------------------------- */

static void print_accounting(const struct memory *m, bool verbose)
{
	double since = memory_since(m);

	putchar('\n');
	if (m->no_module) {
		printf("the sites of kernel pages are unknown: %s\n",
		       m->no_module);
		return;
	}
	if (m->vmallocs.why)
		printf("the areas of vmalloc() are unknown: %s\n",
		       m->vmallocs.why);
	if (since >= 0)
		printf("accounting has been on for %.0f s; memory that was allocated before has no site\n",
		       since);
	trust_print(&m->tags, verbose);
}

/* --- JSON ------------------------------------------------------------------------- */

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

	for (i = 0; i < m->nr_sites && (!top || i < top); i++) {
		const struct tag *tag = m->site[i].tag;

		json_array_append_new(
			sites,
			json_pack("{s:I,s:I,s:o,s:s?}", "bytes",
				  (json_int_t)m->site[i].bytes, "id",
				  (json_int_t)(tag ? tag->id : 0), "address",
				  table_json_address(tag ? tag->address : 0),
				  "location", tag ? tag->location : NULL));
	}
	return sites;
}

static json_t *json_places(const struct places *p)
{
	json_t *places = json_array();
	size_t i;

	for (i = 0; i < p->count; i++) {
		const struct place *place = &p->place[i];

		json_array_append_new(
			places,
			json_pack("{s:i,s:s,s:o,s:I}", "node", (int)place->node,
				  "zone", p->m->zones.zone[place->zone], "order",
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

static json_t *json_accounting(const struct memory *m)
{
	double since = memory_since(m);

	if (m->no_module)
		return json_null();
	return json_pack("{s:b,s:o,s:o,s:o}", "on",
			 (int)trust_counter(&m->tags, "accounting"),
			 "since_seconds",
			 since < 0 ? json_null() : json_real(since), "error",
			 trust_json(&m->tags), "holes",
			 trust_json_holes(&m->tags));
}

static int print_json(const struct memory *m, const struct places *p, size_t top)
{
	const struct balance *b = &m->balance;
	return json_print(json_pack(
		"{s:I,s:f,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:s?,s:s?,s:o}",
		"page_size", (json_int_t)m->page_size,
		"explained_percent", balance_explained(b), "difference",
		(json_int_t)b->difference, "reserved", (json_int_t)b->reserved,
		"offline", (json_int_t)b->offline, "lines", json_lines(m),
		"kinds", json_kinds(m, m->tally.kind), "nodes", json_nodes(m),
		"sites", json_sites(m, top), "unknown", json_places(p),
		"no_module", m->no_module, "no_vmalloc", m->vmallocs.why,
		"accounting", json_accounting(m)));
}

/* --- the command -------------------------------------------------------------------- */

static int print(const struct memory *m, const struct wanted *w)
{
	struct places places;
	int ret = EXIT_DONE;

	if (!find_places(&places, m)) {
		ret = msg_oom();
	} else if (w->json) {
		ret = print_json(m, &places, w->top);
	} else {
		print_lines(m);
		print_notes(m);
		print_sites(m, w->top);
		print_places(&places);
		if (w->by_node)
			print_nodes(m);
		print_accounting(m, w->verbose);
	}
	free(places.place);
	return ret;
}

static int show(const struct wanted *w)
{
	struct memory m;
	int ret = EXIT_FAILED;

	if (!memory_read(&m))
		ret = print(&m, w);
	memory_free(&m);
	return ret;
}

static const struct option_row rows[] = {
	{ 'n', "top", "N",
	  "show N sites of other kernel pages; 0 is all; default 10",
	  OPTION_COUNT(struct wanted, top) },
	{ 0, "by-node", NULL, "also show the frames of each NUMA node",
	  OPTION_TRUE(struct wanted, by_node) },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, json) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, verbose) },
	{ 0 },
};

const struct options cmd_memory_options = {
	.command = "memory",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows the use of all memory of the machine: each page frame counts once. It needs root; without the module, much of the kernel's memory stays unexplained.",
	.rows = rows,
};

int cmd_memory(int argc, char **argv)
{
	struct wanted w = { .top = 10 };
	struct cmdline line = cmdline_parse(&cmd_memory_options, argc, argv, &w);

	if (line.is_over)
		return line.ret;
	return show(&w);
}
