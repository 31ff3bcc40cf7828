// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "account/trust.h"
#include "base/cmdline.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/table.h"
#include "command.h"
#include "memory/memory.h"
#include "memory/memory_changes.h"
#include "memory/memory_json.h"

/**
 * struct wanted - the command line
 * @top: value of --top
 * @by_node: --by-node is given; JSON always has the nodes
 * @by_owner: --by-owner is given
 * @json: --json is given
 * @verbose: --verbose is given
 * @input: file of --input, or NULL
 * @old: file of --diff, or NULL
 * @save: file of --save, or NULL
 */
struct wanted {
	size_t top;
	bool by_node;
	bool by_owner;
	bool json;
	bool verbose;
	const char *input;
	const char *old;
	const char *save;
};

/* --- nodes ---------------------------------------------------------------------- */

/* rows below those of the lines that have kinds of frames */
enum { NODE_BY_COUNT, NODE_UNEXPLAINED, NODE_TOTAL, NODE_ROWS };

static const struct {
	const char *key;
	const char *title;
} node_rows[NODE_ROWS] = {
	[NODE_BY_COUNT] = { "by_count", "lines by count, together" },
	[NODE_UNEXPLAINED] = { "unexplained", "unexplained" },
	[NODE_TOTAL] = { "total", "total" },
};

/**
 * struct nodes - the use of each node
 * @m: the memory
 * @old: NULL; or the memory before, and the rows are changes
 * @count: number of nodes
 * @id: lines that have kinds of frames
 * @lines: number of these
 */
struct nodes {
	const struct memory *m;
	const struct memory *old;
	size_t count;
	enum balance_id id[LINES];
	size_t lines;
};

/* What one node has of a mask of kinds; a node that is not there has nothing. */
static int64_t node_bytes(const struct memory *m, size_t node, uint32_t kinds)
{
	int64_t frames = 0;
	int kind;

	for (kind = 0; kind < KINDS && node < m->tally.nr_nodes; kind++)
		if (kinds & 1u << kind)
			frames += m->tally.node[node].kind[kind];
	return frames * (int64_t)m->page_size;
}

static int64_t unexplained_bytes(const struct memory *m, size_t node)
{
	int64_t bytes = 0;
	size_t i;

	for (i = 0; i < m->nr_places; i++)
		if (m->place[i].node == node)
			bytes += m->place[i].bytes;
	return bytes;
}

static int64_t node_row(const struct nodes *n, const struct memory *m, size_t row,
			size_t node)
{
	if (row < n->lines)
		return node_bytes(m, node, m->balance.line[n->id[row]].kinds);
	switch (row - n->lines) {
	case NODE_BY_COUNT:
		return node_bytes(m, node, 1u << KIND_UNKNOWN) - unexplained_bytes(m, node);
	case NODE_UNEXPLAINED:
		return unexplained_bytes(m, node);
	default:
		return node_bytes(m, node, ~(1u << KIND_HOLE | 1u << KIND_RESERVED |
					     1u << KIND_OFFLINE));
	}
}

/* A line is left out if the machine has nothing of it, unless @all. */
static struct nodes make_nodes(const struct memory *m, const struct memory *old, bool all)
{
	struct nodes n = { .m = m, .old = old, .count = m->tally.nr_nodes };
	int id;

	if (old && old->tally.nr_nodes > n.count)
		n.count = old->tally.nr_nodes;
	for (id = 0; id < LINES; id++)
		if (m->balance.line[id].kinds &&
		    (all || m->balance.line[id].bytes || (old && old->balance.line[id].bytes)))
			n.id[n.lines++] = id;
	return n;
}

static const char *title_of(const struct nodes *n, size_t row)
{
	return row < n->lines ? n->m->balance.line[n->id[row]].title :
				node_rows[row - n->lines].title;
}

/* --- nodes as text ---------------------------------------------------------------- */

