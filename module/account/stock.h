/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stock of memory for probes, which cannot call the page allocator. It hands out blocks
 * of some sizes. Each CPU has a few blocks of each size. Each NUMA node has a reserve of
 * memory that is not divided yet. A worker fills the reserve, and returns what is more.
 */
#ifndef KMT_STOCK_H
#define KMT_STOCK_H

#include <linux/types.h>

/* sizes of blocks, by number; the size of a block includes its first KMT_STOCK_HEAD bytes */
#define KMT_STOCK_SIZES 13
/* bytes at the start of a free block that are not 0 */
#define KMT_STOCK_HEAD	16u
/* the address of a block is a multiple of this */
#define KMT_STOCK_ALIGN 16u

/**
 * kmt_stock_size() - number of the smallest block with enough words
 * @words: words of 8 bytes behind the first KMT_STOCK_HEAD bytes; at most 512
 *
 * Context: any.
 * Return: the number, below KMT_STOCK_SIZES.
 */
unsigned int kmt_stock_size(unsigned int words);

/**
 * kmt_stock_get() - take a block
 * @size: from kmt_stock_size()
 * @node: the node that its memory should be on; it may be on another one if this node has
 *	no reserve left
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the block, all 0 but for the first KMT_STOCK_HEAD bytes. Bytes 8 to
 * KMT_STOCK_HEAD - 1 are 0, or were written by its last user. NULL if no block is left.
 */
void *kmt_stock_get(unsigned int size, int node);

/**
 * kmt_stock_put() - give a block back
 * @block: from kmt_stock_get(); all 0 but for the first KMT_STOCK_HEAD bytes
 *
 * Until a grace period has passed, the memory stays a block of this size: a reader can
 * tell by bytes 8 to KMT_STOCK_HEAD - 1 whether it was taken again.
 *
 * Context: as kmt_stock_get().
 */
void kmt_stock_put(void *block);

/**
 * kmt_stock_memory() - memory of the stock, with the blocks that are in use
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_stock_memory(void);

/**
 * kmt_stock_refused() - number of blocks that could not be handed out
 *
 * Context: any.
 * Return: the number since the load.
 */
u64 kmt_stock_refused(void);

/**
 * kmt_stock_init() - allocate the reserves
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; kmt_stock_exit() must be called in either case.
 */
int kmt_stock_init(void);

/**
 * kmt_stock_exit() - free all memory of the stock, also blocks that are in use
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_stock_exit(void);

#endif /* KMT_STOCK_H */
