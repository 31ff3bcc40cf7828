/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams of records: changes that leave them records, where changing bytes
 * would soon leave nothing that can be read.
 */
#ifndef FUZZ_RECORDS_H
#define FUZZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * records_mutate() - change a stream of records
 * @data: the stream, in this machine's byte order
 * @size: bytes in it
 * @max: bytes that there is room for
 * @seed: what decides how
 *
 * Return: bytes that it has now.
 */
size_t records_mutate(uint8_t *data, size_t size, size_t max,
		      unsigned int seed);

/**
 * records_swap() - turn a stream into one of the other byte order
 * @data: the stream
 * @size: bytes in it
 * @from_swapped: it is of the other order: turn it into this one
 *
 * As far as it can be read; knows the format by itself, and shares nothing with
 * what is tested.
 */
void records_swap(uint8_t *data, size_t size, bool from_swapped);

#endif /* FUZZ_RECORDS_H */
