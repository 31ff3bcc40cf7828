/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The summary of page-types: the number of pages for each combination of flags. Its rows
 * have the same order as in the kernel's page-types.
 */
#ifndef PAGESUM_H
#define PAGESUM_H

#include <stdint.h>

#include "frames/pageflags.h"

/* same as in the kernel's page-types, whose rows have the order of a hash table */
#define PAGESUM_ROWS 8192

/**
 * struct pagesum_row - pages that have the same flags
 * @flags: the flags
 * @pages: number of pages; 0: the row is not shown
 */
struct pagesum_row {
	uint64_t flags;
	uint64_t pages;
};

/**
 * struct pagesum - the summary
 * @row: hash table by flags; the first row is for pages without flags
 * @total: number of all pages
 */
struct pagesum {
	struct pagesum_row row[PAGESUM_ROWS];
	uint64_t total;
};

/**
 * pagesum_row() - find or create the row for a combination of flags
 * @sum: the summary
 * @flags: the flags
 *
 * Return: the row; NULL after a message if the table is full.
 */
struct pagesum_row *pagesum_row(struct pagesum *sum, uint64_t flags);

/** pagesum_print() - print the summary in the format of the kernel's page-types */
void pagesum_print(const struct pagesum *sum,
		   const struct pageflag_name *names, uint64_t page_size);

struct json_t;

/** pagesum_json() - the rows, as an array of objects */
struct json_t *pagesum_json(const struct pagesum *sum,
			    const struct pageflag_name *names,
			    uint64_t page_size);

#endif /* PAGESUM_H */
