// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/figures.h"
#include "base/table.h"
#include "memory/nodelines.h"

/* rows below those of the lines that have kinds of frames */
enum { NODE_BY_COUNT, NODE_UNEXPLAINED, NODE_TOTAL, NODE_ROWS };

static const struct {
	const char *key;
	const char *title;
} rows[NODE_ROWS] = {
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
				rows[row - n->lines].title;
}

/* --- text ------------------------------------------------------------------------- */

static void get_node(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct nodes *n = arg;

	if (!column)
		snprintf(cell->string, sizeof(cell->string), "%s", title_of(n, row));
	else
		cell->number = node_row(n, n->m, row, column - 1) -
			       (n->old ? node_row(n, n->old, row, column - 1) : 0);
}

void nodelines_print(const struct memory *m, const struct memory *old)
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

/* --- JSON ------------------------------------------------------------------------- */

static json_t *json_line(const struct nodes *n, size_t row, size_t node)
{
	int64_t before = node_row(n, n->old, row, node);
	int64_t now = node_row(n, n->m, row, node);

	return json_pack("{s:s,s:s,s:I,s:I,s:I}", "line",
			 row < n->lines ? n->m->balance.line[n->id[row]].key :
					  rows[row - n->lines].key,
			 "title", title_of(n, row), "before", (json_int_t)before, "now",
			 (json_int_t)now, "change", (json_int_t)(now - before));
}

json_t *nodelines_json(const struct memory *m, const struct memory *old)
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
