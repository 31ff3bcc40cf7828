/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of processes as a table: its rows, columns and order.
 */
#ifndef USAGE_ROWS_H
#define USAGE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/listing.h"
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
 * @reader: what read them, which knows the values that are known
 * @summary: one row per process, instead of one row per mapping
 * @wide: show all columns, also in text
 * @sort: number of the column to sort by, largest first, or USAGE_ROWS_UNSORTED
 * @top: maximum number of rows; 0: all
 */
struct usage_view {
	struct footprint *process;
	size_t processes;
	const struct footprint_reader *reader;
	bool summary;
	bool wide;
	int sort;
	size_t top;
};

/**
 * struct usage_rows - a table
 * @view: the form of the output
 * @process: the process whose mappings are the rows; NULL: the rows are processes
 * @of: number of rows, without a total
 * @total: sums of the row after the last; NULL: there is no such row
 * @column: the columns; USAGE_COLUMNS ends the list
 * @columns: the same for @list. The column to sort by may follow, which text then lacks
 * @list: the table
 */
struct usage_rows {
	const struct usage_view *view;
	const struct footprint *process;
	size_t of;
	const struct usage *total;
	const enum usage_column *column;
	struct table_column columns[USAGE_COLUMNS];
	struct listing list;
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
 * usage_rows_init() - make a table
 * @rows: set; @rows->list must be freed
 * @v: the form of the output
 * @process: a process, for a row per mapping; NULL: a row per process
 * @column: the columns; USAGE_COLUMNS ends the list. For CSV and JSON, they must have @v->sort
 */
void usage_rows_init(struct usage_rows *rows, const struct usage_view *v,
		     const struct footprint *process, const enum usage_column *column);

/** usage_rows_add_total() - add a row of @total, which --top does not omit */
void usage_rows_add_total(struct usage_rows *rows, const struct usage *total);

/** usage_rows_mapping() - give the columns from USAGE_START on, as in /proc/PID/maps */
void usage_rows_mapping(struct table_cell *cell, const struct footprint_row *part);

#endif /* USAGE_ROWS_H */
