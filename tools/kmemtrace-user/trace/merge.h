/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the streams of all CPUs into one, by sequence number, in one pass.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_record.h"
#include "trace_format.h"

struct columns;
struct merge;

/**
 * typedef merge_fill - get more: call merge_add() at least once
 * @arg: what merge_create() was given
 * @m: the merge
 *
 * Return: 1; 0 when there is no more; or -errno.
 */
typedef int (*merge_fill)(void *arg, struct merge *m);

/**
 * struct merge_stats - what was found on the way
 * @events: records passed on
 * @gaps: how often numbers were missing
 * @missing: how many were missing between the first record and the last
 * @worst_gap: the most that were missing in a row
 * @backwards: records whose number was not above the one before; they are
 *	passed on all the same
 * @broken: pieces of a stream that ended in something that is no record
 * @bad: records with a violation, see KMT_BAD_*
 * @unknown: records with an unknown id, skipped
 * @skipped_features: features of unknown id
 * @skipped_bytes: bytes of features that are not known
 */
struct merge_stats {
	uint64_t events;
	uint64_t gaps;
	uint64_t missing;
	uint64_t worst_gap;
	uint64_t backwards;
	uint64_t broken;
	uint64_t bad;
	uint64_t unknown;
	uint64_t skipped_features;
	uint64_t skipped_bytes;
};

/**
 * struct merged - a record in the order of all CPUs
 * @ev: the record's event
 * @cpu: its CPU
 * @lost: how many numbers are missing in front of it
 */
struct merged {
	struct kmt_event ev;
	uint32_t cpu;
	uint32_t lost;
};

#ifndef WINDOW_SIZE /* smaller where this is tested */
/* Records are merged so many at a time. */
#define WINDOW_SIZE 512
#endif

/**
 * struct window - records that were merged
 * @count: how many
 * @events: the records
 * @filled: for merge_next(): which of @events are there
 * @records: what kmt_event.rec points to, in this machine's byte order; NULL:
 *	to nothing that could be used
 * @used: bytes of @records
 * @unknown: for merge_next(): some have an unknown id
 */
struct window {
	size_t count;
	struct merged *events;
	uint8_t filled[WINDOW_SIZE];
	uint8_t *records;
	size_t used;
	bool unknown;
};

/**
 * window_init() - make a window
 * @w: the window
 * @records: records are wanted as well, for kmt_record_decode_extra()
 *
 * Return: false if memory ran out.
 */
bool window_init(struct window *w, bool records);

/** window_exit() - undo window_init() */
void window_exit(struct window *w);

/**
 * struct merge_piece - records of one CPU, as they stand in a file
 * @cpu: whose
 * @codec: enum trace_codec
 * @data: whole records; they are copied
 * @size: bytes of them; 0: only @mark is to be told
 * @raw_size: bytes once decompressed
 * @first: number of the first record
 * @mark: with @complete: no record of @cpu with a number before it is to come
 * @complete: whether @mark says anything
 * @columns: if not NULL, records by columns, loaded and copied, instead of
 *	@data; @size is then just not 0
 */
struct merge_piece {
	uint32_t cpu;
	uint8_t codec;
	const uint8_t *data;
	size_t size;
	size_t raw_size;
	uint32_t first;
	uint32_t mark;
	bool complete;
	const struct columns *columns;
};

/**
 * merge_create() - start a merge
 * @fill: gets more
 * @arg: for @fill
 * @swap: records are of the other byte order
 * @records: kmt_event.rec is wanted
 *
 * Return: the merge, or NULL if memory ran out.
 */
struct merge *merge_create(merge_fill fill, void *arg, bool swap,
			   bool records);

/** merge_destroy() - free; NULL is fine */
void merge_destroy(struct merge *m);

/**
 * merge_start() - say where the numbers start
 * @m: the merge, before the first record
 * @seq: the number that the first record should have; numbers missing from
 *	there on are losses
 */
void merge_start(struct merge *m, uint32_t seq);

/**
 * merge_start_within() - say that earlier records are not there
 * @m: the merge, before the first record
 * @seq: only numbers missing from there on are counted
 */
void merge_start_within(struct merge *m, uint32_t seq);

/**
 * merge_hold() - bound the memory that is used
 * @m: the merge
 * @bytes: with more in memory than that, for records that are held back, they
 *	are passed on although others with lesser numbers may come: the file is
 *	damaged, or made to use up memory
 */
void merge_hold(struct merge *m, size_t bytes);

/**
 * merge_times() - pass on only what happened between two times
 * @m: the merge, before the first record
 * @first: the first of them
 * @last: the last
 *
 * Numbers missing are counted in front of records that are passed on. Records
 * without a time are not.
 */
void merge_times(struct merge *m, uint64_t first, uint64_t last);

/**
 * merge_hold() - bound the memory that is used
 * @m: the merge
 * @bytes: with more records held back than that, they are passed on although
 *	others with lesser numbers may come: the file is damaged, or made to
 *	use up memory
 */
void merge_hold(struct merge *m, size_t bytes);

/**
 * merge_add() - add records of one CPU
 * @m: the merge
 * @piece: the records
 *
 * Return: false if memory ran out.
 */
bool merge_add(struct merge *m, const struct merge_piece *piece);

/**
 * merge_expect() - records of a CPU are to come
 * @m: the merge
 * @cpu: whose
 * @seq: the number of its first record, or one before it
 *
 * Every CPU needs to be told of, by this or by merge_add(), before the first
 * record is asked for.
 *
 * Return: false if memory ran out.
 */
bool merge_expect(struct merge *m, uint32_t cpu, uint32_t seq);

/**
 * merge_close() - nothing more is to come of a CPU
 * @m: the merge
 * @cpu: which
 */
void merge_close(struct merge *m, uint32_t cpu);

/**
 * merge_needs() - whether a CPU has no record at hand
 * @m: the merge
 * @cpu: which
 */
bool merge_needs(struct merge *m, uint32_t cpu);

/**
 * merge_next() - the next records of all
 * @m: the merge
 * @w: set to them; at least one
 *
 * Return: whether there were any; if not, see merge_error().
 */
bool merge_next(struct merge *m, struct window *w);

/** merge_error() - why there are no more: 0, it is the end; or -errno */
int merge_error(const struct merge *m);

/** merge_finish() - count the numbers missing at the end, before @seq */
void merge_finish(struct merge *m, uint32_t seq);

/** merge_stats() - what was found so far */
const struct merge_stats *merge_stats(const struct merge *m);

#endif /* MERGE_H */
