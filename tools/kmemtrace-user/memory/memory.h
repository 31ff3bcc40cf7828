/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of the command memory: the frames, and the figures of the kernel and the
 * module for them.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/tags.h"
#include "frames/ram.h"
#include "frames/vmallocs.h"
#include "frames/zones.h"
#include "memory/balance.h"
#include "memory/owners.h"
#include "memory/tally.h"

/**
 * struct memory_place - where unexplained frames are
 * @bytes: bytes of the frames
 * @node: their node
 * @zone: their zone, an index of zones.zone
 * @order: order of their compound page; -1: idle, see struct tally_node
 */
struct memory_place {
	uint64_t bytes;
	size_t node;
	int zone;
	int order;
};

/**
 * struct memory - the data of the command
 * @page_size: bytes of a frame
 * @no_module: the reason why there is no data of the module; NULL if there is
 * @zones: zones and lists of CPUs
 * @vmallocs: areas that vmalloc() has mapped
 * @ram: address ranges of RAM; only if @no_module is set
 * @tally: the counted frames
 * @tags: the allocating sites
 * @balance: the lines
 * @owners: the memory by owner; only with the module
 * @sites: the sites of other kernel pages, largest first: bytes in frames of KIND_KERNEL;
 *	location "" if it is not known
 * @place: where unexplained frames are, by node, zone and order
 * @nr_places: number of elements of @place
 * @text: buffers for @no_module and for @vmallocs.why, if a file has these reasons
 */
struct memory {
	uint64_t page_size;
	const char *no_module;
	struct zones zones;
	struct vmallocs vmallocs;
	struct ram ram;
	struct tally tally;
	struct tags tags;
	struct balance balance;
	struct owners owners;
	struct site_rows sites;
	struct memory_place *place;
	size_t nr_places;
	char text[2][256];
};

/**
 * memory_read() - read all data
 * @m: set; the caller must call memory_free(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int memory_read(struct memory *m);

/** memory_sort_sites() - sort the sites, largest first */
void memory_sort_sites(struct memory *m);

/**
 * memory_since() - get the time since accounting was switched on
 * @m: the data
 *
 * Return: seconds; -1 if accounting is off, or the time is not known.
 */
double memory_since(const struct memory *m);

/** memory_free() - undo memory_read() */
void memory_free(struct memory *m);

#endif /* MEMORY_H */
