/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All page frames of the machine, counted by what they are, each once. What is
 * kept does not grow with the memory.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "frames/frames.h"
#include "frames/kinds.h"
#include "frames/zones.h"

#define TALLY_ORDERS 32

/**
 * struct tally_node - the frames of a NUMA node
 * @kind: by kind
 * @unknown: those of KIND_UNKNOWN that somebody holds a reference to, by zone and
 *	by the order of the compound page that they are of; 0 for the others
 * @idle: those that nobody does, by zone
 */
struct tally_node {
	uint64_t kind[KINDS];
	uint64_t unknown[ZONES_MAX][TALLY_ORDERS];
	uint64_t idle[ZONES_MAX];
};

/**
 * struct tally - the counts
 * @kind: by kind
 * @node: by node, if the module tells them
 * @nr_nodes: how many
 * @site: those of KIND_KERNEL, by tag
 * @nr_sites: how many
 * @idle: those of KIND_UNKNOWN that may be free: no flag is set, nobody is known
 *	to hold a reference
 * @compound: those of KIND_UNKNOWN that are of a compound page
 * @run: length of the compound page at hand, of frames of KIND_UNKNOWN
 * @run_end: frame after its last one
 * @run_node: its node
 * @run_zone: its zone
 */
struct tally {
	uint64_t kind[KINDS];
	struct tally_node *node;
	size_t nr_nodes;
	uint64_t *site;
	size_t nr_sites;
	uint64_t idle;
	uint64_t compound;
	uint64_t run;
	uint64_t run_end;
	unsigned int run_node;
	unsigned int run_zone;
};

/**
 * tally_add() - count a frame
 * @t: the counts, all 0 at the start; to be freed with tally_free()
 * @pfn: its number, higher than that of the one before
 * @flags: from /proc/kpageflags
 * @owner: who allocated it; NULL if that is not known
 * @kind: what it is
 *
 * Return: 0; -1 if memory ran out.
 */
int tally_add(struct tally *t, uint64_t pfn, uint64_t flags,
	      const struct kmemtrace_page *owner, enum frame_kind kind);

/** tally_end() - no frame is left; to be called after the last one */
void tally_end(struct tally *t);

/**
 * tally_warm() - have all memory that tally_walk() needs
 * @f: the open files
 *
 * So that it does not take any while it counts.
 *
 * Return: 0; -1 after a message.
 */
int tally_warm(struct frames *f);

/**
 * tally_walk() - count all frames
 * @t: gets the counts; to be freed with tally_free(), also after an error
 * @f: the open files, with FRAMES_FLAGS
 * @vmallocs: what is mapped by vmalloc()
 * @ram: where there is memory, if it is not known who allocated frames
 *
 * Return: 0; -1 after a message.
 */
int tally_walk(struct tally *t, struct frames *f,
	       const struct vmallocs *vmallocs, const struct ram *ram);

/** tally_free() - free it */
void tally_free(struct tally *t);

#endif /* TALLY_H */
