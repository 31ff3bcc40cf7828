/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The waste of all sites by the cache that they allocate from: a row for each cache of
 * kmalloc(), and one for each other kind of memory.
 */
#ifndef BUCKETS_H
#define BUCKETS_H

#include <stddef.h>

#include "waste/wastes.h"

struct json_t;

/** buckets_print() - print the table as text; @rows: the rows of sites */
void buckets_print(const struct waste *const *rows, size_t nr_rows);

/** buckets_json() - make an array of the table */
struct json_t *buckets_json(const struct waste *const *rows, size_t nr_rows);

#endif /* BUCKETS_H */
