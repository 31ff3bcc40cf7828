/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a piece of a CPU's stream, record by record, into a window: columns (columns.h), which it
 * converts back to events, or plain records. Sequence numbers are extended to 64 bits, so that
 * they do not wrap.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include "trace/columns.h"
#include "trace/stacks.h"
#include "trace/window.h"

/**
 * struct unpack_state - position in a chunk
 * @fixed: the columns with a byte for each record
 * @places: the places
 * @nr_places: number of places
 * @ptrs: addresses of the records so far
 * @records: number of records in the chunk
 * @next: index of the next record in the chunk
 * @seq: sequence number of the next record, extended to 64 bits
 * @time: time of the last record with a time
 *
 * A function that reads many records uses a copy, which can stay in CPU registers.
 */
struct unpack_state {
	const uint8_t *fixed[COLUMNS_FIXED];
	struct place *places;
	uint32_t nr_places;
	uint32_t records;
	uint64_t *ptrs;
	uint32_t next;
	uint64_t seq;
	uint64_t time;
};

/**
 * struct unpack - a chunk being read
 * @now: the position
 * @columns: the chunk
 * @at: for each column, the first byte that was not read yet
 * @last: sequence number of the last record
 * @want: WANT_*
 * @rest: values of records that are not in events; NULL if only events are needed
 * @buffer: memory of the columns
 * @buffer_room: bytes of @buffer
 * @places_room: number of places that fit into their memory
 * @ptrs_room: number of addresses that fit into their memory
 */
struct unpack {
	struct unpack_state now;
	struct columns columns;
	const uint8_t *at[COLUMNS];
	uint64_t last;
	unsigned int want;
	struct unpack_rest *rest;
	uint8_t *buffer;
	size_t buffer_room;
	size_t places_room;
	size_t ptrs_room;
};

/**
 * unpack_init() - initialise an unpacker without a chunk
 * @u: the unpacker
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks; gets further stacks
 */
void unpack_init(struct unpack *u, unsigned int want,
		 struct stackdefs *defs);

/** unpack_exit() - undo unpack_init() */
void unpack_exit(struct unpack *u);

/**
 * unpack_open() - decompress a chunk and start to read it
 * @u: the unpacker
 * @unzstd: decompresses the chunk
 * @from: the chunk as in the file; not trusted
 * @size: bytes of @from
 * @raw_size: bytes of the records
 * @first: sequence number of the first record, extended
 *
 * Return: false if the chunk is damaged.
 */
bool unpack_open(struct unpack *u, struct unzstd *unzstd, const uint8_t *from,
		 size_t size, size_t raw_size, uint64_t first);

/** unpack_left() - number of records that were not read yet */
static inline uint32_t unpack_left(const struct unpack *u)
{
	return u->now.records - u->now.next;
}

/** __unpack_changes() - for unpack_step(): read the values that have changed */
bool __unpack_changes(struct unpack *u, struct place *place,
		      unsigned int changes);

/** __unpack_elsewhere() - for unpack_step(): read a large number from its own column */
bool __unpack_elsewhere(struct unpack *u, enum column_id id, uint64_t *value);

/** __unpack_new_ptr() - for unpack_step(): read an address that is new in the chunk */
bool __unpack_new_ptr(struct unpack *u, struct place *place, uint64_t *ptr);

static inline uint32_t __unpack_u16(const struct unpack_state *s,
				    enum column_id id)
{
	return s->fixed[id][s->next] | s->fixed[id + 1][s->next] << 8;
}

/* Goes to the next record, and reads its sequence number. */
static inline bool __unpack_seq(struct unpack *u, struct unpack_state *s)
{
	uint64_t left_out;

	if (++s->next >= s->records)
		return true;
	left_out = s->fixed[COLUMN_SEQ][s->next];
	if (unlikely(left_out == SEQ_ELSEWHERE) &&
	    !__unpack_elsewhere(u, COLUMN_SEQS, &left_out))
		return false;
	s->seq += 1 + (uint32_t)left_out;
	return true;
}

static inline bool __unpack_time(struct unpack *u, struct unpack_state *s,
				 struct kmt_event *ev)
{
	uint64_t diff = __unpack_u16(s, COLUMN_TIME);

	ev->time = 0;
	if (!(ev->features & KMT_FEATURE_TIME))
		return true;
	if (unlikely(diff == TIME_ELSEWHERE) &&
	    !__unpack_elsewhere(u, COLUMN_TIMES, &diff))
		return false;
	s->time += diff;
	ev->time = s->time;
	return true;
}

