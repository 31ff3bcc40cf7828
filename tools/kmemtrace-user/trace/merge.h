/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the streams of all CPUs into one, by sequence number, in one pass.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/window.h"

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
