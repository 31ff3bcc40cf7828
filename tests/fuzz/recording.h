/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings: changes behind their check sums and compression.
 */
#ifndef FUZZ_RECORDING_H
#define FUZZ_RECORDING_H

#include <stddef.h>
#include <stdint.h>

/**
 * recording_mutate() - change a recording
 * @data: the file
 * @size: bytes in it
 * @max: bytes that there is room for
 * @seed: what decides how
 *
 * Return: bytes that it has now.
 */
size_t recording_mutate(uint8_t *data, size_t size, size_t max,
			unsigned int seed);

#endif /* FUZZ_RECORDING_H */
