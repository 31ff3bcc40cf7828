/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of the command diff: a table of the changes, totals, and what qualifies them.
 */
#ifndef DIFFVIEW_H
#define DIFFVIEW_H

#include "account/changes.h"
#include "base/listing.h"
#include "compare/state.h"

enum diff_column {
	DIFF_BYTES,
	DIFF_OBJECTS,
	DIFF_OLD_BYTES,
	DIFF_NEW_BYTES,
	DIFF_STATE,
	DIFF_KIND,
	DIFF_LOCATION,
	DIFF_TEXT, /* text has the columns before this one */
	DIFF_OLD_OBJECTS = DIFF_TEXT,
	DIFF_NEW_OBJECTS,
	DIFF_REQUESTED,
	DIFF_ALLOCS,
	DIFF_FREES,
	DIFF_LOW,
	DIFF_HIGH,
	DIFF_OBJECTS_LOW,
	DIFF_OBJECTS_HIGH,
	DIFF_MATCH,
	DIFF_OLD_LOCATION,
	DIFF_COLUMNS,
	DIFF_SORT_LOCATION, /* --sort location */
};

extern const struct table_column diff_columns[DIFF_COLUMNS];

/**
 * struct diffview - what is shown
 * @old: the earlier state
 * @now: the later state
 * @changes: the changes
 * @is_same_file: both are the same file
 * @sort: column to sort by, or DIFF_SORT_LOCATION
 * @top: number of rows; 0: all
 * @format: the output format
 * @verbose: also print each kind of error
 */
struct diffview {
	const struct state *old;
	const struct state *now;
	const struct changes *changes;
	bool is_same_file;
	enum diff_column sort;
	size_t top;
	enum table_format format;
	bool verbose;
};

/**
 * diffview_print() - print the changes
 * @v: what is shown
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int diffview_print(const struct diffview *v);

#endif /* DIFFVIEW_H */
