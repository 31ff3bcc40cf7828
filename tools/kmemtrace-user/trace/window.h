/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records on their way through the merge: pieces of the streams go in, windows
 * of records in order come out.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmt_record.h"

struct columns;

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

#endif /* WINDOW_H */
