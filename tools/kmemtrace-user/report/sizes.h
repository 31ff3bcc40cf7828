/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sizes that allocations have. There are few, of very many allocations: so
 * each is kept once, and an allocation has its number.
 */
#ifndef SIZES_H
#define SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

/* Numbers are below this. */
#define SIZES_BITS 22

/**
 * struct size - what one allocation, or a part of a block of pages, takes
 * @req: bytes requested
 * @alloc: bytes used up
 * @block: order of a block of pages; with SIZE_PART, it does not stand for an
 *	allocation, but is a further part of a block that was split
 */
struct size {
	uint64_t req;
	uint64_t alloc;
	uint64_t block;
};

#define SIZE_PART 0x100

/** size_order() - order of a block of pages */
static inline unsigned int size_order(const struct size *size)
{
	return size->block & (SIZE_PART - 1);
}

/** size_is_whole() - whether it stands for an allocation */
static inline bool size_is_whole(const struct size *size)
{
	return !(size->block & SIZE_PART);
}

/**
 * typedef sizes_mark - call sizes_keep() for each number that is in use
 * @arg: what sizes_init() was given
 */
typedef void (*sizes_mark)(void *arg);

/**
 * struct sizes - the sizes, and their numbers
 * @sizes: by number
 * @states: of each: 0 if it is none
 * @slots: hash of the numbers
 * @bits: 1 << bits slots, and half as many numbers
 * @count: numbers given out
 * @next: where to look for one that is free
 * @mark: tells which are in use, when there are no more
 * @arg: for @mark
 */
struct sizes {
	struct size *sizes;
	uint8_t *states;
	struct slots slots;
	unsigned int bits;
	uint32_t count;
	uint32_t next;
	sizes_mark mark;
	void *arg;
};

/** sizes_init() - no sizes yet; false if memory ran out */
bool sizes_init(struct sizes *s, sizes_mark mark, void *arg);

/** sizes_exit() - undo sizes_init() */
void sizes_exit(struct sizes *s);

/**
 * sizes_get() - the number of a size
 * @s: the sizes
 * @size: the size
 *
 * A number stays as it is as long as it is in use; when there are no more,
 * those that are not may be given to other sizes.
 *
 * Return: the number; UINT32_MAX if memory ran out.
 */
uint32_t sizes_get(struct sizes *s, const struct size *size);

/** sizes_is() - whether a number that was got before is still that of a size */
static inline bool sizes_is(const struct sizes *s, uint32_t number,
			    const struct size *size)
{
	const struct size *is = &s->sizes[number];

	return s->states[number] && is->req == size->req &&
	       is->alloc == size->alloc && is->block == size->block;
}

/** sizes_keep() - from within sizes_mark: a number is in use */
void sizes_keep(struct sizes *s, uint32_t number);

#endif /* SIZES_H */
