/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of the file codetags: the places of allocator calls in the source code. */
#ifndef KMT_PLACE_H
#define KMT_PLACE_H

#include "kmt_env.h"

/* the longest names that are accepted, in bytes */
#define KMT_PLACE_FILE_MAX	200
#define KMT_PLACE_FUNCTION_MAX	255

/**
 * struct kmt_place - one row, "address file:line function"
 * @site: return address of the call; never 0
 * @file: source file of the call
 * @line: line of the call
 * @function: function that contains the call
 */
struct kmt_place {
	u64 site;
	const char *file;
	u32 line;
	const char *function;
};

/* result of kmt_place_next() */
enum kmt_place_result {
	KMT_PLACE_NONE,		/* no more rows */
	KMT_PLACE_ROW,
	KMT_PLACE_MALFORMED,
};

/**
 * kmt_place_next() - parse the next row of a text
 * @text: the text, which is modified; set to the text after the row
 * @place: set to the row; its strings are in the text
 *
 * Empty lines, and lines that begin with #, are skipped.
 *
 * Context: any.
 * Return: KMT_PLACE_ROW; KMT_PLACE_NONE at the end of the text; KMT_PLACE_MALFORMED if
 * the row is none, then @place is not valid.
 */
enum kmt_place_result kmt_place_next(char **text, struct kmt_place *place);

#endif /* KMT_PLACE_H */
