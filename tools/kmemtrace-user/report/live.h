/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live allocations at a point of the recording, by address.
 */
#ifndef LIVE_H
#define LIVE_H

#include "base/map.h"
#include "report/sizes.h"

/*
 * maximum order of a block of pages: 512 MiB with pages of 64 KiB. The kernel allocates
 * larger huge pages without an event, and frees them with one (WINDOW_ORDER_MAX).
 */
#define LIVE_ORDER_MAX 13

/* bits of the members of struct live */
#define LIVE_GROUP_BITS 28
#define LIVE_CPU_BITS	13

/**
 * struct live - one allocation, or the remaining part of a block of pages
 * @group: index of its group
 * @size: number of its size
 * @cpu: CPU that allocated it
 * @fresh: no event has been lost since the allocation
 */
struct live {
	uint32_t group;
	uint32_t size;
	uint32_t cpu;
	bool fresh;
};

/**
 * struct live_table - live allocations of a class
 * @map: maps an address to a struct live
 * @sizes: the sizes; may be shared with other tables
 * @page_size: bytes of a page, in a table of blocks of pages; otherwise 0
 * @covered: in a table of blocks of pages: maps each group of 64 pages to the mask of
 *	the pages that are in a block
 * @orders: mask of the orders of the blocks in the table
 * @count: number of blocks of each order
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
 * live_init() - initialise an empty table
 * @t: the table
 * @sizes: the sizes that the entries refer to
 * @page_size: for a table of blocks of pages, bytes of a page, a power of two;
 *	otherwise 0
 */
void live_init(struct live_table *t, struct sizes *sizes, uint64_t page_size);

/** live_exit() - undo live_init() */
void live_exit(struct live_table *t);

#define LIVE_FRESH	 (1ull << LIVE_CPU_BITS)
#define LIVE_SIZE_SHIFT	 (LIVE_CPU_BITS + 1)
#define LIVE_GROUP_SHIFT (LIVE_SIZE_SHIFT + SIZES_BITS)

/** live_pack() - encode an entry as the value of a slot */
static inline uint64_t live_pack(const struct live *l)
{
	return (uint64_t)l->group << LIVE_GROUP_SHIFT |
	       (uint64_t)l->size << LIVE_SIZE_SHIFT |
	       (l->fresh ? LIVE_FRESH : 0) |
	       (l->cpu & ((1u << LIVE_CPU_BITS) - 1));
}

/** live_unpack() - decode the entry of a slot */
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

/** live_age() - mark all entries as not fresh, because events were lost */
void live_age(struct live_table *t);

/** live_size() - the size of an entry */
static inline const struct size *live_size(const struct live_table *t,
					   const struct map_slot *slot)
{
	return &t->sizes->sizes[live_unpack(slot).size];
}

/** live_keep_sizes() - mark the sizes of all entries as in use */
void live_keep_sizes(const struct live_table *t);

/**
 * live_add_block() - add an entry for a block of pages
 * @t: the table
 * @ptr: address of the block; no page of the block may be in the table
 * @l: the entry; the order of its size is at most LIVE_ORDER_MAX
 */
void live_add_block(struct live_table *t, uint64_t ptr, const struct live *l);

/** live_remove_block() - remove the entry of a block */
void live_remove_block(struct live_table *t, struct map_slot *block);

/**
 * live_is_covered() - whether the table contains any page of a block
 * @t: the table
 * @ptr: address of the block
 * @order: order of the block
 */
bool live_is_covered(const struct live_table *t, uint64_t ptr,
		     unsigned int order);

/**
 * live_find_block() - find the block of pages that contains an address
 * @t: the table
 * @ptr: address of a page
 *
 * Return: the entry, or NULL.
 */
struct map_slot *live_find_block(const struct live_table *t, uint64_t ptr);

/**
 * live_next_block() - find the next block that begins in a range
 * @t: the table
 * @ptr: first address of the range, at the start of a page; set to the page after the start
 *	of the block
 * @end: end of the range
 *
 * Return: the entry, or NULL.
 */
struct map_slot *live_next_block(const struct live_table *t, uint64_t *ptr, uint64_t end);

/**
 * live_split_block() - halve a block until a part of it has its own entry
 * @t: the table
 * @block: the block
 * @ptr: address of the part, inside @block
 * @order: order of the part
 *
 * Return: the entry of the part.
 */
struct map_slot *live_split_block(struct live_table *t, struct map_slot *block,
				  uint64_t ptr, unsigned int order);

#endif /* LIVE_H */
