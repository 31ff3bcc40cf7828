/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remedies that save memory: a cache of the right size, smaller objects, whole pages.
 */
#ifndef REMEDIES_H
#define REMEDIES_H

#include "waste/wastes.h"

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

#endif /* REMEDIES_H */
