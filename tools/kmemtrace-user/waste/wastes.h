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

/* objects of one requested size */
struct waste_size {
	uint64_t requested;	/* bytes requested */
	uint64_t objects;	/* number of live objects */
};

enum waste_remedy {
	REMEDY_CACHE, /* a kmem_cache for these objects */
	REMEDY_LESS,  /* smaller objects, from the next smaller cache of kmalloc() */
	REMEDY_ALIGN, /* a kmem_cache with a lower alignment */
	REMEDY_EXACT, /* whole pages instead of a power of two: alloc_pages_exact() */
	REMEDIES,
};

extern const char *const waste_remedy_names[REMEDIES];

/* what would save memory */
struct remedy {
	enum waste_remedy remedy;	/* what to do */
	uint64_t saved;			/* bytes saved */
	/* the sizes are not known one by one: @saved is the least */
	bool at_least;
	/*
	 * REMEDY_CACHE, REMEDY_ALIGN: size of the objects; REMEDY_LESS: the size that they must not
	 * exceed
	 */
	uint64_t size;
	uint64_t objects;		/* objects that the remedy is for */
	uint64_t slab_objects;		/* REMEDY_CACHE, REMEDY_ALIGN: objects in a slab */
	uint64_t slab_bytes;		/* REMEDY_CACHE, REMEDY_ALIGN: bytes of a slab */
};

#define WASTE_REMEDIES 2 /* the most that a row has */

/* objects of one site that are allocated in the same size */
struct waste {
	uint32_t site;				/* number of the site */
	enum waste_kind kind;			/* where they are allocated */
	uint64_t size;				/* bytes allocated for an object; 0: it differs */
	uint64_t objects;			/* number of live objects */
	uint64_t bytes;				/* live bytes, as allocated */
	uint64_t requested;			/* live bytes, as requested */
	/* the requested sizes, those of most objects first; none if they are not known */
	struct waste_size *sizes;
	size_t nr_sizes;			/* number of these sizes */
	/* what would save memory, the most first; see remedies_find() */
	struct remedy remedy[WASTE_REMEDIES];
	int nr_remedies;			/* number of these */
};

/* all rows */
struct wastes {
	struct waste *row;		/* the rows */
	size_t count;			/* number of rows */
	struct pairs keys;		/* numbers of the rows, by site, kind and size */
	struct pairs size_keys;		/* numbers of the sizes, by row and requested size */
	uint64_t *objects;		/* number of objects, by number of the size */
	size_t nr_objects;		/* length of @objects */
	struct waste_size *sizes;	/* memory of the sizes of all rows */
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

/* what the sizes of slabs depend on */
struct slab_rules {
	unsigned int cpus;	/* number of CPUs that are present */
	uint64_t page_size;	/* bytes of a page */
	/* the kernel adds debugging data to objects, see system_slabs_padded() */
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
