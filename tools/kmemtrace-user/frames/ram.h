/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page frames that are memory in use by this kernel. Linux 6.12 sets NOPAGE in
 * /proc/kpageflags for all other frames. Newer kernels set no flag for them. Many pages
 * of the kernel have no flag either, so flags alone cannot distinguish them.
 */
#ifndef RAM_H
#define RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ram_range - a range of page frames
 * @first: number of the first frame
 * @end: number of the last frame plus 1
 */
struct ram_range {
	uint64_t first;
	uint64_t end;
};

/**
 * struct ram - the memory of the machine
 * @range: ranges of memory
 * @count: number of ranges; 0: not known
 * @offline: ranges of memory that are offline
 * @nr_offline: number of ranges in @offline
 */
struct ram {
	struct ram_range *range;
	size_t count;
	struct ram_range *offline;
	size_t nr_offline;
};

/**
 * ram_parse() - find the memory in the text of /proc/iomem
 * @r: all 0; must be freed with ram_free()
 * @iomem: the text; NULL: no memory is found. Without CAP_SYS_ADMIN all addresses in it
 *	are 0, and no memory is found either
 * @page_size: bytes of a frame
 */
void ram_parse(struct ram *r, const char *iomem, uint64_t page_size);

/**
 * ram_read() - read the ranges of memory
 * @r: set; must be freed with ram_free()
 * @page_size: bytes of a frame
 *
 * Reads /proc/iomem and /sys/devices/system/memory. If the first cannot be read, all
 * frames count as memory; if the second cannot be read, all memory counts as online.
 */
void ram_read(struct ram *r, uint64_t page_size);

/** ram_has() - whether a frame is online memory; true if the ranges are not known */
bool ram_has(const struct ram *r, uint64_t pfn);

/** ram_free() - free the ranges */
void ram_free(struct ram *r);

#endif /* RAM_H */
