/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The index of a recording: see INDEX in trace_format.h.
 */
#ifndef TRACE_INDEX_H
#define TRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct trace_sync - an offset at which a reader can start or stop
 * @offset: offset of a chunk
 * @low: no record after @offset has a smaller sequence number
 * @whole: all records from this sequence number on are after @offset
 * @time_first: the smallest time since the previous sync; 0 without times
 * @time_last: the largest time since the previous sync; 0 without times
 */
struct trace_sync {
	uint64_t offset;
	uint32_t low;
	uint32_t whole;
	uint64_t time_first;
	uint64_t time_last;
};

/**
 * struct trace_start - the first record of a CPU
 * @cpu: the CPU
 * @seq: sequence number of its first record
 */
struct trace_start {
	uint32_t cpu;
	uint32_t seq;
};

/**
 * struct trace_stacks - a chunk STACKS
 * @offset: offset of the chunk
 * @generation: number of the first stack of its generation
 */
struct trace_stacks {
	uint64_t offset;
	uint32_t generation;
};

/**
 * struct trace_index - an index
 * @texts: offsets of the chunks of text
 * @nr_texts: number of @texts
 * @starts: first record of each CPU that has records
 * @nr_starts: number of @starts
 * @syncs: the syncs, in the order of offsets
 * @nr_syncs: number of @syncs
 * @stacks: the chunks STACKS, in the order of offsets
 * @nr_stacks: number of @stacks
 */
struct trace_index {
	uint64_t *texts;
	size_t nr_texts;
	struct trace_start *starts;
	size_t nr_starts;
	struct trace_sync *syncs;
	size_t nr_syncs;
	struct trace_stacks *stacks;
	size_t nr_stacks;
};

/** trace_sync_add_times() - extend the times of a sync; nothing if @last is 0 */
void trace_sync_add_times(struct trace_sync *sync, uint64_t first,
			  uint64_t last);

/** trace_index_exit() - free the contents of an index */
void trace_index_exit(struct trace_index *x);

/** trace_index_add_text() - add a chunk of text */
void trace_index_add_text(struct trace_index *x, uint64_t offset);

/**
 * trace_index_add_start() - add the first record of a CPU, unless the index has one
 * @x: the index
 * @cpu: the CPU
 * @seq: sequence number of its first record
 */
void trace_index_add_start(struct trace_index *x, uint32_t cpu, uint32_t seq);

/** trace_index_add_sync() - add a sync */
void trace_index_add_sync(struct trace_index *x, const struct trace_sync *sync);

/** trace_index_add_stacks() - add a chunk STACKS */
void trace_index_add_stacks(struct trace_index *x, uint64_t offset,
			    uint32_t generation);

/**
 * trace_index_stacks() - find the definitions that records after an offset may need
 * @x: the index
 * @offset: the offset
 * @count: set to the number of chunks
 *
 * Return: the chunks STACKS before @offset that are of the last generation there; NULL if
 * there are none.
 */
const struct trace_stacks *trace_index_stacks(const struct trace_index *x,
					      uint64_t offset, size_t *count);

/**
 * trace_index_print() - convert an index to the text of a chunk
 * @x: the index
 * @size: set to the bytes of the text
 *
 * Return: the text, which the caller frees.
 */
char *trace_index_print(const struct trace_index *x, size_t *size);

/**
 * trace_index_parse() - undo trace_index_print()
 * @x: an empty index
 * @text: the text, terminated by a 0; not trusted
 *
 * Return: false if the text is malformed.
 */
bool trace_index_parse(struct trace_index *x, const char *text);

/**
 * trace_index_before() - find the sync at which to start reading
 * @x: the index
 * @time: the first wanted time
 *
 * Return: a sync; NULL: the beginning of the file. All records of that time or later, and
 * all other records from the sequence number trace_sync.whole on, are after the sync.
 */
const struct trace_sync *trace_index_before(const struct trace_index *x,
					    uint64_t time);

/**
 * trace_index_behind() - find the sync at which to stop reading
 * @x: the index
 * @time: the last wanted time
 *
 * Return: a sync; NULL: the end of the file. All records of that time or earlier, and all
 * other records with smaller sequence numbers than these, are before the sync.
 */
const struct trace_sync *trace_index_behind(const struct trace_index *x,
					    uint64_t time);

/**
 * trace_index_span() - get the range of the times of all records
 * @x: the index
 * @first: set to the smallest time
 * @last: set to the largest time
 *
 * Return: false if there are no times.
 */
bool trace_index_span(const struct trace_index *x, uint64_t *first,
		      uint64_t *last);

#endif /* TRACE_INDEX_H */
