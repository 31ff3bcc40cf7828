/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of one CPU, stored by columns. Similar values are next to each other, so they
 * compress well and there is little to decompress.
 *
 * A place is a call site with one kind of event. The kernel has few places. Most values
 * of a record are the same as in the last record at its place. A record is stored as its
 * place, a mask of the values that have changed, and the values that are always new:
 * sequence number, time and address. Most addresses occurred in another record shortly
 * before: in the allocation that is now freed, or in the free that made the address
 * available.
 *
 * The first eight columns have one byte for each record. The other columns have numbers
 * as of varint_put(), unless noted, but only for some of the records:
 *
 * PLACE	index of the place; places are numbered in the order of their first record
 *		in the chunk. PLACE_HIGH is the upper byte
 * CHANGES	mask of CHANGE_*
 * SEQ		sequence numbers left out since the previous record; 255: the number is in
 *		SEQS
 * TIME		nanoseconds since the previous record with a time; TIME_HIGH is the upper
 *		byte. 65535: zigzag() of the value is in TIMES
 * PTR		distance to an earlier record with the same address, in records; PTR_HIGH
 *		is the upper byte. 0: PTRS has the difference to the last address at this
 *		place, as 2 zigzag(difference / 8), or as 1 and then zigzag(difference)
 * PLACES	for each place: 4 event_id + type_id, and zigzag() of the difference
 *		between its call site and that of the previous place
 * SIZES	bytes_req; bytes_alloc - bytes_req
 * FLAGS	gfp_flags; zigzag(numa_node)
 * NUMBERS	cache; or order, and zigzag(migratetype)
 * FEATURES	mask of features, KMT_FEATURE_*
 * CONTEXTS	context; preempt_count; one plain byte each
 * TASKS	zigzag(pid), zigzag(tgid - pid), 16 plain bytes of comm
 * CGROUPS	number of the cgroup
 * STACKS	index of the stack; stacks are numbered in the order of their first record
 *		in the chunk
 * CALLERS	for each stack of the chunk: zigzag() of the difference between its number in
 *		the recording, see STACKS in trace_format.h, and that of the previous one
 *
 * A chunk in the file has the number of records as a varint. Then it has for each column
 * its size and, if the size is not 0, the size of its zstd frame. A frame size of 0 means
 * that the column is not compressed. Then the columns follow. If one of the first eight
 * columns has size 0, all its bytes are zero.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zstd.h>

#include "kmt_event.h"
#include "trace/trace_format.h"

/*
 * Numbers of variable length: seven bits in each byte, the lowest first. The top bit is
 * set in all bytes but the last.
 */

/* maximum bytes of a number */
#define VARINT_MAX 10

/** varint_put() - write a number; returns the address after it */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

/**
 * varint_get() - read a number
 * @at: address of the number; set to the address after it
 * @end: end of the readable bytes
 * @value: set to the number
 *
 * Return: false if the number does not end before @end, or has more than 64 bits.
 */
static inline bool varint_get(const uint8_t **at, const uint8_t *end,
			      uint64_t *value)
{
	unsigned int shift;
	uint64_t v = 0;

	for (shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = v;
			return shift < 63 || byte < 2;
		}
	}
	return false;
}

/** zigzag() - map a signed number to an unsigned one, which is small near 0 */
static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/** unzigzag() - undo zigzag() */
static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/*
 * Decompresses zstd frames. The context of zstd is allocated for the first frame, because
 * many files have no frame.
 */

/**
 * struct unzstd - state of decompression; all 0 at the start
 * @zstd: context of zstd; NULL before the first frame
 */
struct unzstd {
	ZSTD_DCtx *zstd;
};

/**
 * unzstd_frame() - decompress a frame
 * @u: the state; may be used by one thread at a time
 * @to: gets the decompressed bytes
 * @size: expected number of decompressed bytes
 * @from: the frame
 * @stored: bytes of the frame
 *
 * Return: 0; -EBADMSG if the frame is damaged or has another size.
 */
int unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		 size_t stored);

/** zstd_need_memory() - end the tool if a function of zstd returned that memory ran out */
void zstd_need_memory(size_t result);

/** unzstd_exit() - free the memory; the state can be used again */
void unzstd_exit(struct unzstd *u);

