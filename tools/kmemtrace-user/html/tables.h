/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of the document, and other parts that recordings and states have in common.
 */
#ifndef TABLES_HTML_H
#define TABLES_HTML_H

#include "base/listing.h"

struct json_t;

/** tables_json() - make a table: columns, rows, number of rows left out; NULL: no memory */
struct json_t *tables_json(const struct listing *l);

/**
 * tables_cut() - keep the first rows of a document of another command
 * @document: the document; gets the member "left_out" with the number of rows that it lost,
 *	and their sums
 * @name: the member with the rows
 * @max: number of rows to keep
 * @sums: keys of the sums, ended by NULL
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
void tables_cut(struct json_t *document, const char *name, size_t max,
	       const char *const *sums);

/** tables_lines() - make an array of the lines of a text, which is freed; may be NULL */
struct json_t *tables_lines(char *text);

#endif /* TABLES_HTML_H */