static inline bool __unpack_ptr(struct unpack *u, struct unpack_state *s,
				struct place *place, struct kmt_event *ev)
{
	uint32_t ago = __unpack_u16(s, COLUMN_PTR);
	uint64_t ptr;

	if (ago) {
		if (unlikely(ago > s->next))
			return false;
		ptr = s->ptrs[s->next - ago];
	} else if (!__unpack_new_ptr(u, place, &ptr)) {
		return false;
	}
	s->ptrs[s->next] = place->ptr = ev->ptr = ptr;
	return true;
}

/* Sets the members one by one, because assigning a whole struct takes longer. */
static inline void __unpack_place(const struct place *place,
				  struct kmt_event *ev)
{
	ev->call_site = place->call_site;
	ev->bytes_req = place->bytes_req;
	ev->bytes_alloc = place->bytes_alloc;
	ev->gfp_flags = place->gfp_flags;
	ev->node = place->node;
	ev->cache = place->cache;
	ev->order = place->order;
	ev->migratetype = place->migratetype;
	ev->event_id = place->event_id;
	ev->type_id = place->type_id;
	ev->features = place->features;
	ev->stack = place->stack;
	ev->rec = NULL;
}

/** unpack_step() - unpack_next() with a copy of u->now */
static __always_inline bool unpack_step(struct unpack *u,
					struct unpack_state *s,
					struct kmt_event *ev)
{
	uint32_t number = __unpack_u16(s, COLUMN_PLACE);
	unsigned int changes = s->fixed[COLUMN_CHANGES][s->next];
	struct place *place;

	if (unlikely(number >= s->nr_places))
		return false;
	place = &s->places[number];
	if (unlikely(changes) && !__unpack_changes(u, place, changes))
		return false;
	__unpack_place(place, ev);
	ev->seq = s->seq;
	ev->wraps = s->seq >> 32;
	return __unpack_ptr(u, s, place, ev) && __unpack_time(u, s, ev) &&
	       __unpack_seq(u, s);
}

/**
 * unpack_next() - read the next record
 * @u: the unpacker; unpack_left() is not 0
 * @ev: set to the event; ev->rec is NULL
 *
 * Return: false if the chunk is damaged. The rest of
 * the chunk cannot be read then.
 */
bool unpack_next(struct unpack *u, struct kmt_event *ev);

/**
 * unpack_all() - encode the records of a whole chunk
 * @u: the unpacker, initialised for WANT_RECORDS; no record was read yet
 * @to: gets the records
 * @size: bytes of all records, plus KMT_RECORD_MAX
 *
 * Return: false if the chunk is damaged.
 */
bool unpack_all(struct unpack *u, uint8_t *to, size_t size);

/* --- pieces of either kind ------------------------------------------------------ */

/**
 * struct cursor - a piece being read
 * @seq: sequence number of the next record, if there is one
 * @last: the records up to this sequence number are in order
 * @ready: there is a next record
 * @more: there are records after @last, and they are not in order
 * @cpu: CPU of the records
 * @swap: records have the other byte order
 * @want: WANT_*
 * @defs: unless @want is WANT_EVENTS: definitions of stacks; gets further stacks
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

/** cursor_init() - make a cursor without a piece; @stats are updated */
void cursor_init(struct cursor *c, uint32_t cpu, bool swap, unsigned int want,
		 struct stackdefs *defs, struct merge_stats *stats);

/** cursor_memory() - bytes of memory in use for decompressed data */
size_t cursor_memory(const struct cursor *c);

/** cursor_trim() - free the memory of decompressed data; the cursor must not be ready */
void cursor_trim(struct cursor *c);

/**
 * cursor_open() - start to read a piece
 * @c: the cursor
 * @unzstd: decompresses the piece
 * @piece: the piece; its data must stay in place until it has been read
 * @near: a number near the sequence number of the first record
 *
 * Sets c->ready if there is a record. Counts a damaged piece as broken.
 */
void cursor_open(struct cursor *c, struct unzstd *unzstd, const struct merge_piece *piece,
		 uint64_t near);

/**
 * cursor_fill() - put records into their places in a window
 * @c: the cursor, ready
 * @w: the window
 * @base: sequence number of the first place
 * @limit: stop at this sequence number; at most @base + WINDOW_SIZE
 *
 * Return: false if the place of a record is already taken; this record is then the next.
 */
bool cursor_fill(struct cursor *c, struct window *w, uint64_t base, uint64_t limit);

/** cursor_next() - read a record; return false if it is broken, and c->ready is then false */
bool cursor_next(struct cursor *c, struct window *w, struct merged *to);

#define CURSOR_UNKNOWN 0xff /* event_id of a record with an unknown id */

#endif /* UNPACK_H */
