/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that has every kind of memory, each in a mapping of its own at a fixed
 * address, and the expected values of each mapping.
 */
#ifndef PAGEMAP_LAYOUT_H
#define PAGEMAP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAYOUT_PAGE  4096ull
#define LAYOUT_HUGE  (2ull << 20)
#define LAYOUT_PARTS 3

/* address of mapping number i, 2 GiB from the next one */
#define LAYOUT_AT(i) (0x100000000000ull + ((uint64_t)(i) << 31))

/**
 * struct layout - a mapping and its expected values, in pages
 * @name: description, used as the name of the test
 * @size: size
 * @part: pages in memory, grouped by the number of their mappings
 * @anon: anonymous pages in memory
 * @swap: pages that are swapped out
 * @soft_dirty: pages written since clear_refs
 * @thp: pages in THPs that are mapped as a whole
 * @hugetlb: pages of hugetlb
 * @locked: pages locked by mlock()
 * @ksm: pages merged by KSM
 * @shm_swap: pages of @swap that no page table shows
 * @zeros: zero pages that were read; not counted in the other members
 * @hugetlb_shared: pages of @hugetlb that the first child has mapped as well
 * @is_forked: the first child has the mapping as well; the next members are about both
 * @both: pages in memory that both have
 * @child_only: pages in memory that only the child has
 * @swap_both: pages in swap that both have
 * @thp_both: pages of @both in THPs that the parent maps as a whole
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
	uint64_t hugetlb_shared;
	bool is_forked;
	uint64_t both;
	uint64_t child_only;
	uint64_t swap_both;
	uint64_t thp_both;
};

extern const struct layout layouts[];

/** layout_count() - number of mappings */
int layout_count(void);

/**
 * layout_main() - run as that process, with two children
 * @ready: descriptor; a newline is written to it when all is set up, or a message and a
 *	newline on an error
 * @until: descriptor; the process ends at its end of file
 *
 * Return: exit code.
 */
int layout_main(int ready, int until);

#endif /* PAGEMAP_LAYOUT_H */
