/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many objects of a size fit into the slabs that SLUB would choose for them.
 *
 * The formula is that of calculate_order() and calc_slab_order() in the kernel's
 * mm/slub.c, with the defaults of slub_min_order (0), slub_max_order (3) and
 * slub_min_objects (0: by the number of CPUs). It was rewritten in Linux 6.8; for all sizes
 * up to 8 KiB, both versions choose the same order.
 */
#ifndef SLABFIT_H
#define SLABFIT_H

#include <stdbool.h>
#include <stdint.h>

/* the slabs of a cache */
struct slabfit {
	uint64_t bytes;		/* bytes of a slab */
	uint64_t objects;	/* objects in a slab */
};

/**
 * slabfit_of() - find the slabs of a cache
 * @size: bytes from one object to the next
 * @cpus: number of CPUs of the machine
 * @page_size: bytes of a page
 *
 * Return: the slabs; @objects is 0 if there is no slab for this size.
 */
struct slabfit slabfit_of(uint64_t size, unsigned int cpus, uint64_t page_size);

/** slabfit_aligned() - the size of an object in a kmem_cache without flags */
uint64_t slabfit_aligned(uint64_t size);

/** slabfit_share() - bytes of slabs that objects take in a cache that they share */
uint64_t slabfit_share(const struct slabfit *f, uint64_t objects);

/** slabfit_whole() - bytes of slabs that objects take in a cache of their own */
uint64_t slabfit_whole(const struct slabfit *f, uint64_t objects);

/** slabfit_bucket() - the smallest cache of kmalloc() that a request fits into; 0: none */
uint64_t slabfit_bucket(uint64_t requested);

/** slabfit_below() - the largest cache of kmalloc() below a size; 0: none */
uint64_t slabfit_below(uint64_t size);

#endif /* SLABFIT_H */
