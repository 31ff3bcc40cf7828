/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From records to columns: see columns.h. What cannot be told by columns
 * without loss is not: records with violations, of unknown ids or features.
 */
#ifndef PACK_H
#define PACK_H

#include "trace/columns.h"

struct pack;

/** pack_create() - get ready; NULL if memory ran out */
struct pack *pack_create(void);

/** pack_destroy() - free; NULL is fine */
void pack_destroy(struct pack *p);

/**
 * pack_records() - put the records of a chunk into columns
 * @p: the packer
 * @data: whole records of one CPU, in this machine's byte order
 * @size: bytes of them, from 1 up to TRACE_DATA_MAX
 *
 * Return: the columns, good until the next call; NULL: these records need to
 * be stored as they are.
 */
const struct columns *pack_records(struct pack *p, const uint8_t *data,
				   size_t size);

#endif /* PACK_H */
