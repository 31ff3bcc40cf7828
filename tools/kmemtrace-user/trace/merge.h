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
struct stackdefs;

/**
 * typedef merge_fill - get more records: call merge_add() at least once
 * @arg: the argument of merge_create()
 * @m: the merge
 *
 * Return: 1; 0 if there are no more records; or -errno.
 */
typedef int (*merge_fill)(void *arg, struct merge *m);

/**
 * merge_create() - create a merge
 * @fill: gets more records
 * @arg: argument of @fill
 * @swap: records have the other byte order
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks; gets further stacks
 *
 * Return: the merge.
 */
struct merge *merge_create(merge_fill fill, void *arg, bool swap,
			   unsigned int want, struct stackdefs *defs);

/** merge_destroy() - free a merge; NULL is allowed */
void merge_destroy(struct merge *m);

/**
 * merge_start() - set the first sequence number
 * @m: the merge, before the first record
 * @seq: sequence number that the first record should have, with 64 bits; missing numbers
 *	from there on are losses
 */
void merge_start(struct merge *m, uint64_t seq);

/**
 * merge_start_within() - note that earlier records may be missing
 * @m: the merge, before the first record
 * @seq: missing numbers are counted only from this sequence number on; with 64 bits
 */
void merge_start_within(struct merge *m, uint64_t seq);

/**
 * merge_start_cpu() - set the number of the first record of a CPU, which may be much older
 * @m: the merge, before the first record
 * @cpu: the CPU
 * @seq: sequence number of its first record, with 64 bits
 */
void merge_start_cpu(struct merge *m, uint32_t cpu, uint64_t seq);

/**
 * merge_hold() - limit the memory of a merge
 * @m: the merge
 * @bytes: maximum bytes of records that are held back
 *
 * Above the limit, records are passed on although records with smaller numbers may
 * follow. This happens only if the file is damaged or malicious.
 */
void merge_hold(struct merge *m, size_t bytes);

/** merge_held() - bytes of records that are held back */
size_t merge_held(const struct merge *m);

/**
 * merge_times() - pass on only the records between two times
 * @m: the merge, before the first record
 * @first: the first wanted time
 * @last: the last wanted time
 *
 * Records without a time are not passed on. Missing numbers are counted only before
 * records that are passed on.
 */
void merge_times(struct merge *m, uint64_t first, uint64_t last);

/**
 * merge_limit() - pass on only the first records
 * @m: the merge, before the first record
 * @events: maximum number of records that are passed on
 *
 * Missing numbers are counted only before records that are passed on.
 */
void merge_limit(struct merge *m, uint64_t events);

/**
 * merge_add() - add records of one CPU
 * @m: the merge
 * @piece: the records
 */
void merge_add(struct merge *m, const struct merge_piece *piece);

/**
 * merge_expect() - announce the records of a CPU
 * @m: the merge
 * @cpu: the CPU
 * @seq: sequence number of its first record, or a smaller one
 *
 * Before the first merge_next(), the caller must call merge_expect() or merge_add() for
 * each CPU.
 */
void merge_expect(struct merge *m, uint32_t cpu, uint32_t seq);

/**
 * merge_close() - note that a CPU has no more records
 * @m: the merge
 * @cpu: the CPU
 */
void merge_close(struct merge *m, uint32_t cpu);

/**
 * merge_needs() - whether the merge waits for records of a CPU
 * @m: the merge
 * @cpu: the CPU
 */
bool merge_needs(struct merge *m, uint32_t cpu);

/**
 * merge_next() - get the next records of all CPUs
 * @m: the merge
 * @w: set to the records
 *
 * Return: true if there is at least one record; false: see merge_error().
 */
bool merge_next(struct merge *m, struct window *w);

/** merge_error() - why there are no more records: 0: end of the input; or -errno */
int merge_error(const struct merge *m);

/** merge_finish() - count the missing numbers at the end, before @seq */
void merge_finish(struct merge *m, uint32_t seq);

/** merge_stats() - get the statistics so far */
const struct merge_stats *merge_stats(const struct merge *m);

#endif /* MERGE_H */
