/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Input and output of the merge. Its input are pieces of the streams. Its output are
 * windows of records in order.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_record.h"

struct columns;

/* the parts of records that a caller needs besides events; an or of these */
#define WANT_EVENTS  0u
#define WANT_STACKS  (1u << 0) /* kmt_event.stack */
#define WANT_RECORDS (1u << 1) /* kmt_event.rec */

/** merge_extend() - the number nearest to @near whose lower 32 bits are @seq */
static inline uint64_t merge_extend(uint64_t near, uint32_t seq)
{
	return near + (int32_t)(seq - (uint32_t)near);
}

/**
 * struct merge_piece - records of one CPU, as in a file
 * @cpu: the CPU
 * @codec: enum trace_codec
 * @data: whole records; merge_add() copies them
 * @size: bytes of @data; 0: the piece has only @mark
 * @raw_size: bytes after decompression
 * @first: sequence number of the first record
 * @mark: with @complete: later pieces of @cpu have no record before this number
 * @complete: @mark is valid
 * @columns: if not NULL, the decompressed columns, instead of @data; merge_add() copies
 *	them. @size is then only tested for 0
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
 * struct merge_stats - statistics of a merge
 * @events: records passed on
 * @gaps: number of gaps in the sequence numbers
 * @missing: number of missing sequence numbers
 * @worst_gap: the largest number of missing sequence numbers in a row
 * @backwards: records whose number is not above the previous one; they are also passed on
 * @broken: pieces that end in data that is not a record
 * @bad: records with a violation, see KMT_BAD_*
 * @unknown: skipped records with an unknown id
 * @skipped_features: skipped features with an unknown id
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
};

/**
 * struct merged - a record in the order of all CPUs
 * @ev: event of the record
 * @cpu: CPU of the record
 * @lost: number of missing sequence numbers before the record
 */
struct merged {
	struct kmt_event ev;
	uint32_t cpu;
	uint32_t lost;
};

#ifndef WINDOW_SIZE /* tests set a smaller value */
/* number of sequence numbers in a window */
#define WINDOW_SIZE 512
#endif

/**
 * struct window - merged records
 * @before: number of records passed on before this window
 * @count: number of records
 * @events: the records
 * @filled: for merge_next(): the places of @events that have a record
 * @records: memory that kmt_event.rec points to, in this machine's byte order; NULL:
 *	kmt_event.rec must not be used
 * @used: used bytes of @records
 * @unknown: for merge_next(): some records have an unknown id
 * @second: mask of the records in the second half of the addresses; with a second reader
 * @gaps: sequence numbers are missing before some records; with a second reader
 */
struct window {
	uint64_t before;
	size_t count;
	struct merged *events;
	uint8_t filled[WINDOW_SIZE];
	uint8_t *records;
	size_t used;
	bool unknown;
	uint64_t second[2 * WINDOW_SIZE / 64];
	bool gaps;
};

/* Blocks of pages up to this order are in one half of the addresses: huge pages of 1 GiB. */
#define WINDOW_ORDER_MAX 18

#endif /* WINDOW_H */
