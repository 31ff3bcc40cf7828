// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "process/usage_rows.h"

static const struct table_column columns[USAGE_COLUMNS] = {
	[USAGE_SIZE] = FIGURE_SIZE,
	[USAGE_RSS] = FIGURE_RSS,
	[USAGE_USS] = FIGURE_USS,
	[USAGE_PSS] = FIGURE_PSS,
	[USAGE_SHARED] = FIGURE_SHARED,
	[USAGE_SWAP] = FIGURE_SWAP,
	[USAGE_ANON] = FIGURE_ANON,
	[USAGE_FILES] = FIGURE_FILE,
	[USAGE_SOFT_DIRTY] = FIGURE_SOFT_DIRTY,
	[USAGE_EXCLUSIVE] = FIGURE_EXCLUSIVE,
	[USAGE_THP] = FIGURE_THP,
	[USAGE_HUGETLB] = FIGURE_HUGETLB,
	[USAGE_LOCKED] = FIGURE_LOCKED,
	[USAGE_KSM] = FIGURE_KSM,
	[USAGE_PID] = FIGURE_PID,
	[USAGE_NAME] = FIGURE_NAME,
	[USAGE_START] = FIGURE_START,
	[USAGE_END] = FIGURE_END,
	[USAGE_PERMS] = FIGURE_PERMS,
	[USAGE_OFFSET] = FIGURE_OFFSET,
	[USAGE_DEVICE] = FIGURE_DEVICE,
	[USAGE_INODE] = FIGURE_INODE,
	[USAGE_KIND] = FIGURE_KIND,
	[USAGE_MAPPING] = FIGURE_MAPPING,
};

int usage_rows_find_column(const char *key)
{
	int c;

	for (c = 0; c < USAGE_SUMS; c++)
		if (!strcmp(columns[c].key, key))
			return c;
	return -1;
}

int usage_rows_no_column(const char *command, const char *key)
{
	return listing_no_column(command, columns, USAGE_SUMS, key, NULL);
}

uint64_t usage_rows_sum(const struct usage *u, enum usage_column c)
{
	const uint64_t sums[USAGE_SUMS] = {
		[USAGE_SIZE] = u->size,
		[USAGE_RSS] = u->rss,
		[USAGE_USS] = u->uss,
		[USAGE_PSS] = u->pss >> USAGE_PSS_SHIFT,
		[USAGE_SHARED] = u->rss - u->uss,
		[USAGE_SWAP] = u->swap,
		[USAGE_ANON] = u->anon,
		[USAGE_FILES] = u->rss - u->anon,
		[USAGE_SOFT_DIRTY] = u->soft_dirty,
		[USAGE_EXCLUSIVE] = u->exclusive,
		[USAGE_THP] = u->thp,
		[USAGE_HUGETLB] = u->hugetlb,
		[USAGE_LOCKED] = u->locked,
		[USAGE_KSM] = u->ksm,
	};

	return sums[c];
}

bool usage_rows_knows(const struct usage_view *v, enum usage_column c)
{
	switch (c) {
	case USAGE_PSS:
	case USAGE_THP:
	case USAGE_HUGETLB:
	case USAGE_LOCKED:
		return v->reader->sees_frames;
	case USAGE_KSM:
		return v->reader->sees_ksm;
	case USAGE_SOFT_DIRTY:
		return v->reader->sees_soft_dirty;
	default:
		return true;
	}
}

/* --- cells ---------------------------------------------------------------------- */

void usage_rows_mapping(struct table_cell *cell, const struct footprint_row *part)
{
	const struct mapping *m = part->map;

	row_number(cell, part->start);
	row_number(cell, part->end);
	row_text(cell, m->perms);
	row_number(cell, m->offset + (part->start - m->start));
	row_format(cell, "%02x:%02x", m->major, m->minor);
	row_number(cell, m->inode);
	row_text(cell, m->inode ? "file" : "anon");
	row_text(cell, footprint_name(m));
}

/* A total has no address: its cell is blank. */
static void get_total(const struct usage_rows *rows, enum usage_column c,
		      struct table_cell *cell)
{
	const char *what = rows->view->summary ? "process" : "mapping";
	const char *plural = rows->view->summary ? "es" : "s";

	cell->unknown = columns[c].kind != TABLE_STRING;
	cell->blank = columns[c].kind == TABLE_ADDRESS;
	if (c == USAGE_NAME || c == USAGE_MAPPING)
		snprintf(cell->string, sizeof(cell->string), "total of %zu %s%s",
			 rows->of, what, rows->of == 1 ? "" : plural);
}

static void usage_rows_get(void *arg, size_t i, struct table_cell *cell)
{
	const struct usage_rows *rows = arg;
	const struct usage_view *v = rows->view;
	const struct footprint *process = rows->process;
	const struct footprint_row *part = NULL;
	const struct usage *usage = rows->total;
	enum usage_column c = rows->column[cell->before];

	if (i < rows->of && process) {
		part = &process->row[i];
		usage = &part->usage;
	} else if (i < rows->of) {
		process = &v->process[i];
		usage = &process->total;
	}
	if (c == USAGE_COLUMNS)
		c = v->sort;
	if (c < USAGE_SUMS) {
		cell->number = usage_rows_sum(usage, c);
		cell->unknown = !usage_rows_knows(v, c);
	} else if (i == rows->of) {
		get_total(rows, c, cell);
	} else {
		cell->before = c - USAGE_PID;
		row_number(cell, process->process.pid);
		row_text(cell, process->process.name);
		if (part)
			usage_rows_mapping(cell, part);
	}
}

void usage_rows_init(struct usage_rows *rows, const struct usage_view *v,
		     const struct footprint *process, const enum usage_column *column)
{
	struct listing *l = &rows->list;
	int at = USAGE_ROWS_UNSORTED, n;

	rows->view = v;
	rows->process = process;
	rows->of = process ? process->rows : v->processes;
	rows->total = NULL;
	rows->column = column;
	for (n = 0; column[n] != USAGE_COLUMNS; n++) {
		rows->columns[n] = columns[column[n]];
		if ((int)column[n] == v->sort)
			at = n;
	}
	*l = (struct listing){ .columns = rows->columns, .nr_columns = n, .nr_text = n,
			       .nr_rows = rows->of, .get = usage_rows_get, .arg = rows };
	if (v->sort == USAGE_ROWS_UNSORTED) {
		listing_keep(l, v->top);
		return;
	}
	if (at == USAGE_ROWS_UNSORTED) {
		at = l->nr_columns++;
		rows->columns[at] = columns[v->sort];
	}
	listing_sort(l, at, v->top);
}

void usage_rows_add_total(struct usage_rows *rows, const struct usage *total)
{
	rows->total = total;
	rows->list.row[rows->list.shown++] = rows->list.nr_rows++;
}
