/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mapped pages add up to. The sums are those of /proc/PID/smaps
 * (fs/proc/task_mmu.c), to the byte.
 */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bits that are 0 in an entry of pagemap and that who read it adds: it is mapped
 * as one piece with the rest of its huge page; it is the page of zeros.
 */
#define PM_WHOLE (1ull << 59)
#define PM_ZERO	 (1ull << 60)

/* of a page that several map, the share is kept in 4096ths of bytes */
#define USAGE_PSS_SHIFT 12

/**
 * struct usage - sums, in bytes
 * @size: of the mapping
 * @rss: in memory, those of hugetlb and of zeros not counted
 * @uss: of @rss, what nobody else maps
 * @pss: @rss, each page divided by how often it is mapped; in 4096ths
 * @swap: swapped out
 * @anon: of @rss, what belongs to no file
 * @soft_dirty: in memory or in swap, written since clear_refs was
 * @exclusive: mapped once, in memory, those of hugetlb counted
 * @thp: of @rss, in transparent huge pages that are mapped as one piece
 * @hugetlb: in huge pages of hugetlb
 * @locked: of @rss, locked by mlock(), here or by another that maps it
 * @ksm: of @rss, merged by KSM
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
 * usage_add_page() - count a page that is in memory, and whose frame is known
 * @u: the sums
 * @entry: of pagemap
 * @flags: of /proc/kpageflags
 * @count: of /proc/kpagecount
 * @page_size: bytes
 */
void usage_add_page(struct usage *u, uint64_t entry, uint64_t flags,
		    uint64_t count, uint64_t page_size);

/**
 * usage_add_entry() - count what an entry alone tells
 * @u: the sums; of those that count pages in memory, only those that need no
 *	frame are added to: @rss, @uss, @anon and @exclusive
 * @entry: of pagemap, of a page in memory whose frame is not known
 * @page_size: bytes
 */
void usage_add_entry(struct usage *u, uint64_t entry, uint64_t page_size);

/**
 * usage_add_absent() - count a page that is not in memory
 * @u: the sums
 * @entry: of pagemap, PM_SWAPPED
 * @page_size: bytes
 */
void usage_add_absent(struct usage *u, uint64_t entry, uint64_t page_size);

/** usage_add() - add sums up */
void usage_add(struct usage *sum, const struct usage *u);

/**
 * usage_is_moving() - whether a page may just be getting another frame
 * @entry: its entry, which then should be read again
 *
 * Not where frames are hidden.
 */
bool usage_is_moving(uint64_t entry);

#endif /* USAGE_H */