static void get_node(void *arg, size_t row, struct table_cell *cell)
{
	const struct nodes *n = arg;

	if (!cell->before)
		snprintf(cell->string, sizeof(cell->string), "%s", title_of(n, row));
	else
		cell->number = node_row(n, n->m, row, cell->before - 1) -
			       (n->old ? node_row(n, n->old, row, cell->before - 1) : 0);
}

static void nodelines_print(const struct memory *m, const struct memory *old)
{
	struct table_column columns[TABLE_COLUMNS_MAX] = {
		FIGURE_NODE_LINE,
	};
	char title[TABLE_COLUMNS_MAX][16];
	struct nodes n = make_nodes(m, old, false);
	size_t node, cols = n.count + 1;

	if (cols > TABLE_COLUMNS_MAX)
		cols = TABLE_COLUMNS_MAX;
	for (node = 0; node + 1 < cols; node++) {
		snprintf(title[node], sizeof(title[node]), "NODE %zu", node);
		columns[node + 1] = (struct table_column){
			title[node], title[node], old ? TABLE_KIB_CHANGE : TABLE_KIB, 11, NULL
		};
	}
	printf(old ? "\nchanges of each NUMA node:\n" : "\n");
	table_print_text(columns, cols, n.lines + NODE_ROWS, get_node, &n);
	puts("which code has allocated on a node: pages --node N");
}

/* --- nodes as JSON ---------------------------------------------------------------- */

static json_t *json_line(const struct nodes *n, size_t row, size_t node)
{
	int64_t before = node_row(n, n->old, row, node);
	int64_t now = node_row(n, n->m, row, node);

	return json_pack("{s:s,s:s,s:I,s:I,s:I}", "line",
			 row < n->lines ? n->m->balance.line[n->id[row]].key :
					  node_rows[row - n->lines].key,
			 "title", title_of(n, row), "before", (json_int_t)before, "now",
			 (json_int_t)now, "change", (json_int_t)(now - before));
}

static json_t *nodelines_json(const struct memory *m, const struct memory *old)
{
	struct nodes n = make_nodes(m, old, true);
	json_t *nodes = json_array(), *lines;
	size_t node, row;

	for (node = 0; node < n.count; node++) {
		lines = json_array();
		for (row = 0; row < n.lines + NODE_ROWS; row++)
			json_array_append_new(lines, json_line(&n, row, node));
		json_array_append_new(nodes, lines);
	}
	return nodes;
}

/* --- the lines ----------------------------------------------------------------- */

/* Lines of 0 bytes are mostly left out. */
static bool memory_line_is_shown(const struct memory *m, enum balance_id id)
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
 * @old: NULL; or the memory before
 * @id: ids of the lines
 * @count: number of lines
 */
struct lines {
	const struct memory *m;
	const struct memory *old;
	enum balance_id id[LINES];
	size_t count;
};

static const struct table_column line_columns[] = {
	FIGURE_TITLE, FIGURE_LINE, FIGURE_LINE_SHARE, FIGURE_LINE_MEMINFO, FIGURE_LINE_FORMULA,
};

static void memory_line_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct lines *l = arg;
	const struct balance_line *line = &l->m->balance.line[l->id[i]];
	uint64_t used = l->id[i] < LINE_USED ? 0 : l->m->balance.line[LINE_USED].bytes;

	row_text(cell, line->title);
	row_number(cell, line->bytes);
	row_existing(cell, used, used ? line->bytes * 1000.0 / used + 0.5 : 0);
	row_existing(cell, line->has_figure, line->before);
	/* a * refers to a note below the table */
	if (line->has_figure)
		row_format(cell, "%c %s", balance_differs(line) ? '*' : ' ', line->figure);
	else
		row_text(cell, line->by_count ? "  by count" : "");
}

