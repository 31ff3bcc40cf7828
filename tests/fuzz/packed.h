/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunks by columns (columns.h of the tool): changes behind their compression.
 */
#ifndef FUZZ_PACKED_H
#define FUZZ_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace_format.h"

/**
 * packed_mutate() - change a chunk by columns
 * @head: of the chunk; gets sizes and a number to match
 * @data: the chunk, as it stands in the file
 * @size: bytes in it
 * @max: bytes that there is room for
 * @seed: what decides how
 *
 * Return: bytes that it has now.
 */
size_t packed_mutate(struct trace_chunk *head, uint8_t *data, size_t size,
		     size_t max, unsigned int seed);

/**
 * packed_pack() - put records into columns
 * @head: of the chunk; gets sizes and a number to match
 * @data: the records, in this machine's byte order; replaced by the columns
 * @size: bytes of them; set to those of the columns
 * @max: bytes that there is room for
 *
 * Return: whether that can be done; else all is as it was.
 */
bool packed_pack(struct trace_chunk *head, uint8_t *data, size_t *size,
		 size_t max);

/**
 * packed_unpack() - undo packed_pack()
 * @head: of the chunk
 * @data: as it stands in the file; replaced by the records
 * @size: bytes of it; set to those of the records
 * @max: bytes that there is room for
 *
 * Return: whether that can be done; else all is as it was.
 */
bool packed_unpack(const struct trace_chunk *head, uint8_t *data, size_t *size,
		   size_t max);

#endif /* FUZZ_PACKED_H */
