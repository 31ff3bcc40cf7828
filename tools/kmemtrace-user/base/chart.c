// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/chart.h"

#define LEVELS 8

/* a bar of n eighths of a row, and of n thirds */
static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
				      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const ascii[] = { " ", ".", ":", "#" };
/* the levels of a sparkline */
static const char *const levels[LEVELS] = { "_", ".", "-", ":", "=", "+", "*", "#" };

/* Return: the height of a bar, in steps; rounded up. */
static unsigned int height(uint64_t value, uint64_t highest, unsigned int steps)
{
	unsigned __int128 scaled = (unsigned __int128)value * steps;

	if (!highest)
		return 0;
	return value >= highest ? steps : (scaled + highest - 1) / highest;
}

void chart_row(char *to, const uint64_t *values, size_t count, uint64_t highest,
	       unsigned int row, unsigned int rows, bool utf8)
{
	const char *const *characters = utf8 ? blocks : ascii;
	unsigned int steps = utf8 ? LEVELS : 3, n;
	char *end = to;
	size_t i;

	for (i = 0; i < count; i++) {
		n = height(values[i], highest, rows * steps);
		n = n > row * steps ? n - row * steps : 0;
		to = stpcpy(to, characters[n < steps ? n : steps]);
		if (n)
			end = to;
	}
	*end = '\0';
}

static size_t level(int64_t value, int64_t least, int64_t most)
{
	double range = (double)most - (double)least;

	if (!(range > 0))
		return 0;
	return ((double)value - (double)least) / range * (LEVELS - 1) + 0.5;
}

void chart_sparkline(char *to, const int64_t *values, size_t count, size_t width,
		     bool utf8)
{
	const char *const *characters = utf8 ? blocks + 1 : levels;
	int64_t least = INT64_MAX, most = INT64_MIN;
	size_t i;

	if (count > width) {
		values += count - width;
		count = width;
	}
	for (i = 0; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	memset(to, ' ', width - count);
	to += width - count;
	*to = '\0';
	for (i = 0; i < count; i++)
		to = stpcpy(to, characters[level(values[i], least, most)]);
}
