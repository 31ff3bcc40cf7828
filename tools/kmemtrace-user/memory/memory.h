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
#include "memory/tally.h"

/**
 * struct memory_site - a site that allocates other kernel pages
 * @bytes: bytes in frames of KIND_KERNEL
 * @tag: tag of the site; NULL if it is not known
 */
struct memory_site {
	uint64_t bytes;
	const struct tag *tag;
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
 * @site: the sites, largest first
 * @nr_sites: number of sites
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
	struct memory_site *site;
	size_t nr_sites;
};

/**
 * memory_read() - read all data
 * @m: set; the caller must call memory_free(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int memory_read(struct memory *m);

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
