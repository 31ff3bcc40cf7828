/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table in an order, as far as it is wanted: --sort, --top, --csv and --json
 * of commands that show one.
 */
#ifndef LISTING_H
#define LISTING_H

#include <stdbool.h>

#include "base/table.h"

/**
 * struct listing - a table
 * @columns: what there is of each row
 * @nr_columns: how many
 * @nr_text: how many of them, the first ones, the text shows
 * @nr_rows: how many rows there are
 * @get: the value of a cell
 * @arg: passed to @get
 * @row: numbers of the rows that are shown, in their order
 * @shown: how many these are
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
 * listing_column() - find a column to sort by
 * @columns: the columns
 * @nr_columns: how many
 * @name: its key, or its key without the unit ("oldest" for "oldest_ms")
 *
 * Return: its number; -1 if none of numbers has that key.
 */
int listing_column(const struct table_column *columns, size_t nr_columns,
		   const char *name);

/**
 * listing_sort() - put the rows in order
 * @l: the table, all but @row and @shown set; to be freed with listing_free()
 * @column: the largest in it come first, what is not known last; of changes, the
 *	largest whichever way they go; equal ones by the numbers of their rows
 * @top: how many to show; 0: all
 *
 * Return: false if memory ran out.
 */
bool listing_sort(struct listing *l, size_t column, size_t top);

/** listing_keep() - show the rows in the order that they have; else as listing_sort() */
bool listing_keep(struct listing *l, size_t top);

/** listing_print() - print it as text or as CSV; text says what is left out */
void listing_print(const struct listing *l, enum table_format format);

/** listing_json() - an array of objects; NULL if memory ran out */
struct json_t *listing_json(const struct listing *l);

/** listing_free() - free what listing_sort() allocated */
void listing_free(struct listing *l);

#endif /* LISTING_H */
