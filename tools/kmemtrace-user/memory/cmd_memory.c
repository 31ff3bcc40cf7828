// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "account/trust.h"
#include "base/cmdline.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/table.h"
#include "command.h"
#include "memory/memory.h"

/* --- text ------------------------------------------------------------------------- */

#define KB(bytes) ((bytes) / 1024)

static bool is_shown(const struct memory *m, enum balance_id id)
{
	const struct balance_line *line = &m->balance.line[id];

	if (line->bytes)
		return true;
	return id <= LINE_CPU_LISTS || id == LINE_USED ||
	       id == LINE_UNEXPLAINED || (line->has_figure && line->before);
}

static void print_line(const struct memory *m, enum balance_id id)
{
	const struct balance_line *line = &m->balance.line[id];
	uint64_t used = m->balance.line[LINE_USED].bytes;

	printf("%-23s %11" PRIu64, line->title, KB(line->bytes));
	if (id >= LINE_USED && used)
		printf(" %5.1f%%", line->bytes * 100.0 / used);
	else if (line->has_figure || line->by_count)
		printf(" %6s", "");
	if (line->has_figure)
		printf(" %11" PRId64 "%c %s", KB(line->before),
		       balance_differs(line) ? '*' : ' ', line->figure);
	else if (line->by_count)
		printf(" %11s", "by count");
	putchar('\n');
}

static void print_lines(const struct memory *m)
{
	int id;

	printf("%-23s %11s %6s %11s\n", "", "KB", "USED", "MEMINFO");
	for (id = 0; id < LINES; id++)
		if (is_shown(m, id))
			print_line(m, id);
	printf("\nexplained: %.1f %% of used memory\n",
	       balance_explained(&m->balance));
}

static void print_notes(const struct memory *m)
{
	const struct balance *b = &m->balance;
	int id;

	for (id = 0; id < LINES; id++)
		if (is_shown(m, id) && b->line[id].note &&
		    balance_differs(&b->line[id]))
			printf("* %s: %s\n", b->line[id].title,
			       b->line[id].note);
	if (b->difference)
		printf("* total: %" PRId64 " kB more than MemTotal\n",
		       KB(b->difference));
	printf("outside of MemTotal: %" PRIu64 " kB reserved", KB(b->reserved));
	if (b->offline)
		printf(", %" PRIu64 " kB given back (balloon)", KB(b->offline));
	putchar('\n');
}

static void print_sites(const struct memory *m, size_t top)
{
	size_t i;

	if (!m->nr_sites)
		return;
	printf("\nother kernel pages:\n%11s  SITE\n", "KB");
	for (i = 0; i < m->nr_sites && (!top || i < top); i++)
		printf("%11" PRIu64 "  %s\n", KB(m->site[i].bytes),
		       m->site[i].tag ? m->site[i].tag->location : "?");
	if (i < m->nr_sites)
		printf("(%zu more: --top 0)\n", m->nr_sites - i);
}

/* @order: -1 for frames that nobody holds */
typedef void (*visit_place)(const struct memory *m, size_t node, int zone,
			    int order, uint64_t bytes, void *arg);

/* Where the frames are that nobody knows. */
static void each_place(const struct memory *m, visit_place visit, void *arg)
{
	size_t node;
	int zone, order;

	for (node = 0; node < m->tally.nr_nodes; node++) {
		const struct tally_node *n = &m->tally.node[node];

		for (zone = 0; zone < ZONES_MAX; zone++) {
			for (order = -1; order < TALLY_ORDERS; order++) {
				uint64_t frames = order < 0 ?
							  n->idle[zone] :
							  n->unknown[zone][order];

				if (frames)
					visit(m, node, zone, order,
					      frames * m->page_size, arg);
			}
		}
	}
}

static void print_place(const struct memory *m, size_t node, int zone,
			int order, uint64_t bytes, void *arg)
{
	(void)arg;
	printf("%11" PRIu64 " %5zu %-8s ", KB(bytes), node,
	       m->zones.zone[zone]);
	if (order < 0)
		puts("- (free in lists of CPUs, or the rest of a higher order)");
	else
		printf("%d\n", order);
}