static void print_lines(const struct memory *m, const struct memory *old,
			const struct table_column *columns, size_t nr_columns, table_get get)
{
	struct lines l = { .m = m, .old = old };
	int id;

	for (id = 0; id < LINES; id++)
		if (memory_line_is_shown(m, id) || (old && memory_line_is_shown(old, id)))
			l.id[l.count++] = id;
	table_print_text(columns, nr_columns, l.count, get, &l);
}

static void print_notes(const struct memory *m)
{
	const struct balance *b = &m->balance;
	int id;

	printf("\nexplained: %.1f %% of used memory\n",
	       balance_explained(&m->balance));
	for (id = 0; id < LINES; id++)
		if (memory_line_is_shown(m, id) && b->line[id].note &&
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

static const struct table_column site_columns[] = { FIGURE_LINE, FIGURE_SITE };

static void memory_site_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct site_row *s = &((const struct memory *)arg)->sites.row[i];

	row_number(cell, s->f.bytes);
	row_text(cell, *s->location ? s->location : NULL);
}

static void print_sites(const struct memory *m, size_t top)
{
	size_t rows = top && top < m->sites.count ? top : m->sites.count;

	if (!m->sites.count)
		return;
	puts("\nother kernel pages:");
	table_print_text(site_columns, TABLE_COLUMNS(site_columns), rows, memory_site_cell,
			 (void *)m);
	table_print_left_out(m->sites.count - rows);
}

/* --- zones of unexplained frames ------------------------------------------------ */

static const struct table_column place_columns[] = {
	FIGURE_LINE, FIGURE_NODE, FIGURE_ZONE, FIGURE_ORDER,
};

static void memory_place_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct memory *m = arg;
	const struct memory_place *place = &m->place[i];

	row_number(cell, place->bytes);
	row_number(cell, place->node);
	row_text(cell, m->zones.zone[place->zone]);
	row_format(cell, place->order < 0 ? "- (the rest of a higher order)" : "%d",
		   place->order);
}

static void print_places(const struct memory *m)
{
	if (!m->nr_places)
		return;
	puts("\nunexplained frames:");
	table_print_text(place_columns, TABLE_COLUMNS(place_columns), m->nr_places,
			 memory_place_cell, (void *)m);
	if (m->no_module)
		return;
	puts("they have no mark of their use; those that were allocated before accounting was switched on");
	printf("%s; load the module earlier, for example from the initramfs, to know their sites\n",
	       trust_counter(&m->tags, "survey") ? "are in the row earlier/page:0 func:other of allocinfo" :
						   "are in no row of allocinfo");
}

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
		printf("accounting has been on for %.0f s; memory that was allocated before %s\n",
		       since,
		       trust_counter(&m->tags, "survey") ?
			       "is in the rows earlier/" : "has no site");
	trust_print(&m->tags, verbose);
}

/* --- everything ------------------------------------------------------------------ */

static void memory_print(const struct memory *m, const struct wanted *w)
{
	print_lines(m, NULL, line_columns, TABLE_COLUMNS(line_columns), memory_line_cell);
	print_notes(m);
	print_sites(m, w->top);
	print_places(m);
	if (w->by_node)
		nodelines_print(m, NULL);
	if (w->by_owner)
		owners_print(&m->owners);
	print_accounting(m, w->verbose);
}

/* --- changes of the lines -------------------------------------------------------------------- */

static const struct table_column changes_line_columns[] = {
	FIGURE_TITLE, FIGURE_LINE_BEFORE, FIGURE_LINE_NOW, FIGURE_LINE_CHANGE,
};

static void changes_line_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct lines *l = arg;
	const struct balance_line *old = &l->old->balance.line[l->id[i]];
	const struct balance_line *now = &l->m->balance.line[l->id[i]];

	row_text(cell, now->title);
	row_number(cell, old->bytes);
	row_number(cell, now->bytes);
	row_number(cell, now->bytes - old->bytes);
}

