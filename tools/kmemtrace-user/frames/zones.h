/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Zones and pageblocks by name: /proc/zoneinfo, /proc/pagetypeinfo.
 */
#ifndef ZONES_H
#define ZONES_H

#include <stdint.h>

#define ZONES_MAX	 8
#define MIGRATETYPES_MAX 16

/**
 * struct zones - what is the same for all nodes
 * @zone: names, by number: "DMA", "DMA32", "Normal"...; "" past the last
 * @migratetype: names, by number: "Unmovable", "Movable"...; "" past the last
 * @block_order: a pageblock is 1 << this pages; -1 if it is not known
 * @per_cpu_pages: free pages that are kept in the lists of CPUs, of all zones
 * @managed_pages: pages of all zones that the allocator has: MemTotal
 */
struct zones {
	char zone[ZONES_MAX][16];
	char migratetype[MIGRATETYPES_MAX][16];
	int block_order;
	uint64_t per_cpu_pages;
	uint64_t managed_pages;
};

/**
 * zones_parse() - understand the texts
 * @z: set
 * @zoneinfo: text of /proc/zoneinfo
 * @pagetypeinfo: text of /proc/pagetypeinfo; "": the migratetypes have no names,
 *	and pageblocks are of unknown size
 *
 * Return: 0; -1 if there is no zone in it.
 */
int zones_parse(struct zones *z, const char *zoneinfo,
		const char *pagetypeinfo);

/**
 * zones_read() - read them
 * @z: set
 *
 * Return: 0; -1 after a message.
 */
int zones_read(struct zones *z);

#endif /* ZONES_H */