enum column_id {
	COLUMN_PLACE,
	COLUMN_PLACE_HIGH,
	COLUMN_CHANGES,
	COLUMN_SEQ,
	COLUMN_TIME,
	COLUMN_TIME_HIGH,
	COLUMN_PTR,
	COLUMN_PTR_HIGH,
	COLUMNS_FIXED, /* the columns before this one have a byte for each record */
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

/* values that differ from the last record at the same place */
#define CHANGE_SIZES	(1u << 0)
#define CHANGE_FLAGS	(1u << 1)
#define CHANGE_NUMBERS	(1u << 2)
#define CHANGE_FEATURES (1u << 3)
#define CHANGE_CONTEXT	(1u << 4)
#define CHANGE_TASK	(1u << 5) /* differs from the last record with a task */
#define CHANGE_CGROUP	(1u << 6) /* differs from the last record with a cgroup */
#define CHANGE_STACK	(1u << 7)

#define SEQ_ELSEWHERE  0xff
#define TIME_ELSEWHERE 0xffff

/* maximum number of records in a chunk; this struct is the smallest record */
#define COLUMNS_RECORDS_MAX (TRACE_DATA_MAX / sizeof(struct kmemtrace_event))
/* The other columns together take at most this multiple of the bytes of the records. */
#define COLUMNS_GROWTH 2

/**
 * struct columns - a chunk by columns
 * @records: number of records
 * @column: the columns
 */
struct columns {
	uint32_t records;
	struct column {
		uint8_t *data;
		size_t size;
	} column[COLUMNS];
};

/**
 * struct place - values of the last record at a place
 * @call_site: see struct kmt_event
 * @ptr: see struct kmt_event
 * @bytes_req: see struct kmt_event
 * @bytes_alloc: see struct kmt_event
 * @gfp_flags: see struct kmt_event
 * @node: see struct kmt_event
 * @stack: number of its stack in a struct stacks; STACKS_NONE: no stack
 * @cache: see struct kmt_event
 * @order: see struct kmt_event
 * @migratetype: see struct kmt_event
 * @event_id: see struct kmt_event
 * @type_id: see struct kmt_event
 * @features: see struct kmt_event
 * @context: see struct kmt_extra
 * @preempt_count: see struct kmt_extra
 *
 * A place fits into a cache line, because each CPU may use thousands of places.
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
 * struct column_sizes - sizes of the columns of a chunk in the file
 * @size: bytes of each column; 0: it is empty, or fixed and all its bytes are zero
 * @stored: bytes of its zstd frame; 0: not compressed
 */
struct column_sizes {
	size_t size[COLUMNS];
	size_t stored[COLUMNS];
};

/* maximum bytes of the sizes in the file */
#define COLUMNS_HEAD_MAX (VARINT_MAX * (1 + 2 * COLUMNS))

/**
 * columns_compress() - compress some of the columns
 * @c: the columns
 * @from: the first of them
 * @to: the column after the last one
 * @zstd: context that compresses the columns
 * @data: gets the columns, one after the other
 * @room: bytes of @data
 * @quick: take less time and more bytes; the format is the same
 * @sizes: set to the sizes of these columns
 *
 * Return: bytes written; -1 if the columns do not fit.
 */
ssize_t columns_compress(const struct columns *c, int from, int to, ZSTD_CCtx *zstd,
			 uint8_t *data, size_t room, bool quick,
			 struct column_sizes *sizes);

/**
 * columns_head() - encode the sizes, which precede the columns in the file
 * @data: gets up to COLUMNS_HEAD_MAX bytes
 * @records: number of records
 * @sizes: the sizes of all columns
 *
 * Return: bytes written.
 */
size_t columns_head(uint8_t *data, uint32_t records, const struct column_sizes *sizes);

/**
 * columns_load() - read the columns of a chunk in the file
 * @c: set to the columns; their data is in @buffer, or in a static array of zeros
 * @unzstd: decompresses the columns
 * @from: the encoded columns from the file; not trusted
 * @size: bytes of @from
 * @raw_size: bytes of the records
 * @buffer: memory for columns, enlarged if needed; the caller frees it
 * @room: bytes of @buffer
 *
 * Checks the sizes, but not the contents of the columns.
 *
 * Return: 0; -EBADMSG if the columns are damaged.
 */
int columns_load(struct columns *c, struct unzstd *unzstd, const uint8_t *from,
		 size_t size, size_t raw_size, uint8_t **buffer, size_t *room);

/** columns_size() - bytes of all columns in memory */
size_t columns_size(const struct columns *c);

/** columns_copy() - copy columns to memory of columns_size() bytes */
void columns_copy(struct columns *to, const struct columns *from,
		  uint8_t *memory);

#endif /* COLUMNS_H */
