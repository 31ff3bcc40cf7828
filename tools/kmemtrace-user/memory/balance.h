/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of MemTotal: lines whose sum is MemTotal, and the figures of /proc/meminfo
 * for these lines.
 */
#ifndef BALANCE_H
#define BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"
#include "memory/tally.h"

/*
 * LINE_TOTAL is the sum of all other lines except LINE_USED. LINE_USED is the sum of all
 * lines after it.
 */
enum balance_id {
	LINE_TOTAL,
	LINE_FREE,
	LINE_CPU_LISTS,
	LINE_UNACCEPTED,
	LINE_OFFLINE,
	LINE_USED,
	LINE_FILE,
	LINE_SHMEM,
	LINE_ANON,
	LINE_HUGETLB,
	LINE_ZERO,
	LINE_SLAB,
	LINE_LARGE,
	LINE_LARGE_BEFORE,
	LINE_PGTABLE,
	LINE_STACK,
	LINE_PERCPU,
	LINE_MODULE,
	LINE_VMALLOC,
	LINE_VMALLOC_USED,
	LINE_MOVABLE,
	LINE_KERNEL,
	LINE_VMAP,
	LINE_FTRACE,
	LINE_DMA_POOLS,
	LINE_INTEGRITY_POOL,
	LINE_HASHES,
	LINE_POISONED,
	LINE_UNEXPLAINED,
	LINES,
};

/**
 * struct balance_line - a line
 * @key: name in JSON
 * @title: title in text
 * @kinds: mask of the kinds of frames of the line; 0: calculated in another way
 * @by_count: only the number of bytes is known, but not the frames
 * @figure: names of the corresponding figures in /proc/meminfo; NULL: no figure
 * @note: reason why @bytes may differ from the figure
 * @bytes: bytes of the line
 * @has_figure: the kernel has the figure, and it can be compared
 * @before: the figure in bytes, read before the frames
 * @after: the figure in bytes, read after the frames
 */
struct balance_line {
	const char *key;
	const char *title;
	uint32_t kinds;
	bool by_count;
	const char *figure;
	const char *note;
	uint64_t bytes;
	bool has_figure;
	int64_t before;
	int64_t after;
};

/**
 * struct balance_input - data to calculate the lines from
 * @tally: the counted frames
 * @tags: the allocating sites; NULL if they are not known
 * @knows_vmalloc: the frames that vmalloc() has mapped are known
 * @before: text of /proc/meminfo, read before the frames
 * @after: text of /proc/meminfo, read after the frames
 * @page_size: bytes of a frame
 * @per_cpu_pages: number of free pages in the lists of CPUs
 * @unaccepted_pages: number of free pages that are not accepted yet
 * @ftrace_pages: number of pages with records of ftrace
 * @dma_pool_bytes: bytes reserved for DMA in atomic context
 * @integrity_pool_bytes: bytes reserved for checksums of block devices
 * @hash_bytes: bytes of hash tables that were allocated at boot
 */
struct balance_input {
	const struct tally *tally;
	const struct tags *tags;
	bool knows_vmalloc;
	const char *before;
	const char *after;
	uint64_t page_size;
	uint64_t per_cpu_pages;
	uint64_t unaccepted_pages;
	uint64_t ftrace_pages;
	uint64_t dma_pool_bytes;
	uint64_t integrity_pool_bytes;
	uint64_t hash_bytes;
};

/**
 * struct balance - the lines
 * @line: the lines, by enum balance_id
 * @reserved: bytes outside of MemTotal: the kernel's image, the firmware, and memory that
 *	was allocated before the page allocator was ready
 * @offline: bytes given back to the hypervisor that are not in MemTotal
 * @difference: bytes of LINE_TOTAL less MemTotal
 */
struct balance {
	struct balance_line line[LINES];
	uint64_t reserved;
	uint64_t offline;
	int64_t difference;
};

/** balance_begin() - set the names of all lines, and nothing else */
void balance_begin(struct balance *b);

/** balance_name_free() - MemFree includes memory that is not accepted: say so if there is any */
void balance_name_free(struct balance *b);

/** balance_make() - calculate the lines */
void balance_make(struct balance *b, const struct balance_input *in);

/**
 * balance_sums() - check whether the lines add up to LINE_USED and LINE_TOTAL
 * @b: the lines, whose bytes are below 2^56
 *
 * Return: true if they do.
 */
bool balance_sums(const struct balance *b);

/** balance_explained() - the explained part of the used memory, in percent */
double balance_explained(const struct balance *b);

/**
 * balance_differs() - whether a line differs from /proc/meminfo
 * @line: the line
 *
 * A line does not differ if it is between the figures before and after.
 */
bool balance_differs(const struct balance_line *line);

#endif /* BALANCE_H */
