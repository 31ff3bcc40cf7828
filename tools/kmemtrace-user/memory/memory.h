/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the command memory reads: the frames, and what the kernel and the
 * module say of them.
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
 * struct memory_site - who allocates other kernel pages
 * @bytes: frames of KIND_KERNEL, in bytes
 * @tag: the row of it; NULL if it is not known
 */
struct memory_site {
	uint64_t bytes;
	const struct tag *tag;
};

/**
 * struct memory - what was read
 * @page_size: bytes of a frame
 * @no_module: why nothing of the module is known; NULL if it is
 * @zones: zones and lists of CPUs
 * @vmallocs: what is mapped by vmalloc()
 * @ram: where there is memory, if @no_module
 * @tally: the frames, counted
 * @tags: who allocates
 * @balance: the lines
 * @site: the sites, largest first
 * @nr_sites: how many
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
 * memory_read() - read it all
 * @m: set; to be freed with memory_free(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int memory_read(struct memory *m);

/**
 * memory_since() - seconds that accounting has been on
 * @m: what was read
 *
 * Return: them; -1 if it is off, or that is not known.
 */
double memory_since(const struct memory *m);

/** memory_free() - free it */
void memory_free(struct memory *m);

#endif /* MEMORY_H */
