/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over the entries of a pagemap, in chunks. It leaves out empty ranges if the
 * kernel can report them (PAGEMAP_SCAN, since 6.7). Entries of pages that are being moved
 * are read again.
 */
#ifndef PAGESCAN_H
#define PAGESCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/process.h"

/* maximum number of entries in a chunk; 128 MiB with pages of 4 KiB */
#ifndef PAGESCAN_ENTRIES
#define PAGESCAN_ENTRIES 32768
#endif

/* maximum number of regions in one answer of the kernel */
#define PAGESCAN_REGIONS 512

/**
 * struct pagescan_region - an address range, as reported by PAGEMAP_SCAN
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
 * struct zeropages - frames of the zero pages, the huge one and the one of normal size
 * @first: the first frame of a zero page
 * @end: the frame after its last known one
 * @next: the one that is forgotten if there are more
 *
 * A process may map them at millions of places, so that they are looked up only once for each
 * process. They are known until it ends: a process that maps the huge zero page keeps it.
 */
struct zeropages {
	uint64_t first[2];
	uint64_t end[2];
	unsigned int next;
};

/** zeropages_has() - is the frame known to be of a zero page? */
static inline bool zeropages_has(const struct zeropages *z, uint64_t pfn)
{
	return (pfn >= z->first[0] && pfn < z->end[0]) ||
	       (pfn >= z->first[1] && pfn < z->end[1]);
}

/** zeropages_add() - add a frame, unless it is known; those of a page come in order */
void zeropages_add(struct zeropages *z, uint64_t pfn);

/**
 * struct pagescan - a walk
 * @process: the process; set by pagescan_process()
 * @page_size: bytes of a page
 * @whole: number of pages in a huge page that one PMD entry maps
 * @can_ask: use of PAGEMAP_SCAN is possible; false once the kernel has rejected it
 * @asking: PAGEMAP_SCAN is used in this walk
 * @patience: time left for waiting for entries that are moving, in ms
 * @at: number of the next page
 * @end: page number after the last
 * @zeros: zero pages of the process that the caller has found; none at the start
 * @region: regions reported by the kernel
 * @next_region: index of the next region to read
 * @regions: number of regions in @region
 * @entry: entries of the chunk; with PM_WHOLE, and with PAGEMAP_SCAN also PM_ZERO
 *	(usage.h)
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
	struct zeropages zeros;
	struct pagescan_region region[PAGESCAN_REGIONS];
	size_t next_region;
	size_t regions;
	uint64_t entry[PAGESCAN_ENTRIES];
};

/** pagescan_create() - allocate a walk, freed with free() */
struct pagescan *pagescan_create(void);

/** pagescan_process() - set the process for the following walks */
void pagescan_process(struct pagescan *s, const struct process *p);

/**
 * pagescan_start() - begin a walk over a part of a mapping
 * @s: the walk
 * @m: the mapping; addresses of the kernel, such as [vsyscall], have no entries
 * @first: number of the first page
 * @end: page number after the last
 * @ask: use PAGEMAP_SCAN, if the kernel has it, even if this saves no time or leaves out pages
 */
void pagescan_start(struct pagescan *s, const struct mapping *m, uint64_t first, uint64_t end,
		    bool ask);

/**
 * pagescan_next() - read the next chunk that is not known to be empty
 * @s: the walk
 * @first: set to the number of the page of @s->entry[0]
 *
 * A chunk never ends in the middle of a huge page that is mapped as one piece.
 *
 * Return: number of entries in the chunk; 0 at the end; -ESRCH if the process ended, or
 * executed another program; another -errno.
 */
ssize_t pagescan_next(struct pagescan *s, uint64_t *first);

#endif /* PAGESCAN_H */
