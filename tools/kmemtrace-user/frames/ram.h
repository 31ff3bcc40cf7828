/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which page frames are memory that this kernel uses. Linux 6.12 sets NOPAGE in
 * /proc/kpageflags for the others; newer kernels set no flag for them, as for many
 * pages of the kernel.
 */
#ifndef RAM_H
#define RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ram_range - page frames
 * @first: of them
 * @end: the frame behind the last one
 */
struct ram_range {
	uint64_t first;
	uint64_t end;
};

/**
 * struct ram - the frames
 * @range: memory
 * @count: how many ranges; 0: not known
 * @offline: ranges of memory that are switched off
 * @nr_offline: how many
 */
struct ram {
	struct ram_range *range;
	size_t count;
	struct ram_range *offline;
	size_t nr_offline;
};

/**
 * ram_parse() - find the memory in the text of /proc/iomem
 * @r: all 0; to be freed with ram_free(), also after an error
 * @iomem: the text; without CAP_SYS_ADMIN all addresses in it are 0, and nothing is
 *	known
 * @page_size: bytes of a frame
 *
 * Return: 0; -1 if memory ran out.
 */
int ram_parse(struct ram *r, const char *iomem, uint64_t page_size);

/**
 * ram_read() - read where memory is
 * @r: set; to be freed with ram_free(), also after an error
 * @page_size: bytes of a frame
 *
 * Reads /proc/iomem and /sys/devices/system/memory. If one of them cannot be read,
 * as much is taken for memory in use.
 *
 * Return: 0; -1 after a message.
 */
int ram_read(struct ram *r, uint64_t page_size);

/** ram_has() - whether a frame is memory in use; true if that is not known */
bool ram_has(const struct ram *r, uint64_t pfn);

/** ram_free() - free it */
void ram_free(struct ram *r);

#endif /* RAM_H */
