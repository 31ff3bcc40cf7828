/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a recording what is: see INDEX in trace_format.h.
 */
#ifndef TRACE_INDEX_H
#define TRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct trace_sync - an offset that a reader can begin or end at
 * @offset: of a chunk
 * @low: no record behind it has a number before this one
 * @whole: all records from this number on are behind it
 * @time_first: the least time since the sync before; 0 without times
 * @time_last: the greatest
 */
struct trace_sync {
	uint64_t offset;
	uint32_t low;
	uint32_t whole;
	uint64_t time_first;
	uint64_t time_last;
};

/**
 * struct trace_start - where the records of a CPU begin
 * @cpu: which
 * @seq: number of its first record
 */
struct trace_start {
	uint32_t cpu;
	uint32_t seq;
};

/**
 * struct trace_index - an index
 * @texts: offsets of the chunks of text
 * @nr_texts: how many
 * @starts: of each CPU that has records
 * @nr_starts: how many
 * @syncs: in the order of offsets
 * @nr_syncs: how many
 */
struct trace_index {
	uint64_t *texts;
	size_t nr_texts;
	struct trace_start *starts;
	size_t nr_starts;
	struct trace_sync *syncs;
	size_t nr_syncs;
};

/** trace_sync_add_times() - take in times of records in front of a sync */
void trace_sync_add_times(struct trace_sync *sync, uint64_t first,
			  uint64_t last);

/** trace_index_exit() - free what is in it */
void trace_index_exit(struct trace_index *x);

/** trace_index_add_text() - add a chunk of text; false if memory ran out */
bool trace_index_add_text(struct trace_index *x, uint64_t offset);

/**
 * trace_index_add_start() - add a CPU, unless it is there
 * @x: the index
 * @cpu: which
 * @seq: number of its first record
 *
 * Return: false if memory ran out.
 */
bool trace_index_add_start(struct trace_index *x, uint32_t cpu, uint32_t seq);

/** trace_index_add_sync() - add a sync; false if memory ran out */
bool trace_index_add_sync(struct trace_index *x, const struct trace_sync *sync);

/**
 * trace_index_print() - as the text of a chunk
 * @x: the index
 * @size: set to the bytes of the text
 *
 * Return: the text, to be freed; NULL if memory ran out.
 */
char *trace_index_print(const struct trace_index *x, size_t *size);

/**
 * trace_index_parse() - undo trace_index_print()
 * @x: the index, empty
 * @text: the text, ended by a 0; not trusted
 *
 * Return: false if it makes no sense, or memory ran out.
 */
bool trace_index_parse(struct trace_index *x, const char *text);

/**
 * trace_index_before() - where to begin to read
 * @x: the index
 * @time: the first time that is of interest
 *
 * Return: a sync; all records of that time or later are behind it, and all
 * others from the number trace_sync.whole on; NULL: the beginning of the file.
 */
const struct trace_sync *trace_index_before(const struct trace_index *x,
					    uint64_t time);

/**
 * trace_index_behind() - where to stop reading
 * @x: the index
 * @time: the last time that is of interest
 *
 * Return: a sync; all records of that time or earlier are in front of it, and
 * all others with numbers before theirs; NULL: the end of the file.
 */
const struct trace_sync *trace_index_behind(const struct trace_index *x,
					    uint64_t time);

/**
 * trace_index_span() - between which times the records are
 * @x: the index
 * @first: set to the least
 * @last: set to the greatest
 *
 * Return: false if there are none.
 */
bool trace_index_span(const struct trace_index *x, uint64_t *first,
		      uint64_t *last);

#endif /* TRACE_INDEX_H */
