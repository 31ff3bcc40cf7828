/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of memory, and the sites that hold them. A site holds a block if its items keep
 * the block from being used as a whole: for example a few objects that keep a slab
 * allocated, or a few pages that keep a pageblock from becoming a huge page. The cost of
 * a block held by n sites is charged 1/n to each, because each alone would hold it.
 */
#ifndef SHARES_H
#define SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct share - the blocks that one site holds
 * @alone: number of blocks that no other site holds
 * @together: number of blocks that other sites hold as well
 * @items: number of its objects or pages in these blocks, and in those of shares_use()
 * @bytes: bytes of these items
 * @cost_alone: cost of the blocks in @alone, in bytes
 * @cost_shared: its part of the cost of the blocks in @together, in bytes
 * @oldest: the highest age of an item, in units of 10 ms; 0 if no age is known
 * @ages: number of items of known age
 */
struct share {
	uint64_t alone;
	uint64_t together;
	uint64_t items;
	uint64_t bytes;
	uint64_t cost_alone;
	uint64_t cost_shared;
	uint64_t oldest;
	uint64_t ages;
};

struct holder;

/**
 * struct shares - the shares of all sites
 * @share: by number of the site
 * @count: number of sites
 * @holder: the sites that have items in the current block
 * @nr_holders: number of sites in @holder
 * @place: by number of the site: its index in @holder plus 1; 0: no items in the block
 * @blocks: number of blocks that were settled and have a holder
 * @cost: cost of these blocks, in bytes
 */
struct shares {
	struct share *share;
	size_t count;
	struct holder *holder;
	size_t nr_holders;
	uint32_t *place;
	uint64_t blocks;
	uint64_t cost;
};

/** shares_init() - allocate shares for @sites sites */
void shares_init(struct shares *s, size_t sites);

/**
 * shares_hold() - add an object or page of a site to the current block
 * @s: the shares
 * @site: number of the site
 * @bytes: bytes of the object or page
 * @age: its age in units of 10 ms, or KMEMTRACE_AGE_UNKNOWN
 */
void shares_hold(struct shares *s, uint32_t site, uint64_t bytes, uint32_t age);

/**
 * shares_settle() - end the current block, and charge its cost to the sites in it
 * @s: the shares
 * @cost: cost of the block, in bytes
 *
 * A block without items is not counted.
 */
void shares_settle(struct shares *s, uint64_t cost);

/** shares_use() - end the current block, which is in use as a whole: no cost, and no ages */
void shares_use(struct shares *s);

/** shares_drop() - end the current block without counting it */
void shares_drop(struct shares *s);

/** shares_exit() - undo shares_init() */
void shares_exit(struct shares *s);

#endif /* SHARES_H */
