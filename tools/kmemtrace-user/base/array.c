// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"

void *__array_reserve(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return xreallocarray(array, count ? count * 2 : 1, size);
}

/* Return: @count rounded up to a power of two, if there is one. */
static size_t room_for(size_t count)
{
	if (count < 2 || count > SIZE_MAX / 2)
		return count;
	return (size_t)2 << (63 - __builtin_clzll(count - 1));
}

void *__array_reach(void *array, size_t count, size_t to, size_t size)
{
	size_t room = room_for(to);
	char *more = array;

	if (room != room_for(count))
		more = xreallocarray(array, room, size);
	memset(more + count * size, 0, (to - count) * size);
	return more;
}
