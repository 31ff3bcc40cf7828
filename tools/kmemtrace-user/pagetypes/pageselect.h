/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages page-types shows, and with which flags.
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
 * struct pageselect_memo - what became of some flags before
 * @flags: as they came
 * @shown: as they are shown
 * @known: there is something here
 * @fits: pages that have them are shown
 * @row: of the sum that counts them; NULL before there was one
 */
struct pageselect_memo {
	uint64_t flags;
	uint64_t shown;
	bool known;
	bool fits;
	struct pagesum_row *row;
};

/**
 * struct pageselect - what is wanted
 * @names: of the flags
 * @raw: all flags, those with two meanings told apart; else the well known ones
 * @bits: conditions, which all have to be met
 * @nr_bits: how many
 * @memo: by a hash of the flags: few are ever seen
 */
struct pageselect {
	const struct pageflag_name *names;
	bool raw;
	struct pagespec_bits bits[PAGESELECT_BITS];
	size_t nr_bits;
	struct pageselect_memo memo[PAGESELECT_MEMO];
};

/** pageselect_learn() - find out what becomes of flags: @m is their place */
void pageselect_learn(const struct pageselect *s, struct pageselect_memo *m,
		      uint64_t flags);

/**
 * pageselect_flags() - what becomes of pages
 * @s: what is wanted
 * @flags: of theirs, with those of pagemap
 *
 * Return: it, until the next call; row is for the caller to set.
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
