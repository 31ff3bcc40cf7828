/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The free objects that CPUs and nodes keep for their next allocations. From Linux 7.0 on, SLUB
 * keeps them in arrays (sheaves, see mm/slub.c): each CPU has up to three for each cache, and
 * each node a list of full ones (a barn). The lists of slabs lack these objects.
 *
 * Modules cannot see the members of these structs. This module finds their offsets at load, with
 * a cache that it creates.
 */
#ifndef KMT_SHEAF_H
#define KMT_SHEAF_H

#include <linux/types.h>

struct kmem_cache;

/**
 * kmt_sheaf_known() - whether sheaves can be read
 *
 * Context: any.
 */
bool kmt_sheaf_known(void);

/**
 * kmt_sheaf_read_cpu() - find the objects of a cache that the present CPU keeps
 * @cache: the cache; it may have been destroyed
 * @found: called for each object, which was free at some moment during this call. Any of them
 *	may be allocated meanwhile
 * @arg: passed to @found
 *
 * Context: a task that stays on its CPU; one task at a time.
 */
void kmt_sheaf_read_cpu(const struct kmem_cache *cache,
			void (*found)(unsigned long object, const void *arg),
			const void *arg);

/**
 * struct kmt_sheaf_full - a full sheaf in the list of a node
 * @cache: its cache
 * @arg: from kmt_sheaf_find_full()
 * @at: its address
 * @size: number of its objects when it was found
 */
struct kmt_sheaf_full {
	const struct kmem_cache *cache;
	const void *arg;
	unsigned long at;
	u32 size;
};

/**
 * kmt_sheaf_find_full() - find the full sheaves of a cache in the lists of all nodes
 * @cache: the cache; it may have been destroyed
 * @arg: stored with each sheaf
 * @full: set to the sheaves
 * @room: at most so many
 *
 * Context: any.
 * Return: their number.
 */
unsigned int kmt_sheaf_find_full(const struct kmem_cache *cache, const void *arg,
				 struct kmt_sheaf_full *full, unsigned int room);

/**
 * kmt_sheaf_read_full() - find the objects of a sheaf from kmt_sheaf_find_full()
 * @full: the sheaf
 * @found: called for each object, which was free when the sheaf was found, or later. Any of
 *	them may be allocated meanwhile; @arg is that of @full
 *
 * Context: any, after synchronize_rcu(), so that this CPU sees what was in the sheaf when it was
 * found; one task at a time.
 */
void kmt_sheaf_read_full(const struct kmt_sheaf_full *full,
			 void (*found)(unsigned long object, const void *arg));

/**
 * kmt_sheaf_init() - find the offsets
 *
 * If they cannot be found, kmt_sheaf_known() is false.
 *
 * Context: may sleep; after kmt_cache_init().
 * Return: 0 or -ENOMEM.
 */
int kmt_sheaf_init(void);

#endif /* KMT_SHEAF_H */
