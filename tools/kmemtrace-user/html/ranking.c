// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/msg.h"
#include "html/ranking.h"

static int ranking_compare(uint64_t x, uint64_t y, uint32_t a, uint32_t b)
{
	if (x != y)
		return x < y ? 1 : -1;
	return a < b ? -1 : a > b;
}

static int by_peak(const void *x, const void *y, void *arg)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct ranked *items = arg;

	return ranking_compare(items[a].peak, items[b].peak, a, b);
}

static int by_alloc(const void *x, const void *y, void *arg)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct ranked *items = arg;

	return ranking_compare(items[a].alloc, items[b].alloc, a, b);
}

static uint32_t *sorted(const struct ranked *items, size_t count,
			int (*order)(const void *x, const void *y, void *arg))
{
	uint32_t *numbers = xcalloc(count + 1, sizeof(*numbers));
	size_t i;

	for (i = 0; i < count; i++)
		numbers[i] = i;
	qsort_r(numbers, count, sizeof(*numbers), order, (void *)items);
	return numbers;
}

/* Takes from both orders in turn what was not taken before. */
static void interleave(uint32_t *to, const uint32_t *first,
		       const uint32_t *second,
		       bool *taken, size_t count)
{
	const uint32_t *next[2] = { first, second };
	size_t i;

	for (i = 0; i < count; i++) {
		const uint32_t **from = &next[i % 2];

		while (taken[**from])
			(*from)++;
		taken[**from] = true;
		to[i] = **from;
	}
}

uint32_t *ranking_make(const struct ranked *items, size_t count)
{
	uint32_t *peaks = sorted(items, count, by_peak);
	uint32_t *allocs = sorted(items, count, by_alloc);
	uint32_t *all = xcalloc(count + 1, sizeof(*all));
	bool *taken = xcalloc(count + 1, sizeof(*taken));

	interleave(all, peaks, allocs, taken, count);
	free(peaks);
	free(allocs);
	free(taken);
	return all;
}
