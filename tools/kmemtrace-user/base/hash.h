/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash of texts: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

/* the hash of no text */
#define HASH_START 0xcbf29ce484222325ull

/** hash_text() - add a text to a hash; return the new one. The 0 at its end is not added. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return hash;
}

#endif /* HASH_H */
