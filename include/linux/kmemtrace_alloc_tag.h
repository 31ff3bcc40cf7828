/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code tags with the kernel's own names for them: alloc_hooks() and so on
 * (Documentation/mm/allocation-profiling.rst in the kernel's source). A module that uses
 * these names builds on kernels from 6.1 on, and its allocations are charged to
 * kmemtrace's tags (<linux/kmemtrace_tag.h>):
 *
 *	#include <linux/slab.h>
 *	#include <linux/kmemtrace_alloc_tag.h>
 *
 *	struct thing *make_thing_noprof(gfp_t gfp);
 *	#define make_thing(...) alloc_hooks(make_thing_noprof(__VA_ARGS__))
 *
 * Include it after all other headers, because it replaces macros that these define. A
 * kernel with CONFIG_MEM_ALLOC_PROFILING does the accounting by itself. There, this
 * header replaces nothing.
 *
 * kmalloc() and the other allocators below are macros that use alloc_hooks(), as in the
 * kernel from 6.10 on. So each call in the module has its own tag. Their *_noprof()
 * variants have no tag. They are charged to the hook around the call, or else to the
 * calling function.
 *
 * Older kernels do not have these macros. This header defines them for the allocators
 * that modules use most. On these kernels, allocations of per-CPU memory need
 * alloc_hooks() around the call.
 */
#ifndef LINUX_KMEMTRACE_ALLOC_TAG_H
#define LINUX_KMEMTRACE_ALLOC_TAG_H

#ifndef CONFIG_MEM_ALLOC_PROFILING

#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/kmemtrace_tag.h>

/* Kernels have either both alloc_hooks() and the *_noprof() allocators, or neither. */
#ifndef alloc_hooks

static __always_inline void *kmalloc_noprof(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp);
}

static __always_inline void *kmalloc_node_noprof(size_t size, gfp_t gfp,
						 int node)
{
	return kmalloc_node(size, gfp, node);
}

static __always_inline void *kmalloc_array_noprof(size_t n, size_t size,
						  gfp_t gfp)
{
	return kmalloc_array(n, size, gfp);
}

static __always_inline void *kzalloc_noprof(size_t size, gfp_t gfp)
{
	return kzalloc(size, gfp);
}

static __always_inline void *krealloc_noprof(const void *p, size_t size,
					     gfp_t gfp)
{
	return krealloc(p, size, gfp);
}

static __always_inline void *kmemdup_noprof(const void *p, size_t size,
					    gfp_t gfp)
{
	return kmemdup(p, size, gfp);
}

static __always_inline void *kvmalloc_noprof(size_t size, gfp_t gfp)
{
	return kvmalloc(size, gfp);
}

static __always_inline void *kmem_cache_alloc_noprof(struct kmem_cache *cache,
						     gfp_t gfp)
{
	return kmem_cache_alloc(cache, gfp);
}

static __always_inline struct page *alloc_pages_noprof(gfp_t gfp,
						       unsigned int order)
{
	return alloc_pages(gfp, order);
}

static __always_inline unsigned long get_free_pages_noprof(gfp_t gfp,
							   unsigned int order)
{
	return __get_free_pages(gfp, order);
}

static __always_inline void *vmalloc_noprof(unsigned long size)
{
	return vmalloc(size);
}

static __always_inline void *vzalloc_noprof(unsigned long size)
{
	return vzalloc(size);
}

#define kmalloc(...)		alloc_hooks(kmalloc_noprof(__VA_ARGS__))
#define kmalloc_node(...)	alloc_hooks(kmalloc_node_noprof(__VA_ARGS__))
#define kmalloc_array(...)	alloc_hooks(kmalloc_array_noprof(__VA_ARGS__))
#define kcalloc(_n, _size, _gfp) kmalloc_array(_n, _size, (_gfp) | __GFP_ZERO)
#define kzalloc(...)		alloc_hooks(kzalloc_noprof(__VA_ARGS__))
#define krealloc(...)		alloc_hooks(krealloc_noprof(__VA_ARGS__))
#define kmemdup(...)		alloc_hooks(kmemdup_noprof(__VA_ARGS__))
#define kvmalloc(...)		alloc_hooks(kvmalloc_noprof(__VA_ARGS__))
#define kvzalloc(_size, _gfp)	kvmalloc(_size, (_gfp) | __GFP_ZERO)
#define kmem_cache_alloc(...)	alloc_hooks(kmem_cache_alloc_noprof(__VA_ARGS__))
#define kmem_cache_zalloc(_cache, _gfp)                                        \
	kmem_cache_alloc(_cache, (_gfp) | __GFP_ZERO)
#define alloc_pages(...)	alloc_hooks(alloc_pages_noprof(__VA_ARGS__))
#define __get_free_pages(...)	alloc_hooks(get_free_pages_noprof(__VA_ARGS__))
#define get_zeroed_page(_gfp)	__get_free_pages((_gfp) | __GFP_ZERO, 0)
#define vmalloc(...)		alloc_hooks(vmalloc_noprof(__VA_ARGS__))
#define vzalloc(...)		alloc_hooks(vzalloc_noprof(__VA_ARGS__))

#endif /* alloc_hooks */

#undef alloc_hooks
#undef alloc_hooks_tag
#undef alloc_tag_record

/* struct alloc_tag */
#define alloc_tag		kmt_alloc_tag
#define alloc_hooks		kmt_alloc_hooks
#define alloc_hooks_tag		kmt_alloc_hooks_tag
#define alloc_tag_record	kmt_alloc_tag_record

#endif /* CONFIG_MEM_ALLOC_PROFILING */
#endif /* LINUX_KMEMTRACE_ALLOC_TAG_H */
