/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes packed chunks into a recording, one after the other: headers, definitions of
 * stacks, and the index.
 */
#ifndef SINK_H
#define SINK_H

#include <stdio.h>

#include "trace/chunk.h"
#include "trace/index.h"
#include "trace/numbering.h"

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
