/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of memory, and the sites that keep each from being of use as a whole: a
 * slab that a few objects keep alive, a pageblock that a few pages keep from
 * becoming a huge page. What only one site keeps, it keeps alone; what several
 * keep is shared out among them evenly, since each of them suffices.
 */
#ifndef SHARES_H
#define SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct share - what one site keeps
 * @alone: blocks that it keeps alone
 * @together: blocks that it keeps with others
 * @items: its objects or pages in these
 * @bytes: bytes of them
 * @cost_alone: what @alone cost
 * @cost_shared: its part of what @together cost
 * @oldest: the highest age of an item, in hundredths of a second; 0 if none is
 *	known
 * @ages: how many items have a known age
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
 * struct shares - of all sites
 * @share: by number of the site
 * @count: how many sites
 * @holder: who has something in the block that is looked at
 * @nr_holders: how many
 * @place: by number of the site: its place in @holder plus 1; 0: it is not there
 * @blocks: how many were settled
 * @cost: of these
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

/** shares_init() - for so many sites; false if memory ran out */
bool shares_init(struct shares *s, size_t sites);

/**
 * shares_hold() - a site has something in the block
 * @s: the shares
 * @site: number of the site
 * @bytes: of one object or page
 * @age: its age, KMEMTRACE_AGE_UNKNOWN
 */
void shares_hold(struct shares *s, uint32_t site, uint64_t bytes, uint32_t age);

/**
 * shares_settle() - the block is over, and counts
 * @s: the shares
 * @cost: of the block, in bytes
 *
 * If nobody has anything in it, it does not count.
 */
void shares_settle(struct shares *s, uint64_t cost);

/** shares_drop() - the block is over, and does not count */
void shares_drop(struct shares *s);

/** shares_exit() - undo shares_init() */
void shares_exit(struct shares *s);

#endif /* SHARES_H */
