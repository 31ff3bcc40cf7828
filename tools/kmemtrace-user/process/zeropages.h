/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frames of the zero pages, the huge one and the one of normal size. A process may map them
 * at millions of places, so that they are looked up only once for each process.
 */
#ifndef ZEROPAGES_H
#define ZEROPAGES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct zeropages - frames that are known to be of zero pages; begins zeroed
 * @first: the first frame of a zero page
 * @end: the frame after its last known one
 * @next: the one that is forgotten if there are more
 *
 * Known until the process ends: a process that maps the huge zero page keeps it.
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

#endif /* ZEROPAGES_H */
