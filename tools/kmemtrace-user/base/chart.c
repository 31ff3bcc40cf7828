// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/chart.h"

/* a bar of n eighths of a row, and of n thirds */
static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
				      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const ascii[] = { " ", ".", ":", "#" };

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
	unsigned int steps = utf8 ? 8 : 3, n;
	char *end = to;
	size_t i;

	for (i = 0; i < count; i++) {
		n = height(values[i], highest, rows * steps);
		n = n > row * steps ? n - row * steps : 0;
		strcpy(to, characters[n < steps ? n : steps]);
		to += strlen(to);
		if (n)
			end = to;
	}
	*end = '\0';
}
