/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that has every kind of memory, each in a mapping of its own at an
 * address that is always the same, and what each of them adds up to.
 */
#ifndef PAGEMAP_LAYOUT_H
#define PAGEMAP_LAYOUT_H

#include <stdint.h>
#include <sys/types.h>

#define LAYOUT_PAGE  4096ull
#define LAYOUT_HUGE  (2ull << 20)
#define LAYOUT_PARTS 3

/* address of a mapping, far from those before and after it */
#define LAYOUT_AT(i) (0x100000000000ull + ((uint64_t)(i) << 31))

/**
 * struct layout - a mapping; what it has is in pages
 * @name: what it is
 * @size: of it
 * @part: what is in memory, by how often the pages are mapped
 * @anon: of that, anonymous
 * @swap: swapped out
 * @soft_dirty: written since clear_refs
 * @thp: in THPs mapped as one piece
 * @hugetlb: of hugetlb
 * @locked: by mlock()
 * @ksm: merged
 * @shm_swap: of @swap, what no page table shows
 * @zeros: pages of zeros that were read, not counted above
 */
struct layout {
	const char *name;
	uint64_t size;
	struct {
		uint64_t pages;
		uint64_t mapped;
	} part[LAYOUT_PARTS];
	uint64_t anon;
	uint64_t swap;
	uint64_t soft_dirty;
	uint64_t thp;
	uint64_t hugetlb;
	uint64_t locked;
	uint64_t ksm;
	uint64_t shm_swap;
	uint64_t zeros;
};

extern const struct layout layouts[];

/** layout_count() - how many mappings there are */
int layout_count(void);

/**
 * layout_main() - be that process, with two children
 * @ready: a byte is written to this file when all is in place; more text
 *	before a newline is an error
 * @until: it ends when this file does
 *
 * Return: exit code.
 */
int layout_main(int ready, int until);

#endif /* PAGEMAP_LAYOUT_H */
