/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack traces. Very many records have few different stacks. So each stack is stored
 * once, and a record has the number of its stack. Two stacks with the same hash are
 * compared, and so keep different numbers.
 */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "trace/symtab.h"

/* the number of a record without a stack; no addresses */
#define STACKS_NONE 0

/**
 * struct stack - addresses of a stack
 * @first: index of its first address in stacks.callers
 * @depth: number of addresses
 */
struct stack {
	uint32_t first;
	uint32_t depth;
};

/**
 * struct stacks - stacks, by number
 * @stack: the stacks; STACKS_NONE is an empty one
 * @count: number of stacks, including STACKS_NONE; also the next number
 * @room: number of stacks that fit into @stack
 * @callers: addresses of all stacks
 * @nr_callers: number of addresses
 * @callers_room: number of addresses that fit into @callers
 * @slots: hash of the numbers
 * @interrupts: stacks end at these functions; NULL: they are stored as they are
 */
struct stacks {
	struct stack *stack;
	size_t count;
	size_t room;
	uint64_t *callers;
	size_t nr_callers;
	size_t callers_room;
	struct slots slots;
	const struct interrupts *interrupts;
};

/** stacks_init() - initialise a table with STACKS_NONE alone */
void stacks_init(struct stacks *s);

/** stacks_exit() - undo stacks_init(); a table of zeros is allowed */
void stacks_exit(struct stacks *s);

/** stacks_clear() - remove all stacks but STACKS_NONE */
void stacks_clear(struct stacks *s);

/**
 * stacks_get() - get the number of a stack, assigned if needed
 * @s: the table
 * @callers: the addresses; may be NULL if @depth is 0
 * @depth: number of addresses
 *
 * Return: the number, from 1 on in the order of the first calls.
 */
uint32_t stacks_get(struct stacks *s, const uint64_t *callers, size_t depth);

/**
 * stacks_at() - get the addresses of a stack
 * @s: the table
 * @number: from stacks_get(), or STACKS_NONE
 * @depth: set to the number of addresses
 *
 * Return: the addresses, valid until the next stacks_get().
 */
static inline const uint64_t *stacks_at(const struct stacks *s,
					uint32_t number, size_t *depth)
{
	*depth = s->stack[number].depth;
	return s->callers + s->stack[number].first;
}

/** stacks_is() - whether a number from stacks_get() is that of these addresses */
bool stacks_is(const struct stacks *s, uint32_t number,
	       const uint64_t *callers, size_t depth);

/*
 * Definitions of stacks in a recording: chunks STACKS, see trace_format.h. A chunk has
 * for each stack its depth, and zigzag() of each address.
 */

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

#endif /* STACKS_H */
