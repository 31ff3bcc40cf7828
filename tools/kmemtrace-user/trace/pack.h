/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert records to columns: see columns.h. Records with violations, unknown ids or
 * unknown features cannot be stored as columns without loss. They are refused.
 */
#ifndef PACK_H
#define PACK_H

#include <zstd.h>

#include "trace/buffers.h"
#include "trace/columns.h"
#include "trace/stacks.h"
#include "trace/trace_format.h"

struct pack;

/** pack_create() - create a packer */
struct pack *pack_create(void);

/** pack_destroy() - free a packer; NULL is allowed */
void pack_destroy(struct pack *p);

/**
 * struct pack_span - what the records of a chunk extend over
 * @records: number of records
 * @first: sequence number of the first record
 * @last: sequence number of the last record
 * @time_first: the smallest time of a record; 0 without the time feature
 * @time_last: the largest time of a record; 0 without the time feature
 * @bytes: of the records, if they are plain
 */
struct pack_span {
	uint32_t records;
	uint32_t first;
	uint32_t last;
	uint64_t time_first;
	uint64_t time_last;
	size_t bytes;
};

/**
 * pack_records() - put the records of a chunk into columns
 * @p: the packer
 * @data: whole records of one CPU, in this machine's byte order
 * @size: bytes of @data, 1 to TRACE_DATA_MAX
 * @compact: features to keep of compact records, which are stored as plain ones; NULL: event
 *	ids of compact records are unknown ids
 * @span: set to what the records extend over
 *
 * The column CALLERS is empty: numbering_add() makes it of the stacks in pack_stacks().
 *
 * Return: the columns, valid until the next call, for the codec COLUMNS; NULL if a record
 * cannot be stored as columns. Then pack_span() sets the span.
 */
struct columns *pack_records(struct pack *p, const uint8_t *data, size_t size,
			     const uint32_t *compact, struct pack_span *span);

/** pack_span() - get what plain records extend over, without putting them into columns */
void pack_span(const uint8_t *data, size_t size, struct pack_span *span);

/** pack_stacks() - number of different stacks in the last chunk; @bytes: of pack_list() */
size_t pack_stacks(const struct pack *p, size_t *bytes);

/**
 * pack_list() - list the different stacks of the last chunk, for numbering_add()
 * @p: the packer, after pack_records()
 * @list: gets for each stack its depth, and its addresses, in the order of the first records with
 *	them
 */
void pack_list(const struct pack *p, uint64_t *list);

/*
 * Chunks on their way into a file. Any thread can pack a chunk of records, independently
 * of the other chunks. What depends on the other chunks is added when it is written: the
 * numbers of stacks, and marks.
 */

enum chunk_kind {
	CHUNK_RECORDS,
	CHUNK_TEXT,
	CHUNK_SYNC, /* no chunk: the place of a sync */
	CHUNK_FLUSH, /* no chunk: what precedes is written to the disk now */
};

enum chunk_state {
	CHUNK_WAITS,
	CHUNK_MOVES, /* to the temporary file */
	CHUNK_IS_PACKED, /* a packer has it */
	CHUNK_DONE,
};

/**
 * struct chunk - a chunk, in the order of the file
 * @next: the next chunk
 * @kind: enum chunk_kind
 * @state: enum chunk_state
 * @number: number of the chunk in the order of the file
 * @head: header of the chunk
 * @buffer: buffer with the contents; NULL: another owner has @data
 * @copy: memory with the contents, to free; NULL: another owner has @data
 * @data: the contents: at first, the records or the text; then, packed
 * @size: bytes of @data, without the list of stacks
 * @is_compact: records may be compact; packing makes them plain
 * @features: with @is_compact: features of KMT_FEATURES_COMPACT to keep
 * @quick: take less time to compress it, because others wait
 * @is_spilled: the records are in the temporary file, @data is NULL
 * @at: their offset there
 * @span: what the records extend over
 * @is_columns: @data has columns, without their sizes and CALLERS
 * @sizes: sizes of the columns
 * @nr_stacks: number of stacks in the list behind the columns, see pack_list()
 * @list_at: offset of the list in @data
 * @crc: CRC-32 of @data
 */
struct chunk {
	struct chunk *next;
	uint8_t kind;
	uint8_t state;
	uint64_t number;
	struct trace_chunk head;
	struct buffer *buffer;
	void *copy;
	const uint8_t *data;
	size_t size;
	bool is_compact;
	uint32_t features;
	bool quick;
	bool is_spilled;
	uint64_t at;
	struct pack_span span;
	bool is_columns;
	struct column_sizes sizes;
	uint32_t nr_stacks;
	size_t list_at;
	uint32_t crc;
};

/**
 * struct packer - what one thread needs to pack chunks
 * @zstd: context
 * @pack: packs records; NULL: only texts are packed
 * @room: memory for packed chunks
 * @room_size: bytes of @room
 * @plain: memory for compact records that must be made plain before; or NULL
 * @plain_size: bytes of @plain
 */
struct packer {
	ZSTD_CCtx *zstd;
	struct pack *pack;
	uint8_t *room;
	size_t room_size;
	uint8_t *plain;
	size_t plain_size;
};

/**
 * packer_init() - initialise
 * @p: the packer
 * @records: pack records, too
 */
void packer_init(struct packer *p, bool records);

/** packer_exit() - undo packer_init(); all zeros are allowed */
void packer_exit(struct packer *p);

/**
 * packer_pack() - pack a chunk
 * @p: the packer
 * @c: the chunk. @c->data is set to the packed contents: in @p, valid until the next call, or
 *	unchanged. @c->head.raw_size is set to the bytes of the plain records
 *
 * Return: bytes of @c->data with the list of stacks.
 */
size_t packer_pack(struct packer *p, struct chunk *c);

/** packer_trim() - free memory that a large text needed */
void packer_trim(struct packer *p);

#endif /* PACK_H */
