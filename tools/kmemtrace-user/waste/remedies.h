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
 * remedies_find() - find the remedies of all rows
 * @w: the rows, after wastes_finish(); the remedies of each are set, the most saved first
 * @cpus: number of CPUs of the machine
 * @page_size: bytes of a page
 *
 * Objects take a share of the slabs, and not only their size. A kmem_cache of
 * their own takes whole slabs. Remedies that save nothing are left out.
 */
void remedies_find(struct wastes *w, unsigned int cpus, uint64_t page_size);

#endif /* REMEDIES_H */
