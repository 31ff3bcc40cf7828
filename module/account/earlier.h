/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sites of memory that was allocated before accounting was switched on. The code that
 * allocated it is not known. So the survey (survey.h) charges it to sites that stand for a
 * kind of page, a slab cache, or a caller of vmalloc().
 */
#ifndef KMT_EARLIER_H
#define KMT_EARLIER_H

#include <linux/types.h>

#include "base/cache.h"

/* kinds of pages */
enum kmt_earlier_kind {
	KMT_EARLIER_SLAB,	/* of the slab allocator */
	KMT_EARLIER_LARGE,	/* of a large kmalloc() */
	KMT_EARLIER_PAGE_TABLE,
	KMT_EARLIER_ANON,	/* anonymous memory of processes */
	KMT_EARLIER_SHMEM,	/* tmpfs and shared memory */
	KMT_EARLIER_FILE,	/* page cache */
	KMT_EARLIER_HUGETLB,
	KMT_EARLIER_PERCPU,	/* chunks of per-CPU memory */
	KMT_EARLIER_MODULE,	/* modules and eBPF programs */
	KMT_EARLIER_VMALLOC,	/* areas of vmalloc() whose caller is not known */
	KMT_EARLIER_OFFLINE,	/* given to the host by a balloon, or offline */
	KMT_EARLIER_POOL,	/* of a page_pool of a network driver */
	KMT_EARLIER_OWN,	/* of the stock of this module */
	KMT_EARLIER_MEMMAP,	/* struct pages of memory that was plugged in */
	KMT_EARLIER_OTHER,
	KMT_EARLIER_KINDS,
};

/* callers of vmalloc() that have a site of their own */
#define KMT_EARLIER_CALLERS 256

/* one for each kind, cache and caller of vmalloc(); only the addresses are used */
extern const char kmt_earlier_sites[KMT_EARLIER_KINDS + KMT_CACHES_MAX +
				    KMT_EARLIER_CALLERS];

/**
 * kmt_earlier_is_site() - whether an address is one of these sites
 * @site: the address
 *
 * Context: any.
 */
static inline bool kmt_earlier_is_site(unsigned long site)
{
	return site - (unsigned long)kmt_earlier_sites <
	       sizeof(kmt_earlier_sites);
}

/**
 * kmt_earlier_kind_site() - the site of a kind of page
 * @kind: the kind
 *
 * Context: any.
 */
static inline unsigned long kmt_earlier_kind_site(enum kmt_earlier_kind kind)
{
	return (unsigned long)&kmt_earlier_sites[kind];
}

/**
 * kmt_earlier_is_known() - whether the purpose of the pages of a kind is known, although
 *	nothing in /proc/kpageflags tells it
 * @site: a site of a kind
 *
 * Context: any.
 */
static inline bool kmt_earlier_is_known(unsigned long site)
{
	return site == kmt_earlier_kind_site(KMT_EARLIER_PAGE_TABLE) ||
	       site == kmt_earlier_kind_site(KMT_EARLIER_POOL) ||
	       site == kmt_earlier_kind_site(KMT_EARLIER_MEMMAP) ||
	       site == kmt_earlier_kind_site(KMT_EARLIER_OWN);
}

/* page->private of the pages of KMT_EARLIER_OWN */
#define KMT_EARLIER_OWN_MARK ((unsigned long)kmt_earlier_sites)

/**
 * kmt_earlier_cache_site() - the site of the objects of a cache
 * @cache: index of the cache (base/cache.h); 0: any cache without an index
 *
 * Context: any.
 */
static inline unsigned long kmt_earlier_cache_site(u16 cache)
{
	return (unsigned long)&kmt_earlier_sites[KMT_EARLIER_KINDS + cache];
}

/**
 * kmt_earlier_name_cache() - give the site of a cache its name
 * @cache: index of the cache; the survey charges memory to its site next
 *
 * The name stays when another cache gets the index.
 *
 * Context: may sleep.
 * Return: whether the name has changed, and kmt_codetag_changed() must be called.
 */
bool kmt_earlier_name_cache(u16 cache);

/**
 * kmt_earlier_caller_site() - the site of the areas of a caller of vmalloc()
 * @caller: "func:NAME", or "[MODULE] func:NAME"
 *
 * Context: may sleep; one task at a time.
 * Return: the site; that of KMT_EARLIER_VMALLOC if there are too many callers, or there is
 * no memory.
 */
unsigned long kmt_earlier_caller_site(const char *caller);

/**
 * kmt_earlier_exit() - free the names of callers and caches
 *
 * Context: may sleep; no site is used any more.
 */
void kmt_earlier_exit(void);

/**
 * kmt_earlier_describe() - the location of a site
 * @site: its address
 * @text: set to "earlier/WHAT:0 func:NAME", if it is one of these sites
 * @size: size of @text
 *
 * Context: may sleep.
 * Return: whether it is one of these sites.
 */
bool kmt_earlier_describe(unsigned long site, char *text, size_t size);

#endif /* KMT_EARLIER_H */
