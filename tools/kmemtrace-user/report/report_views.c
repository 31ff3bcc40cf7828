// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/cpulist.h"
#include "report/report.h"

/* --- lifetimes ------------------------------------------------------------ */

static const struct table_column life_columns[] = {
	FIGURE_LIFE_50, FIGURE_LIFE_90, FIGURE_LIFE_99, FIGURE_LIFE_FREED, FIGURE_OBJECTS,
	FIGURE_LIFE_OLDEST, FIGURE_KIND, FIGURE_SITE,
	FIGURE_LIFE_LONGEST, FIGURE_OBJECTS_LOW, FIGURE_OBJECTS_HIGH,
};

static void give_percentile(struct table_cell *cell, const struct report *r,
			    const struct survival *s, unsigned int percent)
{
	if (!row_wants(cell))
		return;
	cell->unknown = r->no_live || r->a.frees_unseen || !(s->ended + s->censored);
	if (!cell->unknown)
		cell->beyond = !survival_percentile(s, percent, &cell->number);
}

static void life_cell(void *arg, size_t i, struct table_cell *cell)
{
	struct report *r = arg;
	const struct group *g = r->rows[i];
	size_t group = g - r->a.groups.groups;
	const struct survival *s = &r->lifetimes.groups[group];
	struct analysis_bounds b;

	analysis_bounds(&r->a, g, &b);
	give_percentile(cell, r, s, 50);
	give_percentile(cell, r, s, 90);
	give_percentile(cell, r, s, 99);
	row_number(cell, s->ended);
	row_known(cell, !r->no_live, group_objects(g));
	if (row_wants(cell)) {
		cell->number = r->lifetimes.oldest[group];
		cell->blank = !group_objects(g);
		cell->unknown = r->no_live;
	}
	report_group_text(cell, r, g);
	row_known(cell, s->ended + s->censored, s->longest);
	row_known(cell, !r->no_live, b.objects_low);
	row_known(cell, !r->no_live, b.objects_high);
}

/* --- temporary allocations ------------------------------------------------ */

static const struct table_column temp_columns[] = {
	FIGURE_TEMPORARY, FIGURE_TEMPORARY_SHARE, FIGURE_TEMPORARY_BYTES, FIGURE_ALLOCS,
	FIGURE_KIND, FIGURE_SITE,
};

static void temp_cell(void *arg, size_t i, struct table_cell *cell)
{
	struct report *r = arg;
	const struct group *g = r->rows[i];
	struct temporary_sums sums =
		temporary_of(&r->temporary, g - r->a.groups.groups);

	row_number(cell, sums.count);
	row_number(cell, g->allocs ? 1000.0 * sums.count / g->allocs + 0.5 : 0);
	row_number(cell, sums.bytes);
	row_number(cell, g->allocs);
	report_group_text(cell, r, g);
}

/* --- the matrix ----------------------------------------------------------- */

static const struct table_column matrix_columns[] = {
	FIGURE_FREES, FIGURE_FREED_BYTES, FIGURE_FROM_CPU, FIGURE_TO_CPU,
};

static uint32_t place_of(const struct matrix *m, uint32_t cpu)
{
	/* live entries have so many bits of the number of the CPU */
	cpu &= (1u << LIVE_CPU_BITS) - 1;
	if (!m->nodes)
		return cpu;
	return cpu < m->nr_nodes && m->nodes[cpu] ? m->nodes[cpu] - 1 : MATRIX_UNKNOWN;
}

/* A free counts once, when the beginning of its block is freed. */
static void matrix_add_free(void *arg, const struct analysis_change *c)
{
	struct matrix *m = arg;
	uint32_t i;

	if (c->implicit)
		return;
	i = pairs_get(&m->pairs, place_of(m, c->from), place_of(m, c->cpu));
	m->cells = pairs_fit(&m->pairs, m->cells, &m->room, sizeof(*m->cells));
	m->cells[i].frees += c->whole;
	m->cells[i].bytes += c->bytes;
}

static void matrix_init(struct matrix *m, struct analysis *a)
{
	*m = (struct matrix){
		.watch = { .free = matrix_add_free, .arg = m },
	};
	analysis_watch(a, &m->watch);
	pairs_init(&m->pairs);
}

static void matrix_exit(struct matrix *m)
{
	pairs_exit(&m->pairs);
	free(m->cells);
	free(m->nodes);
}

static void matrix_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct matrix *m = &((const struct report *)arg)->matrix;
	const struct pair *pair = &m->pairs.pair[i];

	row_number(cell, m->cells[i].frees);
	row_number(cell, m->cells[i].bytes);
	row_known(cell, pair->a != MATRIX_UNKNOWN, pair->a);
	row_known(cell, pair->b != MATRIX_UNKNOWN, pair->b);
}

static void add_cpus(struct matrix *m, uint32_t node, long first, long last)
{
	for (; first <= last && first < TRACE_CPUS_MAX; first++) {
		array_reach(m->nodes, m->nr_nodes, (size_t)first);
		m->nodes[first] = node + 1;
	}
}

