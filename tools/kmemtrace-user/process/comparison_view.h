/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of the pages that two processes have in common, as text, CSV or JSON, by mapping.
 */
#ifndef COMPARISON_VIEW_H
#define COMPARISON_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "process/comparison.h"

/* keep the order by address */
#define COMPARISON_VIEW_UNSORTED (-1)

/**
 * struct comparison_view - form of the output
 * @name: text that the path or name of a mapping contains; NULL: all mappings
 * @wide: show all columns, also in text
 * @sort: from comparison_view_find_key(), or COMPARISON_VIEW_UNSORTED
 * @top: maximum number of rows; 0: all
 * @format: output format
 */
struct comparison_view {
	const char *name;
	bool wide;
	int sort;
	size_t top;
	enum table_format format;
};

/**
 * comparison_view_find_key() - find a value to sort by
 * @key: a column of sums, for example "both_a", or "both", for the sum of both processes
 *
 * Return: a number for struct comparison_view; -1 if there is none.
 */
int comparison_view_find_key(const char *key);

/** comparison_view_no_key() - print a message with the keys to sort by; EXIT_USAGE */
int comparison_view_no_key(const char *command, const char *key);

/**
 * comparison_view_print() - print a comparison
 * @c: the comparison
 * @v: form of the output; only text and JSON include totals
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int comparison_view_print(const struct comparison *c,
			  const struct comparison_view *v);

#endif /* COMPARISON_VIEW_H */
