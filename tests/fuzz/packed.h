/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes to chunks in columns (trace/columns.h of the tool), inside their compression.
 */
#ifndef FUZZ_PACKED_H
#define FUZZ_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace_format.h"

/**
 * packed_mutate() - change a chunk in columns
 * @head: header of the chunk; its raw size and first number are set to match
 * @data: content of the chunk, as in the file
 * @size: size of @data in bytes
 * @max: size of the buffer in bytes
 * @seed: determines the change
 *
 * Return: the new size in bytes.
 */
size_t packed_mutate(struct trace_chunk *head, uint8_t *data, size_t size,
		     size_t max, unsigned int seed);

/**
 * packed_pack() - put records into columns, with the codec COLUMNS
 * @head: header of the chunk; its codec, raw size and first number are set to match
 * @data: the records, in the byte order of this machine; replaced by the columns
 * @size: size of the records in bytes; set to the size of the columns
 * @max: size of the buffer in bytes
 *
 * Return: false if this is not possible; nothing is changed then.
 */
bool packed_pack(struct trace_chunk *head, uint8_t *data, size_t *size,
		 size_t max);

/**
 * packed_unpack() - undo packed_pack()
 * @head: header of the chunk
 * @data: the columns, as in the file; replaced by the records
 * @size: size of the columns in bytes; set to the size of the records
 * @max: size of the buffer in bytes
 *
 * Return: false if this is not possible; nothing is changed then.
 */
bool packed_unpack(const struct trace_chunk *head, uint8_t *data, size_t *size,
		   size_t max);

#endif /* FUZZ_PACKED_H */
