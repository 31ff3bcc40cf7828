/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over the entries of pagemap: in chunks, without what is empty as far as
 * the kernel tells (PAGEMAP_SCAN, since 6.7), with pages that are just being
 * moved read again.
 */
#ifndef PAGESCAN_H
#define PAGESCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/process.h"

/* entries of a chunk; 128 MiB of pages of 4 KiB */
#ifndef PAGESCAN_ENTRIES
#define PAGESCAN_ENTRIES 32768
#endif

/* stretches that the kernel is asked for at once */
#define PAGESCAN_REGIONS 512

/**
 * struct pagescan_region - what the kernel tells of a stretch
 * @start: first address
 * @end: address after the last
 * @categories: PAGE_IS_*
 */
struct pagescan_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

/**
 * struct pagescan - a walk
 * @process: whose entries; set by pagescan_process()
 * @page_size: bytes
 * @whole: pages of a huge page that one entry of a middle page table maps
 * @can_ask: as far as is known the kernel has PAGEMAP_SCAN
 * @asking: it is used in this walk
 * @patience: how long entries that move are still waited for, in ms
 * @at: next page
 * @end: page after the last
 * @region: what the kernel told
 * @next_region: of it, the one to be read next
 * @regions: how many there are
 * @entry: the chunk; with PM_WHOLE and, if asked, PM_ZERO (usage.h)
 */
struct pagescan {
	const struct process *process;
	uint64_t page_size;
	uint64_t whole;
	bool can_ask;
	bool asking;
	unsigned int patience;
	uint64_t at;
	uint64_t end;
	struct pagescan_region region[PAGESCAN_REGIONS];
	size_t next_region;
	size_t regions;
	uint64_t entry[PAGESCAN_ENTRIES];
};

/** pagescan_create() - NULL if memory ran out; to be freed */
struct pagescan *pagescan_create(void);

/** pagescan_process() - what follows is about this process */
void pagescan_process(struct pagescan *s, const struct process *p);

/**
 * pagescan_start() - begin to walk
 * @s: the walk
 * @first: number of the first page
 * @end: number after that of the last one
 * @ask: ask the kernel what is empty, if it can tell; it leaves out what is
 *	mapped by frame number, such as a device's memory, and there also what
 *	was copied on writing
 */
void pagescan_start(struct pagescan *s, uint64_t first, uint64_t end, bool ask);

/**
 * pagescan_next() - read the next chunk that is not known to be empty
 * @s: the walk
 * @first: set to the number of the page of @s->entry[0]
 *
 * A chunk never ends in the middle of a huge page that is mapped as one piece.
 *
 * Return: how many entries there are, 0 at the end; -ESRCH if the process ended
 * or runs another program now; another -errno.
 */
ssize_t pagescan_next(struct pagescan *s, uint64_t *first);

#endif /* PAGESCAN_H */
