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

/** tables_lines() - make an array of the lines of a text, which is freed; may be NULL */
struct json_t *tables_lines(char *text);

#endif /* TABLES_HTML_H */
