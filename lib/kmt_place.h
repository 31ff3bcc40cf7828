/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of the file codetags: where the calls of allocators stand in the source.
 */
#ifndef KMT_PLACE_H
#define KMT_PLACE_H

#include "kmt_env.h"

/* the longest names that are taken, in bytes */
#define KMT_PLACE_FILE_MAX	200
#define KMT_PLACE_FUNCTION_MAX	255

/**
 * struct kmt_place - a row, "address file:line function"
 * @site: the address that the call returns to, never 0
 * @file: where it stands
 * @line: number
 * @function: that it stands in
 */
struct kmt_place {
	u64 site;
	const char *file;
	u32 line;
	const char *function;
};

/* What kmt_place_next() returns. */
enum kmt_place_result {
	KMT_PLACE_NONE,		/* there are no more rows */
	KMT_PLACE_ROW,
	KMT_PLACE_MALFORMED,
};

/**
 * kmt_place_next() - read the next row of a text
 * @text: the text, which is written to; set to what follows the row
 * @place: set to the row; its names lie in the text
 *
 * Lines that are empty or begin with # are skipped.
 *
 * Context: any.
 */
enum kmt_place_result kmt_place_next(char **text, struct kmt_place *place);

#endif /* KMT_PLACE_H */
