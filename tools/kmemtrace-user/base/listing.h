/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sorted table, limited to a number of rows. It implements --sort, --top, --csv and
 * --json of the commands that show a table.
 */
#ifndef LISTING_H
#define LISTING_H

#include <stdbool.h>

#include "base/table.h"

/**
 * struct listing - a table
 * @columns: the columns
 * @nr_columns: number of columns
 * @nr_text: number of columns in text output, which shows the first columns only; 0: all
 * @nr_rows: number of rows
 * @get: gets the value of a cell
 * @arg: argument of @get
 * @row: numbers of the rows that are shown, in the order of output
 * @shown: number of rows that are shown
 */
struct listing {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_text;
	size_t nr_rows;
	table_get get;
	void *arg;
	uint32_t *row;
	size_t shown;
};

/**
 * LISTING() - make a table of all columns of an array
 * @cols: the array
 * @rows: number of rows
 * @cell: gets the value of a cell
 * @of: argument of @cell
 */
#define LISTING(cols, rows, cell, of)                                          \
	((struct listing){ .columns = (cols), .nr_columns = TABLE_COLUMNS(cols), \
			   .nr_rows = (rows), .get = (cell), .arg = (void *)(of) })

/** listing_text_columns() - get the number of columns in text output */
static inline size_t listing_text_columns(const struct listing *l)
{
	return l->nr_text ? l->nr_text : l->nr_columns;
}

/**
 * listing_column() - find a column to sort by
 * @columns: the columns
 * @nr_columns: number of columns
 * @name: key of the column, or the key without its end ("oldest" for "oldest_ms", "live" for
 *	"live_change"), or the title
 *
 * Columns of strings are not found.
 *
 * Return: the number of the column; -1 if no column is found.
 */
int listing_column(const struct table_column *columns, size_t nr_columns,
		   const char *name);

/**
 * listing_no_column() - print a message with the columns that listing_column() finds
 * @command: name of the command
 * @columns: the columns
 * @nr_columns: number of columns
 * @name: the name that was not found
 * @also: another name that the command takes, or NULL
 *
 * Return: EXIT_USAGE.
 */
int listing_no_column(const char *command, const struct table_column *columns,
		      size_t nr_columns, const char *name, const char *also);

/**
 * listing_sort() - sort the rows by a column
 * @l: the table; all members but @row and @shown are set. The caller calls
 *	listing_free() later.
 * @column: number of the column
 * @top: number of rows to show; 0: all
 *
 * The largest values come first, unknown values last. Changes are sorted by their
 * absolute value; if these are equal, growth comes first. Rows with the same value stay
 * in their order.
 */
void listing_sort(struct listing *l, size_t column, size_t top);

/** listing_sort_by() - listing_sort(), by the column with a key */
void listing_sort_by(struct listing *l, const char *key, size_t top);

/** listing_keep() - keep the order of the rows; else the same as listing_sort() */
void listing_keep(struct listing *l, size_t top);

/** listing_print() - print as text or CSV; text ends with the number of omitted rows */
void listing_print(const struct listing *l, enum table_format format);

/** listing_json() - make an array of objects */
struct json_t *listing_json(const struct listing *l);

/** listing_json_values() - as listing_json(), but a row is an array of its values */
struct json_t *listing_json_values(const struct listing *l);

/** listing_free() - undo listing_sort() or listing_keep() */
void listing_free(struct listing *l);

#endif /* LISTING_H */