static void print_places(const struct memory *m)
{
	if (!m->tally.nr_nodes)
		return;
	printf("\nframes that nobody knows, also those that are known by count:\n%11s %5s %-8s ORDER\n",
	       "KB", "NODE", "ZONE");
	each_place(m, print_place, NULL);
}

static void print_nodes(const struct memory *m)
{
	const struct tally *t = &m->tally;
	char title[32];
	size_t node;
	int kind;

	printf("\n%-10s", "KB");
	for (node = 0; node < t->nr_nodes; node++) {
		snprintf(title, sizeof(title), "NODE %zu", node);
		printf(" %11s", title);
	}
	putchar('\n');
	for (kind = KIND_POISONED; kind < KINDS; kind++) {
		if (!t->kind[kind])
			continue;
		printf("%-10s", kind_names[kind]);
		for (node = 0; node < t->nr_nodes; node++)
			printf(" %11" PRIu64,
			       KB(t->node[node].kind[kind] * m->page_size));
		putchar('\n');
	}
}

static void print_accounting(const struct memory *m)
{
	double since = memory_since(m);

	putchar('\n');
	if (m->no_module) {
		printf("who allocated kernel pages is not known: %s\n",
		       m->no_module);
		return;
	}
	if (m->vmallocs.why)
		printf("what vmalloc() has is not known: %s\n",
		       m->vmallocs.why);
	if (since >= 0)
		printf("accounting has been on for %.0f s; what was allocated before has no site\n",
		       since);
	trust_print(&m->tags);
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

static void add_place(const struct memory *m, size_t node, int zone, int order,
		      uint64_t bytes, void *places)
{
	json_array_append_new(
		places,
		json_pack("{s:i,s:s,s:o,s:I}", "node", (int)node, "zone",
			  m->zones.zone[zone], "order",
			  order < 0 ? json_null() : json_integer(order),
			  "bytes", (json_int_t)bytes));
}

static json_t *json_places(const struct memory *m)
{
	json_t *places = json_array();

	each_place(m, add_place, places);
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

static int print_json(const struct memory *m, size_t top)
{
	const struct balance *b = &m->balance;
	json_t *root = json_pack(
		"{s:i,s:I,s:f,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:s?,s:s?,s:o}",
		"version", 1, "page_size", (json_int_t)m->page_size,
		"explained_percent", balance_explained(b), "difference",
		(json_int_t)b->difference, "reserved", (json_int_t)b->reserved,
		"offline", (json_int_t)b->offline, "lines", json_lines(m),
		"kinds", json_kinds(m, m->tally.kind), "nodes", json_nodes(m),
		"sites", json_sites(m, top), "unknown", json_places(m),
		"no_module", m->no_module, "no_vmalloc", m->vmallocs.why,
		"accounting", json_accounting(m));

	return json_print(root, JSON_INDENT(1));
}

/* --- the command -------------------------------------------------------------------- */

static int show(size_t top, bool json, bool by_node)
{
	struct memory m;
	int ret = EXIT_FAILED;

	if (memory_read(&m))
		goto out;
	ret = EXIT_DONE;
	if (json) {
		ret = print_json(&m, top);
		goto out;
	}
	print_lines(&m);
	print_notes(&m);
	print_sites(&m, top);
	print_places(&m);
	if (by_node)
		print_nodes(&m);
	print_accounting(&m);
out:
	memory_free(&m);
	return ret;
}

/**
 * struct wanted - the options
 * @top: of --top
 * @by_node: of --by-node
 * @json: of --json
 */
struct wanted {
	size_t top;
	bool by_node;
	bool json;
};

static const struct option_row rows[] = {
	{ 'n', "top", "N",
	  "show N sites of other kernel pages; 0 is all; default 10",
	  OPTION_COUNT(struct wanted, top) },
	{ 0, "by-node", NULL, "also show the frames of each NUMA node",
	  OPTION_TRUE(struct wanted, by_node) },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, json) },
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
	return show(w.top, w.json, w.by_node);
}
