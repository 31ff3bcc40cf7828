// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/listing.h"
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
		return v->sees_frames;
	case USAGE_KSM:
		return v->sees_ksm;
	case USAGE_SOFT_DIRTY:
		return v->sees_soft_dirty;
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

void usage_rows_get(void *arg, size_t i, struct table_cell *cell)
{
	const struct usage_rows *rows = arg;
	const struct usage_row *row = &rows->row[i];
	enum usage_column c = rows->column[cell->before];

	if (c < USAGE_SUMS) {
		cell->number = usage_rows_sum(row->usage, c);
		cell->unknown = !usage_rows_knows(rows->view, c);
	} else if (!row->process) {
		get_total(rows, c, cell);
	} else {
		cell->before = c - USAGE_PID;
		row_number(cell, row->process->process.pid);
		row_text(cell, row->process->process.name);
		if (row->part)
			usage_rows_mapping(cell, row->part);
	}
}

static int by_sum(const void *a, const void *b, void *arg)
{
	const struct usage_row *x = a, *y = b;
	int column = *(const int *)arg;
	uint64_t m = usage_rows_sum(x->usage, column);
	uint64_t n = usage_rows_sum(y->usage, column);

	if (m != n)
		return m < n ? 1 : -1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

void usage_rows_init(struct usage_rows *rows, const struct usage_view *v,
		     size_t room, const enum usage_column *column)
{
	*rows = (struct usage_rows){ .view = v, .column = column };
	rows->row = xcalloc(room + 1, sizeof(*rows->row));
}

/* Sorts the @added rows after the last one, and keeps the first of them. */
static void rows_sort(struct usage_rows *rows, size_t added)
{
	struct usage_row *row = rows->row + rows->count;
	int sort = rows->view->sort;
	size_t top = rows->view->top;

	if (sort != USAGE_ROWS_UNSORTED)
		qsort_r(row, added, sizeof(*row), by_sum, &sort);
	rows->of += added;
	rows->count += top && top < added ? top : added;
}

void usage_rows_add_processes(struct usage_rows *rows)
{
	const struct usage_view *v = rows->view;
	size_t i;

	for (i = 0; i < v->processes; i++)
		rows->row[rows->count + i] =
			(struct usage_row){ .process = &v->process[i],
					    .usage = &v->process[i].total };
	rows_sort(rows, i);
}

void usage_rows_add_mappings(struct usage_rows *rows, const struct footprint *f)
{
	size_t i;

	for (i = 0; i < f->rows; i++)
		rows->row[rows->count + i] =
			(struct usage_row){ .process = f,
					    .part = &f->row[i],
					    .usage = &f->row[i].usage };
	rows_sort(rows, i);
}

size_t usage_rows_columns(const struct usage_rows *rows,
			  struct table_column to[USAGE_COLUMNS])
{
	size_t n;

	for (n = 0; rows->column[n] != USAGE_COLUMNS; n++)
		to[n] = columns[rows->column[n]];
	return n;
}
