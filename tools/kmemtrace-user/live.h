/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is allocated at a point of the recording, found by address.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of pages are no larger than this: 512 MiB with pages of 64 KiB. */
#define LIVE_ORDER_MAX 13

/**
 * struct live - one allocation, or what is left of a block of pages
 * @ptr: its address, never 0
 * @req: bytes requested
 * @alloc: bytes used up
 * @group: whose it is
 * @cpu: where it was allocated
 * @type: KMEMTRACE_TYPE_*
 * @order: of a block of pages
 * @whole: it stands for one allocation; else it is a further part of a block
 *	that was split
 */
struct live {
	uint64_t ptr;
	uint32_t req;
	uint32_t alloc;
	uint32_t group;
	uint16_t cpu;
	uint8_t type;
	uint8_t order : 7;
	uint8_t whole : 1;
};

/**
 * struct live_table - a hash with open addressing
 * @slots: 1 << @bits of them; ptr 0 is empty
 * @bits: at least 1
 * @used: slots that are not empty
 * @orders: mask of the orders that entries have had
 */
struct live_table {
	struct live *slots;
	unsigned int bits;
	size_t used;
	uint32_t orders;
};

/** live_init() - make an empty table; false if memory ran out */
bool live_init(struct live_table *t);

/** live_exit() - undo live_init() */
void live_exit(struct live_table *t);

/** live_find() - the entry of an address, or NULL */
struct live *live_find(struct live_table *t, uint64_t ptr);

/**
 * live_add() - an entry for an address that has none
 * @t: the table
 * @ptr: the address, not 0
 * @order: of a block of pages, up to LIVE_ORDER_MAX; else 0
 *
 * Return: the entry, only ptr and order set, good until the table is next changed; NULL
 * if memory ran out.
 */
struct live *live_add(struct live_table *t, uint64_t ptr, unsigned int order);

/** live_remove() - remove an entry */
void live_remove(struct live_table *t, struct live *entry);

/**
 * live_find_block() - the block of pages that an address lies in
 * @t: the table
 * @ptr: address of a page
 * @page_size: of the recorded machine
 *
 * Return: the entry, or NULL.
 */
struct live *live_find_block(struct live_table *t, uint64_t ptr,
			     uint64_t page_size);

/**
 * live_split_block() - halve a block until a part of it stands alone
 * @t: the table
 * @block: the block
 * @ptr: address of the part, inside @block
 * @order: of the part
 * @page_size: of the recorded machine
 *
 * Return: the entry of the part; NULL if memory ran out.
 */
struct live *live_split_block(struct live_table *t, struct live *block,
			      uint64_t ptr, unsigned int order,
			      uint64_t page_size);

#endif /* LIVE_H */
