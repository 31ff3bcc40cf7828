/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What MemTotal consists of: lines that add up to it, and what /proc/meminfo has
 * for them.
 */
#ifndef BALANCE_H
#define BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"
#include "memory/tally.h"

/* total is all others but used, which is all after it */
enum balance_id {
	LINE_TOTAL,
	LINE_FREE,
	LINE_CPU_LISTS,
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
 * @key: in JSON
 * @title: in text
 * @by_count: how much it is is known, but not which frames
 * @figure: what is the same in /proc/meminfo, by name; NULL: nothing
 * @note: why they differ
 * @bytes: how much it is
 * @has_figure: the kernel has that figure
 * @before: the figure, before the frames were looked at
 * @after: and after that
 */
struct balance_line {
	const char *key;
	const char *title;
	bool by_count;
	const char *figure;
	const char *note;
	uint64_t bytes;
	bool has_figure;
	int64_t before;
	int64_t after;
};

/**
 * struct balance_input - what is known
 * @tally: the frames
 * @tags: who allocates; NULL if that is not known
 * @knows_vmalloc: frames that are mapped by vmalloc() are known
 * @before: text of /proc/meminfo, before the frames were looked at
 * @after: and after that
 * @page_size: bytes of a frame
 * @per_cpu_pages: free ones in the lists of CPUs
 * @ftrace_pages: that ftrace keeps its records in
 * @dma_pool_bytes: kept for DMA in atomic context
 * @integrity_pool_bytes: kept for checksums of block devices
 * @hash_bytes: hash tables that were made at the kernel's start
 */
struct balance_input {
	const struct tally *tally;
	const struct tags *tags;
	bool knows_vmalloc;
	const char *before;
	const char *after;
	uint64_t page_size;
	uint64_t per_cpu_pages;
	uint64_t ftrace_pages;
	uint64_t dma_pool_bytes;
	uint64_t integrity_pool_bytes;
	uint64_t hash_bytes;
};

/**
 * struct balance - the lines
 * @line: by enum balance_id
 * @reserved: bytes outside of MemTotal: of the kernel's image, the firmware, and
 *	what was allocated before there was an allocator
 * @offline: bytes given back to the hypervisor that are not in MemTotal
 * @difference: by how much the total is more than MemTotal
 */
struct balance {
	struct balance_line line[LINES];
	uint64_t reserved;
	uint64_t offline;
	int64_t difference;
};

/** balance_make() - make the lines */
void balance_make(struct balance *b, const struct balance_input *in);

/** balance_explained() - how much of the used memory is explained, in percent */
double balance_explained(const struct balance *b);

/**
 * balance_differs() - whether a line is not what /proc/meminfo says
 * @line: the line
 *
 * It is the same if it lies between what that said before and after.
 */
bool balance_differs(const struct balance_line *line);

#endif /* BALANCE_H */
