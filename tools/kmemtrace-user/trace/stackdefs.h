/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions of stacks in a recording: chunks STACKS, see trace_format.h. A chunk has
 * for each stack its depth, and zigzag() of each address (varint.h).
 */
#ifndef STACKDEFS_H
#define STACKDEFS_H

#include "trace/stacks.h"

/**
 * struct stackdefs - the definitions that were read
 * @stacks: the stacks
 * @begun: @base is set
 * @base: number in the file of the first element of @numbers
 * @numbers: numbers in @stacks, by number in the file; STACKS_NONE: not defined
 * @count: number of elements
 * @damaged: number of damaged chunks of definitions, counted by the caller
 * @undefined: number of times that a chunk of records referred to a stack without a
 *	definition; the records have an empty stack instead
 *
 * The file may define a stack several times, under different numbers. All of them have
 * the same number in @stacks.
 */
struct stackdefs {
	struct stacks stacks;
	bool begun;
	uint32_t base;
	uint32_t *numbers;
	size_t count;
	uint64_t damaged;
	uint64_t undefined;
};

/** stackdefs_init() - initialise without a definition */
void stackdefs_init(struct stackdefs *d);

/** stackdefs_exit() - undo stackdefs_init(); all zeros are allowed */
void stackdefs_exit(struct stackdefs *d);

/**
 * stackdefs_add() - read a chunk of definitions
 * @d: the definitions
 * @first: number in the file of the first stack of the chunk
 * @data: the decompressed chunk; not trusted
 * @size: bytes of @data
 *
 * Return: 0; -EBADMSG if the chunk is damaged.
 */
int stackdefs_add(struct stackdefs *d, uint32_t first, const uint8_t *data,
		  size_t size);

/** stackdefs_find() - get the number in d->stacks; STACKS_NONE if it is not defined */
static inline uint32_t stackdefs_find(const struct stackdefs *d,
				      uint32_t number)
{
	uint32_t i = number - d->base;

	return i < d->count ? d->numbers[i] : STACKS_NONE;
}

/**
 * stackdefs_put() - write the definition of a stack
 * @to: gets up to (depth + 1) * VARINT_MAX bytes
 * @callers: addresses of the stack
 * @depth: number of addresses
 *
 * Return: the end of the definition.
 */
uint8_t *stackdefs_put(uint8_t *to, const uint64_t *callers, size_t depth);

#endif /* STACKDEFS_H */
