/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes. While recording or accounting is on, they run in every allocation and
 * every free.
 */
#ifndef KMT_PROBE_H
#define KMT_PROBE_H

#include <linux/gfp_types.h>
#include <linux/types.h>

struct folio;
struct kmem_cache;
struct page;

/*
 * One probe for each tracepoint, with the arguments of the tracepoint.
 * Context: any in which memory can be allocated, NMI included.
 */
void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
		       size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		       int node);
void kmt_probe_kmem_cache_alloc(void *data, unsigned long call_site,
				const void *ptr, struct kmem_cache *s,
				gfp_t gfp_flags, int node);
/* Used instead if kmt_cache_layout is not known; slower. */
void kmt_probe_kmem_cache_alloc_asking(void *data, unsigned long call_site,
				       const void *ptr, struct kmem_cache *s,
				       gfp_t gfp_flags, int node);
void kmt_probe_kfree(void *data, unsigned long call_site, const void *ptr);
void kmt_probe_kmem_cache_free(void *data, unsigned long call_site,
			       const void *ptr, const struct kmem_cache *s);
void kmt_probe_mm_page_alloc(void *data, struct page *page, unsigned int order,
			     gfp_t gfp_flags, int migratetype);
void kmt_probe_mm_page_free(void *data, struct page *page, unsigned int order);
void kmt_probe_percpu_alloc(void *data, unsigned long call_site, bool reserved,
			    bool is_atomic, size_t size, size_t align,
			    void *base_addr, int off, void __percpu *ptr,
			    size_t bytes_alloc, gfp_t gfp_flags);
void kmt_probe_percpu_free(void *data, void *base_addr, int off,
			   void __percpu *ptr);

/**
 * kmt_probe_free_bulk() - objects are freed in bulk
 * @call_site: the call site of the free
 * @s: their cache; NULL if they may be of several caches or from kmalloc()
 * @count: number of objects
 * @objects: their addresses
 *
 * Context: any in which memory can be allocated; preemption disabled. No allocation
 * can get one of the objects before this returns.
 */
void kmt_probe_free_bulk(unsigned long call_site, struct kmem_cache *s,
			 size_t count, void **objects);

/**
 * kmt_probe_free_begin() - a function begins that may free an object
 * @call_site: the call site of the free
 * @object: its address
 *
 * Records the free. If the function fails, the object is freed, and recorded, once more
 * later.
 *
 * Context: as kmt_probe_free_bulk().
 * Return: a number for kmt_probe_free_end().
 */
u64 kmt_probe_free_begin(unsigned long call_site, void *object);

/**
 * kmt_probe_free_end() - the function returns
 * @call_site: the call site of the free
 * @object: its address; it may have been allocated again
 * @value: from kmt_probe_free_begin()
 * @freed: whether the object was freed
 *
 * Context: any in which memory can be allocated; preemption disabled.
 */
void kmt_probe_free_end(unsigned long call_site, void *object, u64 value,
			bool freed);

/**
 * kmt_probe_alloc_bulk() - objects were allocated in bulk
 * @call_site: the call site of the allocation, outside the wrappers
 * @s: their cache
 * @gfp_flags: GFP flags of the allocation
 * @count: number of objects; nothing is done if it is 0 or less
 * @objects: their addresses
 *
 * Context: any in which memory can be allocated; preemption disabled.
 */
void kmt_probe_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			  gfp_t gfp_flags, int count, void **objects);

/**
 * kmt_probe_expect_pages_of_bulk() - choose the source of events of pages in bulk
 * @on: true: kmt_probe_page_of_bulk() will be called for each page of a bulk
 *	allocation, so ignore the tracepoint event of such a page. False: use the
 *	tracepoint event
 *
 * Context: any.
 */
void kmt_probe_expect_pages_of_bulk(bool on);

/**
 * kmt_probe_page_of_bulk() - a page was allocated in bulk
 * @call_site: the call site of the allocation, outside the wrappers
 * @page: the page
 * @gfp_flags: GFP flags of the allocation
 *
 * Context: any in which memory can be allocated; preemption disabled.
 */
void kmt_probe_page_of_bulk(unsigned long call_site, struct page *page,
			    gfp_t gfp_flags);

/**
 * kmt_probe_migrate() - the content of a folio was moved to another folio
 * @to: the new folio
 * @from: the old folio, which will be freed
 *
 * The allocation is then charged for @to instead of @from.
 *
 * Context: any in which a folio can migrate.
 */
void kmt_probe_migrate(struct folio *to, struct folio *from);

/**
 * kmt_probe_unseen_pages() - the kernel took free pages without an event
 * @page: the first page
 * @count: number of pages
 *
 * Context: any.
 */
void kmt_probe_unseen_pages(struct page *page, unsigned long count);

#endif /* KMT_PROBE_H */
