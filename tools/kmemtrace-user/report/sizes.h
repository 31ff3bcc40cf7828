/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sizes of allocations. Very many allocations have few different sizes. So each size
 * is stored once, and an allocation has the number of its size.
 */
#ifndef SIZES_H
#define SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

/* bits of the number of a size */
#define SIZES_BITS 22

/* size of one allocation, or of a part of a block of pages */
struct size {
	uint64_t req;	/* bytes requested */
	uint64_t alloc;	/* bytes allocated */
	/*
	 * order of a block of pages. With SIZE_PART, the entry is a further part of a block that
	 * was split, and does not count as an allocation
	 */
	uint64_t block;
};

#define SIZE_PART 0x100

/** size_order() - get the order of a block of pages */
static inline unsigned int size_order(const struct size *size)
{
	return size->block & (SIZE_PART - 1);
}

/** size_is_whole() - whether the size counts as an allocation */
static inline bool size_is_whole(const struct size *size)
{
	return !(size->block & SIZE_PART);
}

/**
 * typedef sizes_mark - call sizes_keep() for each number that is in use
 * @arg: the argument of sizes_init()
 */
typedef void (*sizes_mark)(void *arg);

/* the sizes, and their numbers */
struct sizes {
	struct size *sizes;	/* the sizes, by number */
	uint8_t *states;	/* state of each number; 0: the number is free */
	struct slots slots;	/* hash of the numbers */
	unsigned int bits;	/* there are 1 << @bits slots, and half as many numbers */
	uint32_t count;		/* number of assigned numbers */
	uint32_t next;		/* first number to check for a free one */
	sizes_mark mark;	/* called when no number is free, to mark the numbers in use */
	void *arg;		/* argument of @mark */
};

/** sizes_init() - initialise an empty set of sizes */
void sizes_init(struct sizes *s, sizes_mark mark, void *arg);

/** sizes_exit() - undo sizes_init() */
void sizes_exit(struct sizes *s);

/**
 * sizes_get() - get the number of a size, assigned if needed
 * @s: the sizes
 * @size: the size
 *
 * A number keeps its size while it is in use. When no number is free, numbers that are
 * not in use are freed.
 *
 * Return: the number.
 */
uint32_t sizes_get(struct sizes *s, const struct size *size);

/** sizes_is() - whether a number from sizes_get() still belongs to a size */
static inline bool sizes_is(const struct sizes *s, uint32_t number,
			    const struct size *size)
{
	const struct size *is = &s->sizes[number];

	return s->states[number] && is->req == size->req &&
	       is->alloc == size->alloc && is->block == size->block;
}

/** sizes_keep() - mark a number as in use; only called by a sizes_mark */
void sizes_keep(struct sizes *s, uint32_t number);

#endif /* SIZES_H */
