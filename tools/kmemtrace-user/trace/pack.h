/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert records to columns: see columns.h. Records with violations, unknown ids or
 * unknown features cannot be stored as columns without loss. They are refused.
 */
#ifndef PACK_H
#define PACK_H

#include "trace/columns.h"

struct pack;

/** pack_create() - create a packer; NULL if memory ran out */
struct pack *pack_create(void);

/** pack_destroy() - free a packer; NULL is allowed */
void pack_destroy(struct pack *p);

/**
 * pack_records() - put the records of a chunk into columns
 * @p: the packer
 * @data: whole records of one CPU, in this machine's byte order
 * @size: bytes of @data, 1 to TRACE_DATA_MAX
 *
 * Return: the columns, valid until the next call; NULL if a record cannot be stored as
 * columns.
 */
const struct columns *pack_records(struct pack *p, const uint8_t *data,
				   size_t size);

#endif /* PACK_H */
