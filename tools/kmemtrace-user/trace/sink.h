/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes packed chunks into a recording, one after the other: headers, definitions of
 * stacks, and the index.
 */
#ifndef SINK_H
#define SINK_H

#include <stdio.h>

#include "trace/columns.h"
#include "trace/index.h"
#include "trace/pack.h"
#include "trace/stacks.h"

/*
 * The numbers of stacks in a recording that is being written: see "Stacks" in
 * trace_format.h. Chunks get their numbers in the order of the file.
 */

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
 * struct written - what the file has of a CPU
 * @cpu: the CPU
 * @mark: the last valid mark
 * @has_mark: the CPU has had a mark
 * @has_records: the file has records of the CPU
 * @next: with @has_records: no further record has a smaller number
 */
struct written {
	uint32_t cpu;
	uint32_t mark;
	bool has_mark;
	bool has_records;
	uint32_t next;
};

/**
 * struct sink - a file that is being written
 * @file: stream of the file
 * @packer: packs texts
 * @numbering: numbers of the stacks
 * @written: what the file has, by CPU
 * @nr_written: number of them
 * @absent: the same for the CPUs without a chunk
 * @synced: the index has a sync after all records
 * @sync: the next sync
 * @index: the index
 * @bytes: bytes written; atomic, because other threads read it
 * @record_bytes: those of records and their stacks
 * @records: records written; atomic, because other threads read it
 * @err: 0 or -errno; atomic, because other threads read it
 */
struct sink {
	FILE *file;
	struct packer packer;
	struct numbering numbering;
	struct written *written;
	size_t nr_written;
	struct written absent;
	bool synced;
	struct trace_sync sync;
	struct trace_index index;
	uint64_t bytes;
	uint64_t record_bytes;
	uint64_t records;
	int err;
};

/** sink_init() - initialise without a file */
void sink_init(struct sink *s);

/** sink_exit() - undo sink_init(), also after it has failed */
void sink_exit(struct sink *s);

/** sink_header() - write the header of the file */
void sink_header(struct sink *s);

/**
 * sink_write() - write a chunk
 * @s: the file
 * @c: the chunk; if it has records, packed
 */
void sink_write(struct sink *s, struct chunk *c);

/** sink_finish() - write INDEX and TAIL */
void sink_finish(struct sink *s);

/** sink_fail() - note an error, -errno, unless there was one; any thread */
void sink_fail(struct sink *s, int err);

/** sink_error() - get the first error, -errno; 0: none; any thread */
int sink_error(const struct sink *s);

#endif /* SINK_H */
