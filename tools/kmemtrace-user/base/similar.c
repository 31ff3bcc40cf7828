// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/similar.h"

/* The longest name that may have only one error: with two, little would be the same. */
#define SHORT 4

/* The Levenshtein distance. Only one row of the matrix is kept. */
static size_t distance(const char *a, const char *b)
{
	size_t row[32], i, j, n = strlen(b), diagonal, above;

	if (n >= sizeof(row) / sizeof(row[0]))
		return n;
	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 1; j <= n; j++) {
			above = row[j];
			row[j] = diagonal + (a[i] != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[n];
}

void similar_init(struct similar *s, const char *name)
{
	size_t errors = strlen(name) > SHORT ? 2 : 1;

	*s = (struct similar){ .name = name, .distance = errors + 1 };
}

void similar_offer(struct similar *s, const char *name)
{
	size_t d = distance(s->name, name);

	if (!strncmp(s->name, name, strlen(s->name)))
		d = 1;
	if (d < s->distance) {
		s->distance = d;
		s->best = name;
	}
}
