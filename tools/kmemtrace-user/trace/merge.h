/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the streams of all CPUs into one, by sequence number, in one pass. Its input are
 * pieces of the streams, which the caller adds. Its output are windows of records in order.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/window.h"

struct merge;

/**
 * struct merge_setup - what a merge is for
 * @swap: records have the other byte order
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks; gets further stacks
 * @held_max: maximum bytes of records that are held back; 0: no limit. Above it, records are
 *	passed on although records with smaller numbers may follow. This happens only if the file
 *	is damaged or malicious
 * @limit: pass on only so many records, the first ones; 0: all
 * @timed: pass on only records with a time from @first to @last
 * @first: see @timed
 * @last: see @timed
 *
 * Missing numbers are counted only before records that are passed on.
 */
struct merge_setup {
	bool swap;
	unsigned int want;
	struct stackdefs *defs;
	size_t held_max;
	uint64_t limit;
	bool timed;
	uint64_t first;
	uint64_t last;
};

/** merge_create() - create a merge without records; @setup is copied */
struct merge *merge_create(const struct merge_setup *setup);

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

/** merge_held() - bytes of records that are held back */
size_t merge_held(const struct merge *m);

/** merge_add() - add a piece of one CPU; it is copied */
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

/** merge_close() - note that a CPU has no more records */
void merge_close(struct merge *m, uint32_t cpu);

/** merge_needs() - whether the merge waits for records of a CPU */
bool merge_needs(struct merge *m, uint32_t cpu);

/** merge_end() - note that no CPU has further records */
void merge_end(struct merge *m);

/**
 * merge_next() - get the next records of all CPUs
 * @m: the merge
 * @w: set to the records
 *
 * Return: 1; 0 if there are no more; -EAGAIN if it depends on further pieces: add them, or call
 * merge_end().
 */
int merge_next(struct merge *m, struct window *w);

/** merge_finish() - count the missing numbers at the end, before @seq */
void merge_finish(struct merge *m, uint32_t seq);

/** merge_stats() - get the statistics so far */
const struct merge_stats *merge_stats(const struct merge *m);

#endif /* MERGE_H */
