/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes to recordings, inside their check sums and compression.
 */
#ifndef FUZZ_RECORDING_H
#define FUZZ_RECORDING_H

#include <stddef.h>
#include <stdint.h>

/**
 * recording_mutate() - change a recording
 * @data: the file
 * @size: its size in bytes
 * @max: size of the buffer in bytes
 * @seed: determines the change
 *
 * Return: the new size in bytes.
 */
size_t recording_mutate(uint8_t *data, size_t size, size_t max,
			unsigned int seed);

#endif /* FUZZ_RECORDING_H */
