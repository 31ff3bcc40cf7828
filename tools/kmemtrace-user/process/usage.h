/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over mapped pages. They are equal to those of /proc/PID/smaps
 * (fs/proc/task_mmu.c), to the byte.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bits that the kernel leaves 0 in a pagemap entry. pagescan.c sets them. PM_WHOLE: the
 * page is mapped as one piece with the rest of its huge page. PM_ZERO: the zero page.
 */
#define PM_WHOLE (1ull << 59)
#define PM_ZERO	 (1ull << 60)

/* PSS is summed in units of 1/4096 byte */
#define USAGE_PSS_SHIFT 12

/**
 * struct usage - sums, in bytes
 * @size: size of the mapping
 * @rss: pages in memory, without those of hugetlb and zero pages
 * @uss: the part of @rss that is mapped only once
 * @pss: @rss, with each page divided by the number of its mappings; in units of 1/4096
 *	byte
 * @swap: pages in swap
 * @anon: the part of @rss that belongs to no file
 * @soft_dirty: pages in memory or in swap that were written since the soft-dirty bits
 *	were cleared (clear_refs)
 * @exclusive: pages in memory that are mapped once, including those of hugetlb
 * @thp: the part of @rss in transparent huge pages that are mapped as one piece
 * @hugetlb: huge pages of hugetlb
 * @locked: the part of @rss that is locked by mlock(), in this or another process
 * @ksm: the part of @rss that was merged by KSM
 */
struct usage {
	uint64_t size;
	uint64_t rss;
	uint64_t uss;
	uint64_t pss;
	uint64_t swap;
	uint64_t anon;
	uint64_t soft_dirty;
	uint64_t exclusive;
	uint64_t thp;
	uint64_t hugetlb;
	uint64_t locked;
	uint64_t ksm;
};

/**
 * usage_add_page() - add a page that is in memory, and whose frame is known
 * @u: the sums
 * @entry: its pagemap entry
 * @flags: its flags in /proc/kpageflags
 * @count: its count in /proc/kpagecount
 * @page_size: bytes of a page
 */
void usage_add_page(struct usage *u, uint64_t entry, uint64_t flags,
		    uint64_t count, uint64_t page_size);

/**
 * usage_add_entry() - add a page that is in memory, and whose frame is not known
 * @u: the sums; only those that need no frame are changed: @rss, @uss, @anon,
 *	@soft_dirty and @exclusive
 * @entry: its pagemap entry
 * @page_size: bytes of a page
 */
void usage_add_entry(struct usage *u, uint64_t entry, uint64_t page_size);

/**
 * usage_add_absent() - add a page that is not present
 * @u: the sums
 * @entry: its pagemap entry, with PM_SWAPPED
 * @page_size: bytes of a page
 */
void usage_add_absent(struct usage *u, uint64_t entry, uint64_t page_size);

/** usage_add() - add the sums @u to @sum */
void usage_add(struct usage *sum, const struct usage *u);

/**
 * usage_is_moving() - whether a page may be moving to another frame
 * @entry: its pagemap entry, which should then be read again
 *
 * If frame numbers are hidden, this cannot be determined, and the result is false.
 */
bool usage_is_moving(uint64_t entry);

#endif /* USAGE_H */
