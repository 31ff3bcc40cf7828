/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of pages that are used in parts. Network drivers, for example, cut a block of 32 KiB
 * into buffers of 2 KiB, and each buffer in use has a reference to the block. One of them
 * keeps the whole block allocated.
 *
 * The kernel does not store the size of a part. The most references that two blocks of a
 * site and order have are taken for the number of parts in a block of this site. So the
 * memory in use is known if all parts have the same size, and an estimate otherwise. Two
 * blocks, because a single one may have a reference for another reason.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pages/survey.h"

/* orders of blocks that are looked at: 0 to 15 */
#define PARTS_ORDERS 16

/**
 * struct parts - the blocks of one site and order
 * @blocks: number of blocks that match the filter, without those in @filling
 * @refs: sum of their references
 * @filling: number of blocks with more references than they can have parts: the owner has
 *	taken references in advance, and still hands out parts
 * @most: the most references of a block, also of one that does not match the filter
 * @full: the most references that another block has
 * @most_is_wanted: the block with @most matches the filter
 * @oldest: the highest age, in units of 10 ms
 * @ages: number of blocks of known age
 */
struct parts {
	uint64_t blocks;
	uint64_t refs;
	uint64_t filling;
	uint32_t most;
	uint32_t full;
	bool most_is_wanted;
	uint64_t oldest;
	uint64_t ages;
};

/**
 * struct partwalk - the blocks of all sites
 * @of: by number of the site * PARTS_ORDERS + order
 * @skip: by number of the site: a kernel function that gives its callers parts of any size
 * @block: the head of the current block, if @refs is not 0
 * @refs: its references; 0: it is left out
 */
struct partwalk {
	struct parts *of;
	bool *skip;
	struct {
		uint64_t end;
		uint32_t site;
		uint32_t age;
		uint8_t order;
		bool wanted;
	} block;
	uint32_t refs;
};

/**
 * parts_init() - prepare for a walk
 * @w: set; the caller calls parts_exit() later, also after a failure
 * @sites: the sites
 */
void parts_init(struct partwalk *w, const struct sites *sites);

/**
 * parts_add() - take the next frame
 * @w: the walk
 * @page: the frame; frames come in order
 * @wanted: the frame matches the filter
 */
void parts_add(struct partwalk *w, const struct page *page, bool wanted);

/** parts_end() - take it that no frame follows */
void parts_end(struct partwalk *w);

/** parts_held() - bytes of all blocks of a site and order */
uint64_t parts_held(const struct parts *p, unsigned int order);

/**
 * parts_used() - bytes of the parts in use
 * @p: the blocks
 * @order: their order
 *
 * Return: the estimate; parts_held() if the blocks have fewer than three parts, or single pages
 * fewer than four, as far as is known.
 */
uint64_t parts_used(const struct parts *p, unsigned int order);

/** parts_exit() - undo parts_init() */
void parts_exit(struct partwalk *w);

#endif /* PARTS_H */
