/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of pages that were found in pagemaps, with marks of the readings that found them.
 * A page in memory is identified by its frame, a page in swap by its place there.
 *
 * The set takes half a byte for each page frame of the machine, and for each place in
 * swap, however many pages the processes have: 16 MiB on a machine with 128 GiB. It
 * allocates this in chunks, when a page of the chunk is marked first.
 */
#ifndef PAGESET_H
#define PAGESET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

/* number of different marks; a mark is a bit */
#define PAGESET_MARKS 4

/* number of combinations of marks */
#define PAGESET_COMBINATIONS (1 << PAGESET_MARKS)

/**
 * struct pageset - a set
 * @chunk: addresses of the chunks, by their number plus 1
 * @last_number: number plus 1 of the chunk that was used last, or 0
 * @last: the chunk that was used last
 */
struct pageset {
	struct map chunk;
	uint64_t last_number;
	uint8_t *last;
};

/**
 * struct pageset_counts - number of pages, by their marks
 * @frames: pages in memory; the index is the mask of their marks
 * @places: pages in swap; the index is the mask of their marks
 */
struct pageset_counts {
	uint64_t frames[PAGESET_COMBINATIONS];
	uint64_t places[PAGESET_COMBINATIONS];
};

/** pageset_init() - make an empty set */
void pageset_init(struct pageset *s);

/** pageset_exit() - undo pageset_init(); @s may be all zeros */
void pageset_exit(struct pageset *s);

/**
 * pageset_mark() - mark a page
 * @s: the set
 * @entry: its pagemap entry, with PM_PRESENT or PM_SWAPPED
 * @mark: the mark, a single bit
 *
 * If the entry says that the page is moving, it is identified by its old frame.
 *
 * Return: mask of the marks that the page had before.
 */
int pageset_mark(struct pageset *s, uint64_t entry, unsigned int mark);

/** pageset_forget() - remove a mark from all pages */
void pageset_forget(struct pageset *s, unsigned int mark);

/** pageset_count() - set @c to the number of pages with each combination of marks */
void pageset_count(const struct pageset *s, struct pageset_counts *c);

#endif /* PAGESET_H */
