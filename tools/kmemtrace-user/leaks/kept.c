// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "base/die.h"
#include "leaks/kept.h"

/* Pool adjacent violators: blocks of intervals with the same share. */
struct block {
	double births;
	double living;
	size_t count;
};

static double share_of(const struct block *b)
{
	return b->living / b->births;
}

void kept_shares(const double *births, const double *living, size_t n, double *share)
{
	struct block *blocks = xcalloc(n + 1, sizeof(*blocks)), *b = blocks;
	size_t i, k = 0;
	/* b is after the last block */
	for (i = 0; i < n; i++) {
		if (births[i] <= 0) {
			if (b > blocks)
				b[-1].count++;
			else
				k++;
			continue;
		}
		*b++ = (struct block){ births[i], living[i], 1 };
		while (b - blocks > 1 && share_of(b - 2) < share_of(b - 1)) {
			b[-2].births += b[-1].births;
			b[-2].living += b[-1].living;
			b[-2].count += b[-1].count;
			b--;
		}
	}
	for (i = 0; i < k; i++)
		share[i] = 1;
	for (b = blocks; i < n; i++) {
		share[i] = fmin(share_of(b), 1);
		if (!--b->count)
			b++;
	}
	free(blocks);
}
