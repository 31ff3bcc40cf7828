/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes: what runs in every allocation and every free while recording or
 * accounting.
 */
#ifndef KMT_PROBE_H
#define KMT_PROBE_H

#include <linux/gfp_types.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct folio;
struct kmem_cache;
struct page;

DECLARE_PER_CPU(bool, kmt_probe_busy);

/**
 * kmt_probe_enter() - take this CPU's guard
 *
 * While it is held, what is allocated or freed on this CPU is not seen, but
 * counted as nested: with interrupts off that can only be in an NMI, or a
 * mistake. Who holds the guard may take the locks of the tables.
 *
 * Context: interrupts off, until kmt_probe_leave().
 * Return: false if it is taken.
 */
static __always_inline bool kmt_probe_enter(void)
{
	if (unlikely(__this_cpu_read(kmt_probe_busy)))
		return false;
	__this_cpu_write(kmt_probe_busy, true);
	barrier();
	return true;
}

/**
 * kmt_probe_leave() - give it back
 *
 * Context: interrupts off.
 */
static __always_inline void kmt_probe_leave(void)
{
	barrier();
	__this_cpu_write(kmt_probe_busy, false);
}

/**
 * kmt_probe_shut() - switch interrupts off and take the guard, outside of a probe
 *
 * For who takes a lock that probes take: not even one in an NMI comes in between.
 *
 * Context: any, but that of a probe, or of an NMI.
 * Return: what kmt_probe_open() needs.
 */
static inline unsigned long kmt_probe_shut(void)
{
	unsigned long flags;

	local_irq_save(flags);
	kmt_probe_enter(); /* nothing of ours runs here */
	return flags;
}

/**
 * kmt_probe_open() - undo kmt_probe_shut()
 * @flags: what it returned
 *
 * Context: any.
 */
static inline void kmt_probe_open(unsigned long flags)
{
	kmt_probe_leave();
	local_irq_restore(flags);
}

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
 * @call_site: who frees them
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
 * @call_site: who allocated them, past the wrappers
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
 * kmt_probe_page_of_bulk() - a page was allocated, together with others
 * @call_site: who allocated it, past the wrappers
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
