/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nouns after a number: "1 gap", "2 gaps".
 */
#ifndef PLURAL_H
#define PLURAL_H

#include <stdint.h>

/** plural() - get the end of a noun after a number: "s", or "" after 1 */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/** plural_is() - the same with its verb: " is" after 1, or "s are" */
static inline const char *plural_is(uint64_t n)
{
	return n == 1 ? " is" : "s are";
}

/** plural_was() - the same in the past: " was" after 1, or "s were" */
static inline const char *plural_was(uint64_t n)
{
	return n == 1 ? " was" : "s were";
}

#endif /* PLURAL_H */
