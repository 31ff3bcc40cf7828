/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is allocated at a point of the recording, found by address.
 */
#ifndef LIVE_H
#define LIVE_H

#include "base/map.h"
#include "report/sizes.h"

/* Blocks of pages are no larger than this: 512 MiB with pages of 64 KiB. */
#define LIVE_ORDER_MAX 13

/* bits of the numbers in struct live */
#define LIVE_GROUP_BITS 28
#define LIVE_CPU_BITS	13

/**
 * struct live - one allocation, or what is left of a block of pages
 * @group: whose it is
 * @size: number of its size
 * @cpu: where it was allocated
 * @fresh: no event was lost since it was allocated
 */
struct live {
	uint32_t group;
	uint32_t size;
	uint32_t cpu;
	bool fresh;
};

/**
 * struct live_table - what is live of a class
 * @map: from addresses to struct live
 * @sizes: the sizes; may be shared
 * @page_size: of blocks of pages; 0: it is none of pages
 * @covered: of pages: from the address of 64 pages to the mask of those that
 *	are in a block
 * @orders: mask of the orders that there are
 * @count: how many blocks there are of each order
 */
struct live_table {
	struct map map;
	struct sizes *sizes;
	uint64_t page_size;
	struct map covered;
	uint32_t orders;
	size_t count[LIVE_ORDER_MAX + 1];
};

/**
 * live_init() - make an empty table
 * @t: the table
 * @sizes: the sizes that its entries have
 * @page_size: of pages, a power of two; 0: the table is for something else
 *
 * Return: false if memory ran out.
 */
bool live_init(struct live_table *t, struct sizes *sizes, uint64_t page_size);

/** live_exit() - undo live_init() */
void live_exit(struct live_table *t);

#define LIVE_FRESH	 (1ull << LIVE_CPU_BITS)
#define LIVE_SIZE_SHIFT	 (LIVE_CPU_BITS + 1)
#define LIVE_GROUP_SHIFT (LIVE_SIZE_SHIFT + SIZES_BITS)

/** live_pack() - as the value of a slot */
static inline uint64_t live_pack(const struct live *l)
{
	return (uint64_t)l->group << LIVE_GROUP_SHIFT |
	       (uint64_t)l->size << LIVE_SIZE_SHIFT |
	       (l->fresh ? LIVE_FRESH : 0) |
	       (l->cpu & ((1u << LIVE_CPU_BITS) - 1));
}

/** live_unpack() - undo live_pack(), of a slot */
static inline struct live live_unpack(const struct map_slot *slot)
{
	return (struct live){
		.group = slot->value >> LIVE_GROUP_SHIFT,
		.size = slot->value >> LIVE_SIZE_SHIFT &
			((1u << SIZES_BITS) - 1),
		.cpu = slot->value & ((1u << LIVE_CPU_BITS) - 1),
		.fresh = slot->value & LIVE_FRESH,
	};
}

/** live_age() - no entry is fresh any more: events were lost */
void live_age(struct live_table *t);

/** live_size() - the size of an entry */
static inline const struct size *live_size(const struct live_table *t,
					   const struct map_slot *slot)
{
	return &t->sizes->sizes[live_unpack(slot).size];
}

/** live_keep_sizes() - mark the sizes that are in use */
void live_keep_sizes(const struct live_table *t);

/**
 * live_add_block() - an entry for a block of pages
 * @t: the table
 * @ptr: its address; no page of it is in the table
 * @l: what it is like; its order is up to LIVE_ORDER_MAX
 *
 * Return: false if memory ran out.
 */
bool live_add_block(struct live_table *t, uint64_t ptr, const struct live *l);

/** live_remove_block() - remove the entry of a block */
void live_remove_block(struct live_table *t, struct map_slot *block);

/**
 * live_is_covered() - whether a page of a block is in the table
 * @t: the table
 * @ptr: the block's address
 * @order: its order
 */
bool live_is_covered(const struct live_table *t, uint64_t ptr,
		     unsigned int order);

/**
 * live_find_block() - the block of pages that an address lies in
 * @t: the table
 * @ptr: address of a page
 *
 * Return: the entry, or NULL.
 */
struct map_slot *live_find_block(const struct live_table *t, uint64_t ptr);

/**
 * live_split_block() - halve a block until a part of it stands alone
 * @t: the table
 * @block: the block
 * @ptr: address of the part, inside @block
 * @order: of the part
 *
 * Return: the entry of the part; NULL if memory ran out.
 */
struct map_slot *live_split_block(struct live_table *t, struct map_slot *block,
				  uint64_t ptr, unsigned int order);

#endif /* LIVE_H */
