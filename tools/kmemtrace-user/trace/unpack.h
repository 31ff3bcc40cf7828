/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From columns back to events, one at a time: see columns.h.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include "trace/columns.h"

/**
 * struct unpack_state - how far a chunk was read
 * @fixed: the columns with a byte for each record
 * @places: the places
 * @nr_places: how many
 * @ptrs: addresses of the records so far
 * @records: how many there are
 * @next: number of the record to come, in the chunk
 * @seq: its sequence number, extended to 64 bits
 * @time: of the last record that has one
 *
 * Whoever reads many records works on a copy, which can stay in registers.
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
 * @now: how far
 * @columns: the chunk
 * @at: what is to be read of each column
 * @last: sequence number of the last record
 * @rest: what makes records of events; NULL: they are not wanted
 * @buffer: memory of the columns
 * @buffer_room: bytes of it
 * @no_memory: memory ran out, so that a chunk could not be read
 * @places_room: for how many there is memory
 * @ptrs_room: likewise
 */
struct unpack {
	struct unpack_state now;
	struct columns columns;
	const uint8_t *at[COLUMNS];
	uint64_t last;
	struct unpack_rest *rest;
	uint8_t *buffer;
	size_t buffer_room;
	bool no_memory;
	size_t places_room;
	size_t ptrs_room;
};

/**
 * unpack_init() - get ready
 * @u: the unpacker
 * @records: unpack_record() will be called
 *
 * Return: false if memory ran out.
 */
bool unpack_init(struct unpack *u, bool records);

/** unpack_exit() - undo unpack_init() */
void unpack_exit(struct unpack *u);

/** unpack_memory() - bytes of memory in use for a chunk */
size_t unpack_memory(const struct unpack *u);

/** unpack_trim() - free that memory; a chunk needs to be opened anew */
void unpack_trim(struct unpack *u);

/**
 * unpack_open() - begin with a chunk
 * @u: the unpacker
 * @unzstd: decompresses it
 * @from: as in the file; not trusted
 * @size: bytes of it
 * @raw_size: bytes of the records
 * @first: sequence number of the first record, extended
 *
 * Return: false if it is damaged, or memory ran out: u->no_memory.
 */
bool unpack_open(struct unpack *u, struct unzstd *unzstd, const uint8_t *from,
		 size_t size, size_t raw_size, uint64_t first);

/**
 * unpack_begin() - as unpack_open(), with columns that were loaded
 * @u: the unpacker
 * @columns: the columns; they stay where they are until they were read
 * @first: sequence number of the first record, extended
 *
 * Return: false if it is damaged, or memory ran out: u->no_memory.
 */
bool unpack_begin(struct unpack *u, const struct columns *columns,
		  uint64_t first);

/** unpack_left() - how many records are to come */
static inline uint32_t unpack_left(const struct unpack *u)
{
	return u->now.records - u->now.next;
}

/** __unpack_changes() - for unpack_step(): what is not as last time */
bool __unpack_changes(struct unpack *u, struct place *place,
		      unsigned int changes);

/** __unpack_elsewhere() - for unpack_step(): a number of another column */
bool __unpack_elsewhere(struct unpack *u, enum column_id id, uint64_t *value);

/** __unpack_new_ptr() - for unpack_step(): an address that is new */
bool __unpack_new_ptr(struct unpack *u, struct place *place, uint64_t *ptr);

static inline uint32_t __unpack_u16(const struct unpack_state *s,
				    enum column_id id)
{
	return s->fixed[id][s->next] | s->fixed[id + 1][s->next] << 8;
}

/* Get to the number of the next record. */
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

/* One by one: cleared and filled in as a whole, it would take longer. */
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
	ev->rec = NULL;
}

/** unpack_step() - as unpack_next(), with a copy of u->now */
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
	return __unpack_ptr(u, s, place, ev) && __unpack_time(u, s, ev) &&
	       __unpack_seq(u, s);
}

/**
 * unpack_next() - the next record
 * @u: the unpacker; unpack_left() is not 0
 * @ev: set to its event, without a record
 *
 * Return: false if the chunk is damaged, or memory ran out (u->no_memory):
 * nothing more is to be got of it.
 */
bool unpack_next(struct unpack *u, struct kmt_event *ev);

/**
 * unpack_record() - make the record of the last event
 * @u: the unpacker, of unpack_init() with records
 * @ev: the event that unpack_next() gave last
 * @to: gets the record, of up to KMT_RECORD_MAX bytes; ev->rec is set to it
 *
 * Return: bytes of the record, in this machine's byte order.
 */
size_t unpack_record(struct unpack *u, struct kmt_event *ev, uint8_t *to);

/**
 * unpack_all() - make the records of a whole chunk
 * @u: the unpacker, of unpack_init() with records, just opened
 * @to: gets the records
 * @size: bytes that they should have, and KMT_RECORD_MAX
 *
 * Return: false if the chunk is damaged, or memory ran out: u->no_memory.
 */
bool unpack_all(struct unpack *u, uint8_t *to, size_t size);

#endif /* UNPACK_H */
