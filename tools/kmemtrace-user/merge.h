/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the streams of all CPUs into one, by sequence number, in one pass.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "kmt_record.h"

struct merge;

/**
 * typedef merge_fill - get more: call merge_add() or merge_absent() at least once
 * @arg: what merge_create() was given
 * @m: the merge
 *
 * Return: false when there is no more.
 */
typedef bool (*merge_fill)(void *arg, struct merge *m);

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
 * merge_create() - start a merge
 * @fill: gets more
 * @arg: for @fill
 * @swap: records are of the other byte order
 *
 * Return: the merge, or NULL if memory ran out.
 */
struct merge *merge_create(merge_fill fill, void *arg, bool swap);

/** merge_destroy() - free */
void merge_destroy(struct merge *m);

/**
 * merge_start() - say where the numbers start
 * @m: the merge, before the first record
 * @seq: the number that the first record should have; numbers missing from
 *	there on are losses
 */
void merge_start(struct merge *m, uint32_t seq);

/**
 * merge_start_kept() - say that older records were overwritten
 * @m: the merge, before the first record
 * @seq: only numbers missing from there on are counted
 */
void merge_start_kept(struct merge *m, uint32_t seq);

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
 * @cpu: whose
 * @data: whole records; they are copied
 * @size: bytes of them
 * @mark: with @complete: no record of @cpu with a number before it is to come
 * @complete: whether @mark says anything
 *
 * Return: false if memory ran out.
 */
bool merge_add(struct merge *m, uint32_t cpu, const uint8_t *data, size_t size,
	       uint32_t mark, bool complete);

/**
 * merge_absent() - no record before a number is to come from a new CPU
 * @m: the merge
 * @mark: the number
 */
void merge_absent(struct merge *m, uint32_t mark);

/**
 * merge_expect() - records of a CPU are to come
 * @m: the merge
 * @cpu: whose
 * @seq: the number of its first record, or one before it
 *
 * With every CPU announced, and merge_no_more_cpus(), the merge need not hold
 * back for one that comes late.
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

/** merge_no_more_cpus() - there is no CPU but those already met */
void merge_no_more_cpus(struct merge *m);

/**
 * merge_next() - the next record of all
 * @m: the merge
 * @ev: set to it; ev->rec is valid until the next call
 * @cpu: set to its CPU
 *
 * Return: whether there was one.
 */
bool merge_next(struct merge *m, struct kmt_event *ev, uint32_t *cpu);

/** merge_finish() - count the numbers missing at the end, before @seq */
void merge_finish(struct merge *m, uint32_t seq);

/** merge_stats() - what was found so far */
const struct merge_stats *merge_stats(const struct merge *m);

#endif /* MERGE_H */
