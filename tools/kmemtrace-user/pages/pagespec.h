/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conditions on pages in the command line of page-types: a range of pages
 * (addr-spec), or a condition on flags (bits-spec). The syntax is that of the kernel's
 * page-types. Conditions that make no sense are refused with an explanation.
 */
#ifndef PAGESPEC_H
#define PAGESPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/pageflags.h"

/* room for a message that lists the names of all flags */
#define PAGESPEC_WHY (PAGEFLAGS_LONG + 256)

/**
 * struct pagespec_range - a range of pages
 * @start: number of the first page
 * @end: number of the last page plus 1
 */
struct pagespec_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct pagespec_bits - a condition on flags
 * @mask: the flags that are checked
 * @bits: required values of these flags
 * @any: it is sufficient that any flag of @mask is set; @bits is ignored
 */
struct pagespec_bits {
	uint64_t mask;
	uint64_t bits;
	bool any;
};

/**
 * pagespec_range() - parse an addr-spec: N, N+M, "N,M", "N,", ",M"
 * @text: the text
 * @range: set to the range
 * @why: buffer of PAGESPEC_WHY bytes; set to a message if @text is not valid
 *
 * Return: whether @text is valid.
 */
bool pagespec_range(const char *text, struct pagespec_range *range, char *why);

/**
 * pagespec_flags() - parse a list of flags: names, beginnings of names, or numbers
 * @names: from pageflags_names()
 * @text: the text; an empty text stands for no flags
 * @flags: set to the flags
 * @why: buffer of PAGESPEC_WHY bytes; set to a message if @text is not valid
 *
 * Return: whether @text is valid.
 */
bool pagespec_flags(const struct pageflag_name *names, const char *text,
		    uint64_t *flags, char *why);

/**
 * pagespec_bits() - parse a bits-spec: "a,b", "a,b=a", "a,~b", "=a,b"
 * @names: from pageflags_names()
 * @text: the text
 * @bits: set to the condition
 * @why: buffer of PAGESPEC_WHY bytes; set to a message if @text is not valid
 *
 * Return: whether @text is valid.
 */
bool pagespec_bits(const struct pageflag_name *names, const char *text,
		   struct pagespec_bits *bits, char *why);

/** pagespec_fits() - whether flags meet a condition */
static inline bool pagespec_fits(const struct pagespec_bits *bits,
				 uint64_t flags)
{
	flags &= bits->mask;
	return bits->any ? flags : flags == bits->bits;
}

#endif /* PAGESPEC_H */
