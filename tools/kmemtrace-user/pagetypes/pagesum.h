/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many pages have the same flags: the summary of page-types, with its rows
 * in the order in which the kernel's tool has them.
 */
#ifndef PAGESUM_H
#define PAGESUM_H

#include <stdint.h>

#include "frames/pageflags.h"

/* of the kernel's tool as well: its rows are in the order of a hash table */
#define PAGESUM_ROWS 8192

/**
 * struct pagesum_row - pages that have the same flags
 * @flags: of theirs
 * @pages: how many; 0: there is no such row
 */
struct pagesum_row {
	uint64_t flags;
	uint64_t pages;
};

/**
 * struct pagesum - all of them
 * @row: by flags; the first one is for no flags
 * @total: number of pages
 */
struct pagesum {
	struct pagesum_row row[PAGESUM_ROWS];
	uint64_t total;
};

/**
 * pagesum_row() - the row of some flags, which will get pages
 * @sum: the sum
 * @flags: the flags
 *
 * Return: the row; NULL if there are too many, after a message.
 */
struct pagesum_row *pagesum_row(struct pagesum *sum, uint64_t flags);

/** pagesum_print() - print it as the kernel's page-types does */
void pagesum_print(const struct pagesum *sum,
		   const struct pageflag_name *names, uint64_t page_size);

struct json_t;

/** pagesum_json() - the rows, as an array of objects */
struct json_t *pagesum_json(const struct pagesum *sum,
			    const struct pageflag_name *names,
			    uint64_t page_size);

#endif /* PAGESUM_H */
