/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads one piece of a CPU's stream, record by record, for the merge. Sequence numbers
 * are extended to 64 bits, so that they do not wrap.
 */
#ifndef CURSOR_H
#define CURSOR_H

#include "trace/unpack.h"
#include "trace/window.h"

/**
 * struct cursor - a piece being read
 * @seq: sequence number of the next record, if there is one
 * @last: the records up to this sequence number are in order
 * @ready: there is a next record
 * @more: there are records after @last, and they are not in order
 * @cpu: CPU of the records
 * @swap: records have the other byte order
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks
 * @columns: the piece is stored by columns
 * @unpack: with @columns: reads the piece
 * @data: without @columns: the records
 * @size: bytes of @data
 * @pos: bytes of @data that were read
 * @raw: memory for decompressed records
 * @raw_room: bytes of @raw
 * @stats: statistics to update
 */
struct cursor {
	uint64_t seq;
	uint64_t last;
	bool ready;
	bool more;
	uint32_t cpu;
	bool swap;
	unsigned int want;
	struct stackdefs *defs;
	bool columns;
	struct unpack unpack;
	const uint8_t *data;
	size_t size;
	size_t pos;
	uint8_t *raw;
	size_t raw_room;
	struct merge_stats *stats;
};

/**
 * cursor_init() - initialise a cursor without a piece
 * @c: the cursor
 * @cpu: CPU of the records
 * @swap: records have the other byte order
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks; gets further stacks
 * @stats: statistics to update
 */
void cursor_init(struct cursor *c, uint32_t cpu, bool swap,
		 unsigned int want, struct stackdefs *defs,
		 struct merge_stats *stats);

/** cursor_exit() - undo cursor_init() */
void cursor_exit(struct cursor *c);

/** cursor_memory() - bytes of memory in use for decompressed data */
size_t cursor_memory(const struct cursor *c);

/** cursor_trim() - free the memory of decompressed data; the cursor must not be ready */
void cursor_trim(struct cursor *c);

/** cursor_extend() - the number nearest to @near whose lower 32 bits are @seq */
static inline uint64_t cursor_extend(uint64_t near, uint32_t seq)
{
	return near + (int32_t)(seq - (uint32_t)near);
}

/**
 * cursor_open() - start to read a piece
 * @c: the cursor
 * @unzstd: decompresses the piece
 * @piece: the piece; its data must stay in place until it has been read
 * @near: a number near the sequence number of the first record
 *
 * Sets c->ready if there is a record. Counts a damaged piece as broken.
 */
void cursor_open(struct cursor *c, struct unzstd *unzstd,
		 const struct merge_piece *piece, uint64_t near);

/**
 * cursor_fill() - put records into their places in a window
 * @c: the cursor, ready
 * @w: the window
 * @base: sequence number of the first place
 * @limit: stop at this sequence number; at most @base + WINDOW_SIZE
 *
 * Return: false if the place of a record is already taken; this record is then the next.
 */
bool cursor_fill(struct cursor *c, struct window *w, uint64_t base,
		 uint64_t limit);

/**
 * cursor_next() - read a record
 * @c: the cursor, ready
 * @w: gets the bytes of the record
 * @to: set to the record; event_id is CURSOR_UNKNOWN if an id is unknown
 *
 * Return: false if the record is broken; c->ready is then false as well.
 */
bool cursor_next(struct cursor *c, struct window *w, struct merged *to);

#define CURSOR_UNKNOWN 0xff

#endif /* CURSOR_H */
