/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads one piece of a CPU's stream, record by record, for the merge. Numbers
 * of records are extended to 64 bits, so that they do not wrap.
 */
#ifndef CURSOR_H
#define CURSOR_H

#include "trace/unpack.h"
#include "trace/window.h"

/**
 * struct cursor - a piece being read
 * @seq: number of the next record, if there is one
 * @last: records up to that number follow one another in order
 * @ready: there is a next record
 * @more: behind @last, there are records that are not in order
 * @cpu: whose records
 * @swap: records are of the other byte order
 * @columns: the piece is by columns
 * @unpack: which this reads
 * @data: else the records
 * @size: bytes of them
 * @pos: bytes of them that were read
 * @raw: memory for records that were compressed
 * @raw_room: bytes of it
 * @stats: what is found is counted here
 * @no_memory: set to true if memory runs out
 */
struct cursor {
	uint64_t seq;
	uint64_t last;
	bool ready;
	bool more;
	uint32_t cpu;
	bool swap;
	bool columns;
	struct unpack unpack;
	const uint8_t *data;
	size_t size;
	size_t pos;
	uint8_t *raw;
	size_t raw_room;
	struct merge_stats *stats;
	bool *no_memory;
};

/**
 * cursor_init() - get ready
 * @c: the cursor
 * @cpu: whose records it is to read
 * @swap: they are of the other byte order
 * @records: records are wanted
 * @stats: what is found is counted here
 * @no_memory: set to true if memory runs out later
 *
 * Return: false if memory ran out.
 */
bool cursor_init(struct cursor *c, uint32_t cpu, bool swap, bool records,
		 struct merge_stats *stats, bool *no_memory);

/** cursor_exit() - undo cursor_init() */
void cursor_exit(struct cursor *c);

/** cursor_memory() - bytes of memory in use, for what was decompressed */
size_t cursor_memory(const struct cursor *c);

/** cursor_trim() - free that memory; there is no next record */
void cursor_trim(struct cursor *c);

/** cursor_extend() - the number nearest to @near that ends in these 32 bits */
static inline uint64_t cursor_extend(uint64_t near, uint32_t seq)
{
	return near + (int32_t)(seq - (uint32_t)near);
}

/**
 * cursor_open() - begin with a piece
 * @c: the cursor
 * @unzstd: decompresses it
 * @piece: the piece; its data stay where they are until it was read
 * @near: a number near to that of the first record
 *
 * c->ready tells whether there is a record. A piece that is damaged counts as
 * broken.
 */
void cursor_open(struct cursor *c, struct unzstd *unzstd,
		 const struct merge_piece *piece, uint64_t near);

/**
 * cursor_fill() - put records into their places in a window
 * @c: the cursor, ready
 * @w: the window
 * @base: number of its first place
 * @limit: records from there on are not wanted; at most @base + WINDOW_SIZE
 *
 * Return: false if a place is taken already; the record is then the next.
 */
bool cursor_fill(struct cursor *c, struct window *w, uint64_t base,
		 uint64_t limit);

/**
 * cursor_next() - read a record
 * @c: the cursor, ready
 * @w: holds the bytes of the record
 * @to: set to it; an unknown id is CURSOR_UNKNOWN
 *
 * Return: false if it is broken; c->ready is then false as well.
 */
bool cursor_next(struct cursor *c, struct window *w, struct merged *to);

#define CURSOR_UNKNOWN 0xff

#endif /* CURSOR_H */
