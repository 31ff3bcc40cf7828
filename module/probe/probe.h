/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes: what runs in every allocation and every free while recording or
 * accounting.
 */
#ifndef KMT_PROBE_H
#define KMT_PROBE_H

#include <linux/gfp_types.h>
#include <linux/types.h>

struct folio;
struct kmem_cache;
struct page;

/*
 * One for each tracepoint, with its arguments. Context: any that an allocation
 * can happen in.
 */
void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
		       size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		       int node);
void kmt_probe_kmem_cache_alloc(void *data, unsigned long call_site,
				const void *ptr, struct kmem_cache *s,
				gfp_t gfp_flags, int node);
/* where kmt_cache_layout is not known */
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
 * kmt_probe_free_bulk() - objects are about to be freed together
 * @call_site: the caller that frees them
 * @s: their cache; NULL if they may be of several, or kmalloc'ed
 * @count: how many
 * @objects: where they are
 *
 * Context: any that an allocation can happen in.
 */
void kmt_probe_free_bulk(unsigned long call_site, struct kmem_cache *s,
			 size_t count, void **objects);

/**
 * kmt_probe_alloc_bulk() - objects were allocated together
 * @call_site: the caller that allocated them, past the wrappers
 * @s: their cache
 * @gfp_flags: of the allocation
 * @count: how many; 0 or less if it failed
 * @objects: where they are
 *
 * Context: any that an allocation can happen in.
 */
void kmt_probe_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			  gfp_t gfp_flags, int count, void **objects);

/**
 * kmt_probe_expect_pages_of_bulk() - whether kmt_probe_page_of_bulk() is called
 * @on: from now on, for each page of a bulk allocation. Then the tracepoint's
 *	event of such a page is dropped
 *
 * Context: any.
 */
void kmt_probe_expect_pages_of_bulk(bool on);

/**
 * kmt_probe_page_of_bulk() - a page was allocated, together with others
 * @call_site: the caller that allocated it, past the wrappers
 * @page: the page
 * @gfp_flags: of the allocation
 *
 * Context: any that an allocation can happen in.
 */
void kmt_probe_page_of_bulk(unsigned long call_site, struct page *page,
			    gfp_t gfp_flags);

/**
 * kmt_probe_migrate() - the content of a folio is in another one now
 * @to: the new one
 * @from: the old one, soon to be freed
 *
 * Context: any that a folio can migrate in.
 */
void kmt_probe_migrate(struct folio *to, struct folio *from);

/**
 * kmt_probe_unseen_pages() - the kernel took free pages without an event
 * @page: the first of them
 * @count: how many they are
 *
 * Context: any.
 */
void kmt_probe_unseen_pages(struct page *page, unsigned long count);

#endif /* KMT_PROBE_H */
