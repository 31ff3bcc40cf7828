/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes to streams of records. Most records stay readable, unlike after random changes
 * of bytes.
 */
#ifndef FUZZ_RECORDS_H
#define FUZZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * records_mutate() - change a stream of records
 * @data: the stream, in the byte order of this machine
 * @size: its size in bytes
 * @max: size of the buffer in bytes
 * @seed: determines the change
 *
 * Return: the new size in bytes.
 */
size_t records_mutate(uint8_t *data, size_t size, size_t max,
		      unsigned int seed);

/**
 * records_swap() - change the byte order of a stream
 * @data: the stream
 * @size: its size in bytes
 * @from_swapped: true: @data is in the other byte order; false: in that of this machine
 *
 * Stops at the first record that cannot be read. It shares no code with the tested
 * functions.
 */
void records_swap(uint8_t *data, size_t size, bool from_swapped);

#endif /* FUZZ_RECORDS_H */
