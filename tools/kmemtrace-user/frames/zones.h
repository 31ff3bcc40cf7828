/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names and sizes of zones and pageblocks, from /proc/zoneinfo and /proc/pagetypeinfo.
 */
#ifndef ZONES_H
#define ZONES_H

#include <stdint.h>

#define ZONES_MAX	 8
#define MIGRATETYPES_MAX 16
/* the most that a kernel can have */
#define NODES_MAX	 1024

/**
 * struct zones - names that all nodes share, and sums over all zones
 * @zone: names of zones, by number: "DMA", "DMA32", "Normal"...; "" past the last
 * @migratetype: names, by number: "Unmovable", "Movable"...; "" past the last
 * @nr_nodes: the highest number of a NUMA node, and 1
 * @block_order: a pageblock has 1 << block_order pages; -1 if not known
 * @per_cpu_pages: free pages in the lists of CPUs, of all zones
 * @per_cpu_of_node: the same of each NUMA node
 * @unaccepted_pages: free pages that a confidential guest has not accepted yet; set by
 *	zones_read(), from /proc/meminfo
 */
struct zones {
	char zone[ZONES_MAX][16];
	char migratetype[MIGRATETYPES_MAX][16];
	unsigned int nr_nodes;
	int block_order;
	uint64_t per_cpu_pages;
	uint32_t per_cpu_of_node[NODES_MAX];
	uint64_t unaccepted_pages;
};

/**
 * zones_parse() - parse the texts
 * @z: set
 * @zoneinfo: text of /proc/zoneinfo
 * @pagetypeinfo: text of /proc/pagetypeinfo; "": the names of migratetypes and the size
 *	of pageblocks are not known
 *
 * Return: 0; -1 if @zoneinfo has no zone.
 */
int zones_parse(struct zones *z, const char *zoneinfo,
		const char *pagetypeinfo);

/**
 * zones_read() - read and parse the files
 * @z: set
 *
 * Return: 0; -1 after a message.
 */
int zones_read(struct zones *z);

#endif /* ZONES_H */
