/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of processes as a table: its rows, columns and order.
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

/* keep the order by address, or by number of the process */
#define USAGE_ROWS_UNSORTED (-1)

/**
 * struct usage_view - processes to show, and the form of the output
 * @process: the processes
 * @processes: number of processes
 * @sees_frames: values that need frame numbers are known
 * @sees_soft_dirty: soft-dirty pages are known
 * @sees_ksm: pages merged by KSM are known
 * @summary: one row per process, instead of one row per mapping
 * @wide: show all columns, also in text
 * @sort: number of the column to sort by, largest first, or USAGE_ROWS_UNSORTED
 * @top: maximum number of rows; 0: all
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
 * @process: the process; NULL: a total
 * @part: the mapping; NULL: the whole process
 * @usage: the sums
 */
struct usage_row {
	const struct footprint *process;
	const struct footprint_row *part;
	const struct usage *usage;
};

/**
 * struct usage_rows - a table
 * @view: the form of the output
 * @row: the rows; a total may follow after the last
 * @count: number of rows, without the total
 * @of: number of rows before --top; the total includes all of them
 * @column: the columns; USAGE_COLUMNS ends the list
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
 * @key: key of the column in JSON
 *
 * Return: number of the column; -1 if no column of sums has this key.
 */
int usage_rows_find_column(const char *key);

/** usage_rows_no_column() - print a message with the columns to sort by; EXIT_USAGE */
int usage_rows_no_column(const char *command, const char *key);

/** usage_rows_sum() - the value of a column that is a sum */
uint64_t usage_rows_sum(const struct usage *u, enum usage_column c);

/** usage_rows_knows() - whether the values of a column are known */
bool usage_rows_knows(const struct usage_view *v, enum usage_column c);

/**
 * usage_rows_init() - begin a table
 * @rows: set; @rows->row must be freed
 * @v: the form of the output
 * @room: maximum number of rows, without the total
 * @column: the columns; USAGE_COLUMNS ends the list
 */
void usage_rows_init(struct usage_rows *rows, const struct usage_view *v,
		     size_t room, const enum usage_column *column);

/** usage_rows_add_processes() - add a row per process: sorted, and the first @top only */
void usage_rows_add_processes(struct usage_rows *rows);

/** usage_rows_add_mappings() - add a row per mapping: sorted, and the first @top only */
void usage_rows_add_mappings(struct usage_rows *rows,
			     const struct footprint *f);

/** usage_rows_columns() - set @to to the columns; returns their number */
size_t usage_rows_columns(const struct usage_rows *rows,
			  struct table_column to[USAGE_COLUMNS]);

/** usage_rows_mapping() - give the columns from USAGE_START on, as in /proc/PID/maps */
void usage_rows_mapping(struct table_cell *cell, const struct footprint_row *part);

/** usage_rows_get() - the value of a cell, as table_get; @arg is a struct usage_rows */
void usage_rows_get(void *arg, size_t row, struct table_cell *cell);

#endif /* USAGE_ROWS_H */
