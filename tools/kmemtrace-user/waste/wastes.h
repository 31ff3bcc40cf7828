/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes allocated but not requested: a row for each site and size of its objects, with
 * the requested sizes and what could be saved.
 */
#ifndef WASTES_H
#define WASTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"

enum waste_kind {
	WASTE_KMALLOC, /* a cache of kmalloc() */
	WASTE_CACHE,   /* a kmem_cache */
	WASTE_LARGE,   /* kmalloc() of whole pages */
	WASTE_PERCPU,
	WASTE_KINDS,
};

extern const char *const waste_kind_names[WASTE_KINDS];

/**
 * struct waste_size - objects of one requested size
 * @requested: bytes requested
 * @objects: number of live objects
 */
struct waste_size {
	uint64_t requested;
	uint64_t objects;
};

enum waste_remedy {
	REMEDY_CACHE, /* a kmem_cache for these objects */
	REMEDY_LESS,  /* smaller objects, from the next smaller cache of kmalloc() */
	REMEDY_ALIGN, /* a kmem_cache with a lower alignment */
	REMEDY_EXACT, /* whole pages instead of a power of two: alloc_pages_exact() */
	REMEDIES,
};

extern const char *const waste_remedy_names[REMEDIES];

/**
 * struct remedy - what would save memory
 * @remedy: what to do
 * @saved: bytes saved
 * @at_least: the sizes are not known one by one: @saved is the least
 * @size: REMEDY_CACHE, REMEDY_ALIGN: size of the objects; REMEDY_LESS: the size that they
 *	must not exceed
 * @objects: objects that the remedy is for
 * @slab_objects: REMEDY_CACHE, REMEDY_ALIGN: objects in a slab
 * @slab_bytes: REMEDY_CACHE, REMEDY_ALIGN: bytes of a slab
 */
struct remedy {
	enum waste_remedy remedy;
	uint64_t saved;
	bool at_least;
	uint64_t size;
	uint64_t objects;
	uint64_t slab_objects;
	uint64_t slab_bytes;
};

#define WASTE_REMEDIES 2 /* the most that a row has */

/**
 * struct waste - objects of one site that are allocated in the same size
 * @site: number of the site
 * @kind: where they are allocated
 * @size: bytes allocated for an object; 0: it differs
 * @objects: number of live objects
 * @bytes: live bytes, as allocated
 * @requested: live bytes, as requested
 * @sizes: the requested sizes, those of most objects first; none if they are not known
 * @nr_sizes: number of these sizes
 * @remedy: what would save memory, the most first; see remedies_find()
 * @nr_remedies: number of these
 */
struct waste {
	uint32_t site;
	enum waste_kind kind;
	uint64_t size;
	uint64_t objects;
	uint64_t bytes;
	uint64_t requested;
	struct waste_size *sizes;
	size_t nr_sizes;
	struct remedy remedy[WASTE_REMEDIES];
	int nr_remedies;
};

/**
 * struct wastes - all rows
 * @row: the rows
 * @count: number of rows
 * @keys: numbers of the rows, by site, kind and size
 * @size_keys: numbers of the sizes, by row and requested size
 * @objects: number of objects, by number of the size
 * @nr_objects: length of @objects
 * @sizes: memory of the sizes of all rows
 */
struct wastes {
	struct waste *row;
	size_t count;
	struct pairs keys;
	struct pairs size_keys;
	uint64_t *objects;
	size_t nr_objects;
	struct waste_size *sizes;
};

/** wastes_init() - set up without a row */
void wastes_init(struct wastes *w);

/**
 * wastes_add() - add live objects
 * @w: the rows
 * @site: number of the site
 * @kind: where they are allocated
 * @size: bytes allocated for each
 * @requested: bytes requested for each
 * @objects: number of objects
 */
void wastes_add(struct wastes *w, uint32_t site, enum waste_kind kind,
		uint64_t size, uint64_t requested, uint64_t objects);

/**
 * wastes_add_sum() - add live objects whose sizes are not known one by one
 * @w: the rows
 * @site: number of the site
 * @kind: where they are allocated
 * @bytes: bytes allocated for all
 * @requested: bytes requested for all
 * @objects: number of objects
 */
void wastes_add_sum(struct wastes *w, uint32_t site, enum waste_kind kind,
		    uint64_t bytes, uint64_t requested, uint64_t objects);

/** wastes_finish() - list the requested sizes of each row */
void wastes_finish(struct wastes *w);

/** waste_bytes() - bytes that were not requested; 0 if more was requested */
static inline uint64_t waste_bytes(const struct waste *row)
{
	return row->bytes > row->requested ? row->bytes - row->requested : 0;
}

/** waste_saved() - bytes that the best remedy saves */
static inline uint64_t waste_saved(const struct waste *row)
{
	return row->nr_remedies ? row->remedy[0].saved : 0;
}

/** waste_bucket() - name of the cache or the kind of a row, for example "kmalloc-64" */
const char *waste_bucket(const struct waste *row, char *to, size_t size);

/** wastes_exit() - undo wastes_init() */
void wastes_exit(struct wastes *w);

/*
 * Remedies that save memory: a cache of the right size, smaller objects, whole pages.
 */

/* more requested sizes than this need no kmem_cache: the sizes vary */
#define REMEDY_SIZES 4
/* objects must shrink by at most this part of their size: an eighth */
#define REMEDY_SHRINK 8

/**
 * struct slab_rules - what the sizes of slabs depend on
 * @cpus: number of CPUs that are present
 * @page_size: bytes of a page
 * @padded: the kernel adds debugging data to objects, see system_slabs_padded()
 */
struct slab_rules {
	unsigned int cpus;
	uint64_t page_size;
	bool padded;
};

/**
 * remedies_find() - find the remedies of all rows
 * @w: the rows, after wastes_finish(); the remedies of each are set, the most saved first
 * @rules: of the machine
 *
 * Objects take a share of the slabs, and not only their size. A kmem_cache of
 * their own takes whole slabs. Remedies that save nothing are left out, as are those for
 * slabs if objects are padded: the size of an object then does not tell its cache.
 */
void remedies_find(struct wastes *w, const struct slab_rules *rules);

#endif /* WASTES_H */