/*
 * A text has lines such as "cpus_of_node1=4-7", in ascending order. Others, which only a
 * malicious file has, would take hours: each of many lines can list all CPUs many times.
 */
static void add_nodes(struct matrix *m, const char *text)
{
	static const char key[] = "cpus_of_node";
	long first, last, cpu, least = 0, node;
	const char *line, *list;
	char *end;

	for (line = text; line; line = textfile_next_line(line)) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		node = strtol(line + sizeof(key) - 1, &end, 10);
		if (node < least || node >= TRACE_CPUS_MAX)
			continue;
		least = node + 1;
		list = end + (*end == '=');
		for (cpu = 0; cpulist_next(&list, &first, &last) && first >= cpu; cpu = last + 1)
			add_cpus(m, node, first, last);
	}
}

/* META has the CPUs that were online at the start, END those at the end. */
static void read_nodes(const struct report *r, struct matrix *m)
{
	uint64_t nodes;

	if (input_number(r->in.meta, "nodes", &nodes) && nodes == 1) {
		add_cpus(m, 0, 0, TRACE_CPUS_MAX - 1);
		return;
	}
	add_nodes(m, r->in.meta);
	add_nodes(m, r->in.end);
}

int report_view_check(const struct report *r)
{
	uint64_t nodes = 0;
	char list[8];

	if (!r->by_node || (input_number(r->in.meta, "nodes", &nodes) && nodes == 1) ||
	    input_value(r->in.meta, "cpus_of_node0", list, sizeof(list)))
		return EXIT_DONE;
	return msg_error("the recording does not tell the nodes of its CPUs: use --matrix cpu");
}

/* --- all views ------------------------------------------------------------ */

/**
 * struct view - a table
 * @columns: the columns
 * @nr_columns: number of columns
 * @get: gets the value of a cell
 * @name: the column in place of which the keys are, behind the kind: the last one in text;
 *	-1: none, and text has all columns
 */
static const struct view {
	const struct table_column *columns;
	size_t nr_columns;
	table_get get;
	int name;
} views[] = {
	[VIEW_ROWS] = { report_columns, COLS, report_cell, COL_NAME },
	[VIEW_LIFETIMES] = { life_columns, TABLE_COLUMNS(life_columns), life_cell, 7 },
	[VIEW_TEMPORARY] = { temp_columns, TABLE_COLUMNS(temp_columns), temp_cell, 5 },
	[VIEW_MATRIX] = { matrix_columns, TABLE_COLUMNS(matrix_columns), matrix_cell, -1 },
};

int report_view_sort(struct report *r, const char *name)
{
	const struct view *v = &views[r->view];
	int column = listing_column(v->columns, v->nr_columns, name);

	if (column < 0)
		return listing_no_column("report", v->columns, v->nr_columns, name, NULL);
	r->sort = column;
	return EXIT_DONE;
}

/* --- columns of the keys -------------------------------------------------- */

static const char *const key_titles[] = {
	[BY_SITE] = "SITE",	    [BY_CACHE] = "CACHE",
	[BY_KIND] = "NAME",	    [BY_GFP] = "GFP",
	[BY_ORDER] = "ORDER",	    [BY_NODE] = "NODE",
	[BY_CPU] = "CPU",	    [BY_SIZE] = "SIZE",
	[BY_STACK] = "STACK",	    [BY_PROCESS] = "PROCESS",
	[BY_FUNCTION] = "FUNCTION", [BY_MODULE] = "MODULE",
	[BY_COMM] = "COMM",	    [BY_CGROUP] = "CGROUP",
};

/* The last key is not aligned. */
static struct table_column key_column(const struct report *r, size_t i)
{
	enum analysis_by by = r->keys.by[i];

	return (struct table_column){
		.title = key_titles[by],
		.key = keys_member(by),
		.kind = keys_are_numbers(by) ? TABLE_SIGNED : TABLE_STRING,
		.width = i + 1 < r->keys.count ? 7 : 0,
	};
}

struct table_column report_name_column(const struct report *r)
{
	struct table_column column = key_column(r, 0);

	if (r->keys.count > 1) {
		column.title = "NAME";
		column.key = "name";
		column.kind = TABLE_STRING;
		column.width = 0;
	}
	return column;
}

void report_name(struct report *r, const struct group *g, char *to, size_t size)
{
	size_t i, used = 0;

	for (i = 0; i < r->keys.count && used + 3 < size; i++) {
		used += sprintf(to + used, "%s", i ? ", " : "");
		keys_text(&r->keys, g, i, to + used, size - used);
		used = strlen(to);
	}
}

/* In CSV, the whole stack is one value. */
static void append_callers(const struct report *r, const struct group *g,
			   size_t key, char *to, size_t size)
{
	struct keys_frames f;
	size_t used = strlen(to), i;

	keys_frames(&r->keys, g, key, &f);
	for (i = 1; i < f.depth; i++) {
		char symbol[MEMO_TEXT_MAX];

		keys_symbol(&r->keys, f.callers[i], f.places[i], symbol,
			    sizeof(symbol));
		if (used + strlen(symbol) + sizeof(" <- ...") > size) {
			strcpy(to + used, "...");
			return;
		}
		used += sprintf(to + used, " <- %s", symbol);
	}
}

