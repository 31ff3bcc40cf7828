/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of one CPU by columns: what is alike stands together, so that little
 * is left of it once compressed, and little is to be decompressed.
 *
 * A place is a call site with one kind of event. Of the places, the kernel has
 * few, and most of what a record holds is as it was the last time at its place.
 * A record is its place, a mask of what is different this time, and what is
 * new in any case: number, time, address. An address is mostly one that was in
 * a record shortly before: of the allocation that is freed, or of the free by
 * which it could be used again.
 *
 * The first columns have a byte for each record. The others have numbers, as
 * in varint.h, for those records that say so:
 *
 * PLACE	index of the place, from the first record of the chunk that is of
 *		it; PLACE_HIGH is the upper half
 * CHANGES	mask of CHANGE_*
 * SEQ		numbers left out since the record before; 255: in SEQS
 * TIME		nanoseconds since the record before that has a time; 65535: in
 *		TIMES, as zigzag()
 * PTR		how many records before this one, one had the same address; 0: in
 *		PTRS, as the difference to the last address at this place: 2
 *		zigzag(difference / 8), or 1 and then zigzag(difference)
 * PLACES	for each place: 4 event_id + type_id, and zigzag() of the difference
 *		between its call site and that of the place before
 * SIZES	bytes_req; bytes_alloc - bytes_req
 * FLAGS	gfp_flags; zigzag(numa_node)
 * NUMBERS	cache; or order, and zigzag(migratetype)
 * FEATURES	mask of features, KMT_FEATURE_*
 * CONTEXTS	context; preempt_count
 * TASKS	zigzag(pid), zigzag(tgid - pid), 16 bytes of comm: of the record
 *		before, if nothing else is said
 * CGROUPS	likewise
 * STACKS	index of the stack; if it is a new one, the next, then its depth
 * CALLERS	zigzag() of each address of new stacks
 *
 * On disk: how many records, as a varint; for each column its size, and if that
 * is not 0 the size of its zstd frame, or 0 if it is not compressed; then the
 * columns. A column of size 0 of those with a byte for each record is all zeros.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "kmt_event.h"
#include "trace/trace_format.h"
#include "trace/unzstd.h"

enum column_id {
	COLUMN_PLACE,
	COLUMN_PLACE_HIGH,
	COLUMN_CHANGES,
	COLUMN_SEQ,
	COLUMN_TIME,
	COLUMN_TIME_HIGH,
	COLUMN_PTR,
	COLUMN_PTR_HIGH,
	COLUMNS_FIXED, /* those up to here have a byte for each record */
	COLUMN_PLACES = COLUMNS_FIXED,
	COLUMN_SEQS,
	COLUMN_TIMES,
	COLUMN_PTRS,
	COLUMN_SIZES,
	COLUMN_FLAGS,
	COLUMN_NUMBERS,
	COLUMN_FEATURES,
	COLUMN_CONTEXTS,
	COLUMN_TASKS,
	COLUMN_CGROUPS,
	COLUMN_STACKS,
	COLUMN_CALLERS,
	COLUMNS,
};

/* What differs from the last record at the same place. */
#define CHANGE_SIZES	(1u << 0)
#define CHANGE_FLAGS	(1u << 1)
#define CHANGE_NUMBERS	(1u << 2)
#define CHANGE_FEATURES (1u << 3)
#define CHANGE_CONTEXT	(1u << 4)
#define CHANGE_TASK	(1u << 5) /* from the last record of all that has one */
#define CHANGE_CGROUP	(1u << 6) /* likewise */
#define CHANGE_STACK	(1u << 7)

#define SEQ_ELSEWHERE  0xff
#define TIME_ELSEWHERE 0xffff

/* Records of a chunk: each takes no fewer bytes than these. */
#define COLUMNS_RECORDS_MAX (TRACE_DATA_MAX / sizeof(struct kmemtrace_event))
/* Those without a byte for each take at most so many times the records' bytes. */
#define COLUMNS_GROWTH 2

/**
 * struct columns - a chunk by columns
 * @records: how many
 * @column: each of them
 */
struct columns {
	uint32_t records;
	struct column {
		uint8_t *data;
		size_t size;
	} column[COLUMNS];
};

/**
 * struct place - what the last record at a place was like
 * @call_site: see struct kmt_event
 * @ptr: likewise
 * @bytes_req: likewise
 * @bytes_alloc: likewise
 * @gfp_flags: likewise
 * @node: likewise
 * @stack: index of its stack plus 1; 0 is none
 * @cache: see struct kmt_event
 * @order: likewise
 * @migratetype: likewise
 * @event_id: likewise
 * @type_id: likewise
 * @features: likewise
 * @context: see struct kmt_extra
 * @preempt_count: likewise
 *
 * There may be thousands, in use for each CPU: so it fits into a cache line.
 */
struct place {
	uint64_t call_site;
	uint64_t ptr;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp_flags;
	int32_t node;
	uint32_t stack;
	uint16_t cache;
	uint8_t order;
	int8_t migratetype;
	uint8_t event_id;
	uint8_t type_id;
	uint8_t features;
	uint8_t context;
	uint8_t preempt_count;
} __attribute__((aligned(64)));

static_assert(sizeof(struct place) == 64, "one cache line");
static_assert(KMT_FEATURES_ALL <= UINT8_MAX, "struct place has room for them");

/**
 * columns_store() - write them as they stand in the file
 * @c: the columns
 * @zstd: compresses them
 * @to: gets them
 * @room: bytes there; less is no error but too little
 *
 * Return: bytes written; 0: they do not fit.
 */
size_t columns_store(const struct columns *c, ZSTD_CCtx *zstd, uint8_t *to,
		     size_t room);

/**
 * columns_load() - undo columns_store()
 * @c: set to the columns, which lie in @buffer or in what is all zeros
 * @unzstd: decompresses them
 * @from: as in the file; not trusted
 * @size: bytes of it
 * @raw_size: bytes of the records
 * @buffer: memory for columns, made larger if need be; to be freed
 * @room: bytes of @buffer
 *
 * Return: 0 if they are sound, as far as can be told without looking into them;
 * -EBADMSG if they are damaged; -ENOMEM.
 */
int columns_load(struct columns *c, struct unzstd *unzstd, const uint8_t *from,
		 size_t size, size_t raw_size, uint8_t **buffer, size_t *room);

/** columns_size() - bytes of all columns in memory */
size_t columns_size(const struct columns *c);

/** columns_copy() - copy columns to memory of columns_size() bytes */
void columns_copy(struct columns *to, const struct columns *from,
		  uint8_t *memory);

#endif /* COLUMNS_H */
