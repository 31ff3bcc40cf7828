/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The selection of pages that page-types shows, and of the flags that it shows for them.
 */
#ifndef PAGESELECT_H
#define PAGESELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pagetypes/pagespec.h"
#include "pagetypes/pagesum.h"

#define PAGESELECT_BITS 64
#define PAGESELECT_MEMO 256

/**
 * struct pageselect_memo - cached result for one combination of flags
 * @flags: the flags of a page, as read
 * @shown: the flags to show
 * @known: this entry is in use
 * @fits: pages with these flags are shown
 * @row: row of the summary that counts these pages; NULL: not determined yet
 */
struct pageselect_memo {
	uint64_t flags;
	uint64_t shown;
	bool known;
	bool fits;
	struct pagesum_row *row;
};

/**
 * struct pageselect - the selection
 * @names: names of the flags
 * @raw: show all flags, with separate bits for second meanings; else only the well-known
 *	flags
 * @bits: conditions; a page must meet all of them
 * @nr_bits: number of conditions
 * @memo: cache, by a hash of the flags; only few combinations of flags occur
 */
struct pageselect {
	const struct pageflag_name *names;
	bool raw;
	struct pagespec_bits bits[PAGESELECT_BITS];
	size_t nr_bits;
	struct pageselect_memo memo[PAGESELECT_MEMO];
};

/** pageselect_learn() - determine the result for @flags, and store it in @m */
void pageselect_learn(const struct pageselect *s, struct pageselect_memo *m,
		      uint64_t flags);

/**
 * pageselect_flags() - the result for pages with some flags
 * @s: the selection
 * @flags: flags of the pages, with those from pagemap
 *
 * Return: the result, valid until the next call; the caller sets its @row.
 */
static inline struct pageselect_memo *
pageselect_flags(struct pageselect *s, uint64_t flags)
{
	struct pageselect_memo *m =
		&s->memo[flags * 0x9e3779b97f4a7c15ull >> 56];

	if (m->flags != flags || !m->known)
		pageselect_learn(s, m, flags);
	return m;
}

#endif /* PAGESELECT_H */