static void changes_print_notes(const struct memory_changes *c)
{
	const struct balance *old = &c->old->balance, *now = &c->now->balance;
	size_t i;

	printf("\nexplained: %.1f %% of used memory before, %.1f %% now\n",
	       balance_explained(old), balance_explained(now));
	for (i = 0; i < c->nr_notes; i++)
		printf("* %s\n", c->note[i]);
	printf("outside of MemTotal: %+" PRId64 " KiB reserved",
	       (int64_t)(now->reserved - old->reserved) / 1024);
	if (old->offline || now->offline)
		printf(", %+" PRId64 " KiB given back (balloon)",
		       (int64_t)(now->offline - old->offline) / 1024);
	putchar('\n');
}

/* --- changes of the sites ----------------------------------------------------------- */

static const struct table_column changes_site_columns[] = {
	FIGURE_LINE_BEFORE, FIGURE_LINE_NOW, FIGURE_LINE_CHANGE, FIGURE_SITE,
};

static void changes_site_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct change *site = &((const struct memory_changes *)arg)->sites.row[i];
	const char *location = site->now ? site->now->location : site->old->location;

	row_number(cell, change_figures(site->old)->bytes);
	row_number(cell, change_figures(site->now)->bytes);
	row_number(cell, site->by.bytes);
	row_text(cell, *location ? location : NULL);
}

static void changes_print_sites(const struct memory_changes *c, const struct listing *l)
{
	if (!memory_changes_know_sites(c))
		return;
	puts("\nchanges of other kernel pages:");
	if (l->nr_rows)
		listing_print(l, TABLE_TEXT);
	else
		puts("none");
}

/* --- changes as JSON ------------------------------------------------------------------------- */

static json_t *json_pair(uint64_t before, uint64_t now)
{
	return json_pack("{s:I,s:I,s:I}", "before", (json_int_t)before, "now",
			 (json_int_t)now, "change", (json_int_t)(now - before));
}

static json_t *json_total(const struct memory_changes *c)
{
	const struct balance_line *old = &c->old->balance.line[LINE_TOTAL];
	const struct balance_line *now = &c->now->balance.line[LINE_TOTAL];

	return old->has_figure && now->has_figure ?
		       json_pair(old->before, now->before) :
		       json_null();
}

static json_t *json_lines(const struct memory_changes *c)
{
	const struct balance_line *old = c->old->balance.line;
	const struct balance_line *now = c->now->balance.line;
	json_t *lines = json_array(), *line;
	int id;

	for (id = 0; id < LINES; id++) {
		line = json_pack("{s:s,s:s}", "line", now[id].key, "title",
				 now[id].title);
		json_object_update_new(line, json_pair(old[id].bytes, now[id].bytes));
		json_array_append_new(lines, line);
	}
	return lines;
}

static json_t *json_notes(const struct memory_changes *c)
{
	json_t *notes = json_array();
	size_t i;

	for (i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, json_string(c->note[i]));
	return notes;
}

static json_t *json_error(const struct memory *m)
{
	return m->no_module ? json_null() : trust_json(&m->tags);
}

static int changes_print_json(const struct memory_changes *c, const struct listing *l)
{
	const struct balance *old = &c->old->balance, *now = &c->now->balance;

	return json_print(json_pack(
		"{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:o,s:o}", "document",
		MEMORY_CHANGES_DOCUMENT, "page_size",
		json_pair(c->old->page_size, c->now->page_size), "mem_total",
		json_total(c), "reserved", json_pair(old->reserved, now->reserved),
		"offline", json_pair(old->offline, now->offline), "lines",
		json_lines(c), "nodes", nodelines_json(c->now, c->old), "owners",
		owners_changes_json(&c->old->owners, &c->now->owners), "sites",
		memory_changes_know_sites(c) ? listing_json(l) : json_null(),
		"left_out",
		(json_int_t)(l->nr_rows - l->shown), "notes", json_notes(c),
		"old_error", json_error(c->old), "error", json_error(c->now)));
}

/* --- all changes ------------------------------------------------------------------ */