void report_group_text(struct table_cell *cell, struct report *r, const struct group *g)
{
	char *to = cell->string;
	size_t size = sizeof(cell->string), i;

	row_text(cell, analysis_types[g->type]);
	for (i = 0; i < r->keys.count; i++) {
		if (!row_wants(cell))
			continue;
		keys_text(&r->keys, g, i, to, size);
		if (keys_are_numbers(r->keys.by[i]))
			cell->number = strtoll(to, NULL, 10);
		if (r->keys.by[i] == BY_STACK && r->format == TABLE_CSV)
			append_callers(r, g, i, to, size);
	}
}

/* Return: number of columns that the keys take in addition to the one of the view. */
static size_t more_columns(const struct report *r)
{
	return views[r->view].name < 0 ? 0 : r->keys.count - 1;
}

size_t report_column(const struct report *r, int column)
{
	bool behind = column > views[r->view].name;

	return (size_t)column + (behind ? more_columns(r) : 0);
}

void report_view_list(struct report *r)
{
	const struct view *v = &views[r->view];
	size_t i;

	for (i = 0; i < v->nr_columns; i++)
		if ((int)i != v->name)
			r->columns[report_column(r, i)] = v->columns[i];
	for (i = 0; v->name >= 0 && i < r->keys.count; i++)
		r->columns[v->name + i] = key_column(r, i);
	r->list = (struct listing){
		.columns = r->columns,
		.nr_columns = v->nr_columns + more_columns(r),
		.nr_text = v->name < 0 ? v->nr_columns : v->name + r->keys.count,
		.nr_rows = r->view == VIEW_MATRIX ? r->matrix.pairs.count :
						    r->a.groups.count,
		.get = v->get,
		.arg = r,
	};
}

void report_view_begin(struct report *r)
{
	switch (r->view) {
	case VIEW_ROWS:
		break;
	case VIEW_LIFETIMES:
		lifetimes_init(&r->lifetimes, &r->a);
		return;
	case VIEW_TEMPORARY:
		temporary_init(&r->temporary, &r->a, r->within);
		return;
	case VIEW_MATRIX:
		matrix_init(&r->matrix, &r->a);
		if (r->by_node)
			read_nodes(r, &r->matrix);
		break;
	}
}

void report_view_finish(struct report *r)
{
	if (r->view == VIEW_LIFETIMES)
		lifetimes_finish(&r->lifetimes);
}

void report_view_free(struct report *r)
{
	switch (r->view) {
	case VIEW_ROWS:
		break;
	case VIEW_LIFETIMES:
		lifetimes_exit(&r->lifetimes);
		break;
	case VIEW_TEMPORARY:
		temporary_exit(&r->temporary);
		break;
	case VIEW_MATRIX:
		matrix_exit(&r->matrix);
		break;
	}
}

/* --- the matrix as text --------------------------------------------------- */

/* the largest number of CPUs or nodes of a matrix that is drawn */
#define DRAWN_MAX 24

/* a matrix as text */
struct grid {
	const struct matrix *m;				/* the matrix */
	char titles[DRAWN_MAX][12];			/* titles of the columns */
	struct table_column columns[1 + DRAWN_MAX];	/* the columns */
};

static void matrix_drawn_cell(void *arg, size_t row, struct table_cell *cell)
{
	const struct grid *g = arg;
	uint32_t i;

	if (!cell->before) {
		cell->number = row;
		return;
	}
	i = pairs_find(&g->m->pairs, row, cell->before - 1);
	cell->number = i == PAIRS_NONE ? 0 : g->m->cells[i].frees;
}

bool report_print_matrix(const struct report *r)
{
	struct grid g = { .m = &r->matrix };
	size_t i, count = 0;

	for (i = 0; i < g.m->pairs.count; i++) {
		const struct pair *pair = &g.m->pairs.pair[i];

		count = pair->a >= count ? pair->a + 1 : count;
		count = pair->b >= count ? pair->b + 1 : count;
	}
	if (count > DRAWN_MAX)
		return false;
	printf("Frees by the %sCPU that allocated (rows) and that freed (columns)\n",
	       r->by_node ? "node of the " : "");
	g.columns[0] = (struct table_column){ r->by_node ? "NODE" : "CPU", "",
					      TABLE_NUMBER, 4, NULL };
	for (i = 0; i < count; i++) {
		snprintf(g.titles[i], sizeof(g.titles[i]), "%zu", i);
		g.columns[1 + i] = (struct table_column){ g.titles[i], "",
							  TABLE_COUNT, 6, NULL };
	}
	table_print_text(g.columns, 1 + count, count, matrix_drawn_cell, &g);
	return true;
}
