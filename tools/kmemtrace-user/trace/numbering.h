/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of stacks in a recording that is being written: see "Stacks" in
 * trace_format.h. Chunks get their numbers in the order of the file.
 */
#ifndef NUMBERING_H
#define NUMBERING_H

#include "trace/columns.h"
#include "trace/stacks.h"

/*
 * Number of stacks, and of their addresses, after which all stacks are forgotten and a new
 * generation begins. They take at most 40 MiB. Tests use smaller numbers.
 */
#ifndef NUMBERING_STACKS_MAX
#define NUMBERING_STACKS_MAX  (1u << 18)
#define NUMBERING_CALLERS_MAX (1u << 22)
#endif

/**
 * struct numbering - the stacks that are defined in the file
 * @stacks: the stacks of this generation
 * @generation: number of its first stack in the recording
 * @callers_max: number of addresses after which a new generation begins
 * @column: the last column
 * @column_room: bytes that fit into it
 * @definitions: the last definitions
 * @definitions_room: bytes that fit into them
 */
struct numbering {
	struct stacks stacks;
	uint32_t generation;
	size_t callers_max;
	uint8_t *column;
	size_t column_room;
	uint8_t *definitions;
	size_t definitions_room;
};

/**
 * struct numbered - the stacks of a chunk
 * @callers: contents of the column CALLERS
 * @definitions: definitions of the stacks that are new, for a chunk STACKS, which precedes
 *	the chunk of the records; see stackdefs.h
 * @size: bytes of @definitions; 0: no stack is new
 * @first: number of the first new stack in the recording
 * @generation: number of the first stack of its generation
 */
struct numbered {
	struct column callers;
	const uint8_t *definitions;
	size_t size;
	uint32_t first;
	uint32_t generation;
};

/**
 * numbering_init() - initialise without a stack
 * @n: the numbers
 * @callers_max: at most NUMBERING_CALLERS_MAX addresses are kept
 */
void numbering_init(struct numbering *n, size_t callers_max);

/** numbering_exit() - undo numbering_init(); all zeros are allowed */
void numbering_exit(struct numbering *n);

/**
 * numbering_add() - number the stacks of the next chunk
 * @n: the numbers
 * @list: for each stack its depth, and its addresses. All stacks differ
 * @count: number of stacks
 * @to: set to the result, valid until the next call
 */
void numbering_add(struct numbering *n, const uint64_t *list, size_t count,
		   struct numbered *to);

/**
 * numbering_list() - make the list for numbering_add()
 * @s: stacks with the numbers from 1 on
 * @list: gets numbering_list_size() bytes
 */
void numbering_list(const struct stacks *s, uint64_t *list);

/** numbering_list_size() - bytes of the list of these stacks */
static inline size_t numbering_list_size(const struct stacks *s)
{
	return (s->count - 1 + s->nr_callers) * sizeof(uint64_t);
}

#endif /* NUMBERING_H */
