/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert records to columns: see columns.h. Records with violations, unknown ids or
 * unknown features cannot be stored as columns without loss. They are refused.
 */
#ifndef PACK_H
#define PACK_H

#include "trace/columns.h"
#include "trace/stacks.h"

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

/**
 * pack_stacks() - get the different stacks of the last chunk
 * @p: the packer, after pack_records()
 *
 * Return: the stacks, valid until the next pack_records(). Their numbers, from 1 on, are
 * in the order of the first records with them.
 */
const struct stacks *pack_stacks(const struct pack *p);

#endif /* PACK_H */
