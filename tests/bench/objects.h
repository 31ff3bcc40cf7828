/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of objects whose allocation and free are measured. */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include <linux/gfp.h>
#include <linux/slab.h>

static struct kmem_cache *cache;

static void *kmalloc_64(void)
{
	return kmalloc(64, GFP_ATOMIC);
}

static void kfree_64(void *p)
{
	kfree(p);
}

static void *cache_alloc(void)
{
	return kmem_cache_alloc(cache, GFP_ATOMIC);
}

static void cache_free(void *p)
{
	kmem_cache_free(cache, p);
}

static void *page_alloc(void)
{
	return (void *)__get_free_page(GFP_ATOMIC);
}

static void page_free(void *p)
{
	free_page((unsigned long)p);
}

#endif /* BENCH_OBJECTS_H */
