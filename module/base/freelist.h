/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The free objects of a slab. A slab has a list of them: each free object contains the
 * address of the next one, which CONFIG_SLAB_FREELIST_HARDENED obscures. Modules cannot see
 * the members that are needed for reading the list. This module finds their offsets at load,
 * with caches that it creates, and checks them with lists that it knows.
 */
#ifndef KMT_FREELIST_H
#define KMT_FREELIST_H

#include <linux/types.h>

struct kmem_cache;
struct page;

/* the most objects of a slab whose list can be read: 8 bytes in pages of order 3 */
#define KMT_FREELIST_MAX 4096

/**
 * kmt_freelist_known() - whether kmt_freelist_read() can read lists
 *
 * Context: any.
 */
bool kmt_freelist_known(void);

/**
 * kmt_freelist_knows_cpus() - whether it also finds the objects that CPUs keep
 *
 * Context: any.
 */
bool kmt_freelist_knows_cpus(void);

/**
 * kmt_freelist_read() - find the free objects of a slab
 * @slab: its first page
 * @cache: its cache
 * @size: bytes from one object to the next; the first one is at the start of the slab
 * @objects: number of objects, at most KMT_FREELIST_MAX
 * @free: bitmap; set to the objects in the list of the slab, and in that of the CPU that
 *	allocates from it
 *
 * Other CPUs may allocate and free objects meanwhile, and free the slab. The list is then
 * one that the slab had while this function ran, or the function fails.
 *
 * On kernels without struct kmem_cache_cpu, objects that a CPU keeps for its next allocations
 * are free, but are not found here (sheaf.h).
 *
 * Context: any; one task at a time.
 * Return: whether the list was read; else @free is empty.
 */
bool kmt_freelist_read(struct page *slab, const struct kmem_cache *cache,
		       unsigned int size, unsigned int objects,
		       unsigned long *free);

/**
 * kmt_freelist_init() - find the offsets
 *
 * If they cannot be found, kmt_freelist_known() is false.
 *
 * Context: may sleep; after kmt_cache_init().
 * Return: 0 or -ENOMEM.
 */
int kmt_freelist_init(void);

#endif /* KMT_FREELIST_H */
