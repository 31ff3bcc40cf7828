/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes have in memory as rows of a table: its columns, its order.
 */
#ifndef USAGE_ROWS_H
#define USAGE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "process/footprint.h"

enum usage_column {
	USAGE_SIZE,
	USAGE_RSS,
	USAGE_USS,
	USAGE_PSS,
	USAGE_SHARED,
	USAGE_SWAP,
	USAGE_ANON,
	USAGE_FILES,
	USAGE_SOFT_DIRTY,
	USAGE_EXCLUSIVE,
	USAGE_THP,
	USAGE_HUGETLB,
	USAGE_LOCKED,
	USAGE_KSM,
	USAGE_SUMS, /* the columns up to here are sums */
	USAGE_PID = USAGE_SUMS,
	USAGE_NAME,
	USAGE_START,
	USAGE_END,
	USAGE_PERMS,
	USAGE_OFFSET,
	USAGE_DEVICE,
	USAGE_INODE,
	USAGE_KIND,
	USAGE_MAPPING,
	USAGE_COLUMNS,
};

/* in the order of addresses or of numbers of processes */
#define USAGE_ROWS_UNSORTED (-1)

/**
 * struct usage_view - what to show, and how
 * @process: what was read
 * @processes: how many
 * @sees_frames: what needs frames is known
 * @sees_soft_dirty: which pages are soft-dirty is known
 * @sees_ksm: which pages KSM merged is known
 * @summary: a row a process, instead of a row a mapping
 * @wide: all columns, also in text
 * @sort: number of a column from usage_rows_find_column(), largest first
 * @top: this many rows; 0: all
 */
struct usage_view {
	struct footprint *process;
	size_t processes;
	bool sees_frames;
	bool sees_soft_dirty;
	bool sees_ksm;
	bool summary;
	bool wide;
	int sort;
	size_t top;
};

/**
 * struct usage_row - a row of a table
 * @process: whose; NULL: a total
 * @part: the mapping; NULL: the whole process
 * @usage: of it
 */
struct usage_row {
	const struct footprint *process;
	const struct footprint_row *part;
	const struct usage *usage;
};

/**
 * struct usage_rows - a table
 * @view: how it is shown
 * @row: its rows, the last may be a total
 * @count: how many
 * @of: how many the total is of
 * @column: which columns, as far as USAGE_COLUMNS
 */
struct usage_rows {
	const struct usage_view *view;
	struct usage_row *row;
	size_t count;
	size_t of;
	const enum usage_column *column;
};

/**
 * usage_rows_find_column() - find a column to sort by
 * @key: its key in JSON
 *
 * Return: its number; -1 if there is none.
 */
int usage_rows_find_column(const char *key);

/** usage_rows_sum() - the value of a column that is a sum */
uint64_t usage_rows_sum(const struct usage *u, enum usage_column c);

/** usage_rows_knows() - whether it is known */
bool usage_rows_knows(const struct usage_view *v, enum usage_column c);

/**
 * usage_rows_init() - begin a table
 * @rows: set; @rows->row is to be freed
 * @v: how it is shown
 * @room: rows that it may have; a total comes on top
 * @column: its columns, as far as USAGE_COLUMNS
 *
 * Return: false if memory ran out.
 */
bool usage_rows_init(struct usage_rows *rows, const struct usage_view *v,
		     size_t room, const enum usage_column *column);

/** usage_rows_add_processes() - add a row a process: in order, the first of it */
void usage_rows_add_processes(struct usage_rows *rows);

/** usage_rows_add_mappings() - add a row a mapping: in order, the first of it */
void usage_rows_add_mappings(struct usage_rows *rows,
			     const struct footprint *f);

/** usage_rows_columns() - the columns as table.h has them; how many */
size_t usage_rows_columns(const struct usage_rows *rows,
			  struct table_column to[USAGE_COLUMNS]);

/** usage_rows_get() - the value of a cell, for table.h; @arg are the rows */
void usage_rows_get(void *arg, size_t row, size_t column,
		    struct table_cell *cell);

#endif /* USAGE_ROWS_H */
