/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a watch as a table: sorted and filtered.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/listing.h"
#include "watch/watch.h"

enum view_column {
	VIEW_BYTES,
	VIEW_RATE,
	VIEW_CHANGE,
	VIEW_ALLOCS,
	VIEW_FREES,
	VIEW_WASTE,
	VIEW_OLDEST,
	VIEW_NAME,
	VIEW_COLUMNS_TEXT, /* number of columns in text output */
	VIEW_OBJECTS = VIEW_COLUMNS_TEXT,
	VIEW_REQUESTED,
	VIEW_TOTAL_ALLOCS,
	VIEW_TOTAL_FREES,
	VIEW_TAGS,
	VIEW_COLUMNS,
};

extern const struct table_column view_columns[VIEW_COLUMNS];

/* names of the columns that can be sorted by: the first VIEW_COLUMNS_TEXT */
extern const char *const view_sort_names[VIEW_COLUMNS_TEXT];

#define VIEW_FILTER_MAX 64

/**
 * struct view - a table
 * @watch: its rows
 * @sort: column that it is sorted by: the largest comes first; VIEW_NAME: by name
 * @reverse: the order is reversed
 * @filter: text that names must contain, in upper or lower case; "": all rows
 * @list: the table; its rows are indices in @shown
 * @shown: index in @watch of each row that matches @filter
 */
struct view {
	const struct watch *watch;
	enum view_column sort;
	bool reverse;
	char filter[VIEW_FILTER_MAX];
	struct listing list;
	uint32_t *shown;
};

/**
 * view_update() - filter and sort the rows
 * @v: the table; the caller calls view_exit() later, also after a failure
 * @top: number of rows to show; 0: all
 *
 * To be called after each change of the watch or of @v.
 */
void view_update(struct view *v, size_t top);

/** view_exit() - free the rows */
void view_exit(struct view *v);

/** view_row() - get the index in @v->watch of the row at a position, below list.shown */
uint32_t view_row(const struct view *v, size_t position);

/** view_position() - find the position of a row by its name; SIZE_MAX if it is not shown */
size_t view_position(const struct view *v, const char *name);

#endif /* VIEW_H */
