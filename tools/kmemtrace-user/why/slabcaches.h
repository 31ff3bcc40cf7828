/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slab caches of this machine, from /proc/slabinfo. The module does not say which
 * cache a slab belongs to; the size of its objects, and of the slab, leave few.
 */
#ifndef SLABCACHES_H
#define SLABCACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct slabcache - a cache, or several that the kernel has merged
 * @name: its name
 * @size: bytes that an object takes
 * @pages: pages of a slab
 */
struct slabcache {
	char *name;
	uint64_t size;
	uint64_t pages;
};

/**
 * struct slabcaches - all caches that have a slab
 * @cache: the caches
 * @count: number of caches
 */
struct slabcaches {
	struct slabcache *cache;
	size_t count;
};

/**
 * struct slabcache_want - what is known about a cache
 * @size: bytes that an object takes
 * @pages: pages of a slab; 0: not known
 * @kmalloc: it is one of kmalloc()
 */
struct slabcache_want {
	uint64_t size;
	uint64_t pages;
	bool kmalloc;
};

/**
 * slabcaches_parse() - parse the text of /proc/slabinfo
 * @c: set; must be freed with slabcaches_free(), also after an error
 * @text: the text; other lines are skipped
 */
void slabcaches_parse(struct slabcaches *c, const char *text);

/**
 * slabcaches_read() - read the file
 * @c: as for slabcaches_parse(); without a cache if the file cannot be read
 */
void slabcaches_read(struct slabcaches *c);

/**
 * slabcaches_find() - find the caches that fit
 * @c: the caches
 * @want: what is known
 * @name: set to their names, as long as @c
 * @max: number of elements of @name
 *
 * Return: number of caches that fit, which may be more than @max.
 */
size_t slabcaches_find(const struct slabcaches *c, const struct slabcache_want *want,
		       const char **name, size_t max);

/** slabcaches_free() - undo slabcaches_parse() */
void slabcaches_free(struct slabcaches *c);

#endif /* SLABCACHES_H */
