/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts all page frames of the machine by kind, each frame once. The size of the counts
 * does not depend on the size of the memory.
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
 * @kind: frames, by kind
 * @unknown: frames of KIND_UNKNOWN that are not in @idle, by zone and by the order of
 *	their compound page; order 0 for all other frames
 * @idle: frames of KIND_UNKNOWN without a flag and without a reference, by zone
 */
struct tally_node {
	uint64_t kind[KINDS];
	uint64_t unknown[ZONES_MAX][TALLY_ORDERS];
	uint64_t idle[ZONES_MAX];
};

/**
 * struct tally_site - the frames that a site has allocated
 * @kind: frames, by kind; none that are free, offline or not used any more
 */
struct tally_site {
	uint64_t kind[KINDS];
};

/**
 * struct tally - the counts
 * @kind: frames, by kind
 * @node: counts by node, if the module provides the nodes
 * @nr_nodes: number of nodes
 * @site: frames by tag; 0: without a tag
 * @nr_sites: number of elements of @site
 * @idle: frames of KIND_UNKNOWN that may be free: without a flag, and without a known
 *	reference
 * @compound: frames of KIND_UNKNOWN in compound pages
 * @run: number of frames so far of the current compound page of KIND_UNKNOWN
 * @run_end: number of the frame after the last one of @run
 * @run_node: node of the compound page
 * @run_zone: zone of the compound page
 */
struct tally {
	uint64_t kind[KINDS];
	struct tally_node *node;
	size_t nr_nodes;
	struct tally_site *site;
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
 * @t: the counts, all 0 at the start; the caller must call tally_free()
 * @pfn: number of the frame, higher than that of the previous one
 * @flags: from /proc/kpageflags
 * @owner: data of the module about the frame; NULL if it is not known
 * @kind: kind of the frame
 */
void tally_add(struct tally *t, uint64_t pfn, uint64_t flags,
	      const struct kmemtrace_page *owner, enum frame_kind kind);

/** tally_end() - finish the counts; must be called after the last frame */
void tally_end(struct tally *t);

/**
 * tally_warm() - read some frames, so that the kernel allocates the buffers of @f
 * @f: the open files
 *
 * The kernel then does not allocate these pages while tally_walk() counts.
 *
 * Return: 0; -1 after a message.
 */
int tally_warm(struct frames *f);

/**
 * tally_walk() - count all frames
 * @t: gets the counts; the caller must call tally_free(), also after an error
 * @f: the open files, with FRAMES_FLAGS
 * @vmallocs: areas that vmalloc() has mapped
 * @ram: address ranges of RAM; used without FRAMES_OWNER
 *
 * Return: 0; -1 after a message.
 */
int tally_walk(struct tally *t, struct frames *f,
	       const struct vmallocs *vmallocs, const struct ram *ram);

/** tally_free() - free the counts */
void tally_free(struct tally *t);

#endif /* TALLY_H */
