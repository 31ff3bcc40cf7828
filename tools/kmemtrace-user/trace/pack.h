/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert records to columns: see columns.h. Records with violations, unknown ids or
 * unknown features cannot be stored as columns without loss. They are refused.
 */
#ifndef PACK_H
#define PACK_H

#include "trace/columns.h"

struct pack;

/*
 * Number of stacks, and of their addresses, after which a packer forgets all stacks and
 * begins a new generation. Its memory is then at most 40 MiB. Tests use smaller numbers.
 */
#ifndef PACK_STACKS_MAX
#define PACK_STACKS_MAX	 (1u << 18)
#define PACK_CALLERS_MAX (1u << 22)
#endif

/** pack_create() - create a packer; NULL if memory ran out */
struct pack *pack_create(void);

/** pack_destroy() - free a packer; NULL is allowed */
void pack_destroy(struct pack *p);

/**
 * pack_records() - put the records of a chunk into columns
 * @p: the packer
 * @data: whole records of one CPU, in this machine's byte order
 * @size: bytes of @data, 1 to TRACE_DATA_MAX
 *
 * Return: the columns, valid until the next call, for the codec STACKED; NULL if a record
 * cannot be stored as columns.
 */
const struct columns *pack_records(struct pack *p, const uint8_t *data,
				   size_t size);

/**
 * struct pack_stacks - definitions of stacks, for a chunk STACKS
 * @data: the definitions, see stackdefs.h
 * @size: bytes of @data; 0: there are none
 * @first: number of the first stack in the recording
 * @generation: number of the first stack of its generation
 */
struct pack_stacks {
	const uint8_t *data;
	size_t size;
	uint32_t first;
	uint32_t generation;
};

/**
 * pack_new_stacks() - get the definitions of the stacks that are new in the last chunk
 * @p: the packer, after pack_records(), even if that returned NULL
 * @to: set to the definitions, valid until the next pack_records()
 *
 * The chunk STACKS must precede the chunk of the records in the file.
 */
void pack_new_stacks(struct pack *p, struct pack_stacks *to);

#endif /* PACK_H */
