/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages page-types is to look at, as its command line says it: a range of
 * pages (addr-spec), a condition on flags (bits-spec). The language is that of
 * the kernel's page-types; what makes no sense is refused, with a sentence.
 */
#ifndef PAGESPEC_H
#define PAGESPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/pageflags.h"

/* room for a sentence that lists all names of flags */
#define PAGESPEC_WHY (PAGEFLAGS_LONG + 256)

/**
 * struct pagespec_range - some pages
 * @start: number of the first
 * @end: number after that of the last
 */
struct pagespec_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct pagespec_bits - a condition on flags
 * @mask: the flags that matter
 * @bits: what these have to be
 * @any: one of @mask is enough, whichever
 */
struct pagespec_bits {
	uint64_t mask;
	uint64_t bits;
	bool any;
};

/**
 * pagespec_range() - parse an addr-spec: N, N+M, "N,M", "N,", ",M"
 * @text: the text
 * @range: set to what it says
 * @why: set to a sentence if it is wrong, of PAGESPEC_WHY bytes
 *
 * Return: whether it is right.
 */
bool pagespec_range(const char *text, struct pagespec_range *range, char *why);

/**
 * pagespec_flags() - parse a list of flags: names, their beginnings, numbers
 * @names: from pageflags_names()
 * @text: the text; nothing is no flag
 * @flags: set to what it says
 * @why: set to a sentence if it is wrong, of PAGESPEC_WHY bytes
 *
 * Return: whether it is right.
 */
bool pagespec_flags(const struct pageflag_name *names, const char *text,
		    uint64_t *flags, char *why);

/**
 * pagespec_bits() - parse a bits-spec: "a,b", "a,b=a", "a,~b", "=a,b"
 * @names: from pageflags_names()
 * @text: the text
 * @bits: set to what it says
 * @why: set to a sentence if it is wrong, of PAGESPEC_WHY bytes
 *
 * Return: whether it is right.
 */
bool pagespec_bits(const struct pageflag_name *names, const char *text,
		   struct pagespec_bits *bits, char *why);

/** pagespec_fits() - whether flags are as a condition says */
static inline bool pagespec_fits(const struct pagespec_bits *bits,
				 uint64_t flags)
{
	flags &= bits->mask;
	return bits->any ? flags : flags == bits->bits;
}

#endif /* PAGESPEC_H */
