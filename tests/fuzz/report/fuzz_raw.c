// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as the raw files of two CPUs, in either byte order. The first byte is signed:
 * the size of the first file minus half of the total.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "chance.h"
#include "commands.h"
#include "fuzz.h"
#include "records.h"

/* Return: the size of the first file in bytes. The second file has the rest. */
static size_t first_size(const uint8_t *data, size_t size)
{
	size_t half = (size - 1) / 2 + (int8_t)data[0];

	return half < size - 1 ? half : size - 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);

/* Change records of one of the files. Its start determines its byte order. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	struct chance c = chance_init(seed);
	size_t first, begin, end, tail, now;
	uint8_t *copy;
	bool swap;

	if (size < 2 || !chance_of(&c, 8))
		return LLVMFuzzerMutate(data, size, max);
	first = first_size(data, size);
	begin = chance_of(&c, 2) ? 1 : 1 + first;
	end = begin == 1 ? 1 + first : size;
	tail = size - end;
	copy = malloc(max);
	if (!copy || end == begin)
		goto out;
	swap = end - begin > 3 && data[begin + 2] == 0 && data[begin + 3];
	memcpy(copy, data + begin, end - begin);
	if (swap)
		records_swap(copy, end - begin, true);
	now = records_mutate(copy, end - begin, max - begin - tail, seed);
	if (swap)
		records_swap(copy, now, false);
	memmove(data + begin + now, data + end, tail);
	memcpy(data + begin, copy, now);
	size = begin + now + tail;
out:
	free(copy);
	return size;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const char *paths[2];
	size_t first;

	if (size < 2)
		return false;
	first = first_size(data, size);
	paths[0] = commands_file(0, data + 1, first);
	paths[1] = commands_file(1, data + 1 + first, size - 1 - first);
	return commands_read(paths, 2, crc32(0, data, size));
}