static void changes_print_text(const struct memory_changes *c, const struct listing *l,
			       const struct wanted *w)
{
	print_lines(c->now, c->old, changes_line_columns, TABLE_COLUMNS(changes_line_columns),
		    changes_line_cell);
	changes_print_notes(c);
	changes_print_sites(c, l);
	if (w->by_node)
		nodelines_print(c->now, c->old);
	if (w->by_owner)
		owners_print_changes(&c->old->owners, &c->now->owners);
	if (!memory_changes_know_sites(c))
		return;
	putchar('\n');
	trust_print_changes(&c->old->tags, &c->now->tags, w->verbose);
}

static int memory_print_changes(const struct memory_changes *c, const struct wanted *w)
{
	struct listing l = LISTING(changes_site_columns, c->sites.count, changes_site_cell, c);
	int ret = EXIT_DONE;

	listing_sort_by(&l, "change", w->top);
	if (w->json)
		ret = changes_print_json(c, &l);
	else
		changes_print_text(c, &l, w);
	listing_free(&l);
	return ret;
}

/* --- the command ------------------------------------------------------------------ */

static int read(struct memory *m, const char *input)
{
	return input ? memory_load(m, input) : memory_read(m);
}

/* The old file is read first, because reading the frames of the machine takes longer. */
static int show_changes(const struct wanted *w)
{
	struct memory old, m = { 0 };
	struct memory_changes changes;
	int ret = EXIT_FAILED;

	if (!memory_load(&old, w->old) && !read(&m, w->input)) {
		memory_changes_make(&changes, &old, &m);
		ret = memory_print_changes(&changes, w);
		memory_changes_free(&changes);
	}
	memory_free(&m);
	memory_free(&old);
	return ret;
}

static int memory_show(const struct wanted *w)
{
	struct memory m;
	int ret = read(&m, w->input) ? EXIT_FAILED : EXIT_DONE;

	if (!ret && w->save) {
		ret = json_save(memory_json(&m, 0), w->save);
		if (!ret)
			msg_note("the use of memory was saved in %s", w->save);
	} else if (!ret && w->json) {
		ret = json_print(memory_json(&m, w->top));
	} else if (!ret) {
		memory_print(&m, w);
	}
	memory_free(&m);
	return ret;
}

static const struct option_row rows[] = {
	{ 'n', "top", "N",
	  "show N sites of other kernel pages; 0 is all; default 10",
	  OPTION_COUNT(struct wanted, top) },
	{ 0, "by-node", NULL, "also show the frames of each NUMA node",
	  OPTION_TRUE(struct wanted, by_node) },
	{ 0, "by-owner", NULL, "also divide all memory among the kernel, its modules and others",
	  OPTION_TRUE(struct wanted, by_owner) },
	{ 0, "diff", "OLDFILE", "show the changes since OLDFILE was saved",
	  OPTION_TEXT(struct wanted, old), .offers = "files" },
	{ 0, "save", "FILE", "save the current state, for --diff and --input",
	  OPTION_TEXT(struct wanted, save), .offers = "files" },
	{ 'i', "input", "FILE", "show a saved state instead of the current one",
	  OPTION_TEXT(struct wanted, input), .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, json) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, verbose) },
	{ 0 },
};

const struct options cmd_memory_options = {
	.command = "memory",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows the use of all memory of the machine: each page frame counts once. Without --input, it needs root; without the module, much of the kernel's memory stays unexplained.",
	.rows = rows,
};

int cmd_memory(int argc, char **argv)
{
	struct wanted w = { .top = 10 };
	struct cmdline line = cmdline_parse(&cmd_memory_options, argc, argv, &w);

	if (line.is_over)
		return line.ret;
	if (w.save && (w.old || w.json))
		return msg_usage("memory", "--save writes the complete state as JSON: it cannot be combined with --diff or --json");
	return w.old ? show_changes(&w) : memory_show(&w);
}
