/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags as a table whose columns have the keys of report, for a page or a database that
 * holds either.
 */
#ifndef TAGROWS_H
#define TAGROWS_H

#include "account/tags.h"
#include "base/listing.h"

/* column of the live bytes */
#define TAGROWS_LIVE 0

/* number of the first columns: those that a sum of tags of one kind has */
#define TAGROWS_SUMS 7

/**
 * tagrows_list() - get the table of tags
 * @tags: the tags, which must outlive the table
 *
 * Return: the table, for listing_sort().
 */
struct listing tagrows_list(const struct tags *tags);

/** tagrows_module() - set a cell to the module of a tag, or to "kernel" */
void tagrows_module(const struct site_row *t, struct table_cell *cell);

#endif /* TAGROWS_H */
