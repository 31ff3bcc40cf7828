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

#endif /* PLURAL_H */
