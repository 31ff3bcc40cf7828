/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of two processes, in pairs that correspond to each other.
 *
 * Mappings of a file correspond if they map the same part of it, or else if their parts
 * overlap; others with a name, such as [heap], if their addresses do, or else if they have
 * the same name; others if their addresses overlap, as after a fork. Whether mappings
 * correspond decides which figures are in the same row, but not which pages two processes
 * have in common.
 */
#ifndef MAPPAIRS_H
#define MAPPAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "process/footprint.h"

/**
 * struct mappair - mappings that correspond
 * @side: of each process, or NULL; at least one of them is not NULL
 */
struct mappair {
	const struct footprint_row *side[2];
};

/** mappair_first() - the mapping of the first process, or else of the second one */
const struct footprint_row *mappair_first(const struct mappair *pair);

/**
 * mappairs_make() - find the mappings that correspond
 * @a: the first process
 * @b: the second process
 * @pair: set to the pairs by address; must be freed
 * @count: set to the number of pairs
 *
 * Each mapping is in one pair. A pair without a mapping of the first process is sorted by
 * the address of the other one.
 */
void mappairs_make(const struct footprint *a, const struct footprint *b,
		   struct mappair **pair, size_t *count);

#endif /* MAPPAIRS_H */
