// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/array.h"

void *__array_reserve(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}

void *__array_reach(void *array, size_t count, size_t to, size_t size)
{
	char *more = reallocarray(array, to, size);

	if (more)
		memset(more + count * size, 0, (to - count) * size);
	return more;
}
