/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting's own probes: every allocation is charged to a tag, every free is
 * matched to its allocation by address and taken off that tag.
 *
 * What cannot be told is not guessed but counted (account.c).
 */
#ifndef KMT_CHARGE_H
#define KMT_CHARGE_H

#include <linux/bits.h>
#include <linux/gfp_types.h>
#include <linux/jiffies.h>
#include <linux/types.h>

#include "tag.h"

struct folio;
struct kmem_cache;
struct page;

/*
 * What is remembered of a live object is one word: when it was born, in ticks
 * of 1 << KMT_TICK_SHIFT jiffies that wrap after years (32 bits), its class
 * (20 bits), and the low bits of its waste (12).
 */
#define KMT_TICK_SHIFT 4

static __always_inline u32 kmt_charge_now(void)
{
	return jiffies >> KMT_TICK_SHIFT;
}

/* Jiffies since then; what was born meanwhile is of age 0. */
static inline unsigned long kmt_charge_age(u32 born)
{
	u32 ticks = kmt_charge_now() - born;

	return ticks > S32_MAX ? 0 : (unsigned long)ticks << KMT_TICK_SHIFT;
}

/* @packed: of the class, with the low bits of the waste */
static __always_inline u64 kmt_charge_pack(u32 packed)
{
	return jiffies >> KMT_TICK_SHIFT << 32 | packed;
}

static __always_inline u32 kmt_charge_class(u64 value)
{
	return (u32)value >> KMT_WASTE_BITS;
}

static __always_inline u32 kmt_charge_waste(u64 value)
{
	return value & KMT_WASTE_MASK;
}

static __always_inline u32 kmt_charge_born(u64 value)
{
	return value >> 32;
}

/*
 * One for each tracepoint, with its arguments. Context: any that an allocation
 * can happen in.
 */
void kmt_charge_kmalloc(void *data, unsigned long call_site, const void *ptr,
			size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
			int node);
void kmt_charge_kmem_cache_alloc(void *data, unsigned long call_site,
				 const void *ptr, struct kmem_cache *s,
				 gfp_t gfp_flags, int node);
void kmt_charge_kfree(void *data, unsigned long call_site, const void *ptr);
void kmt_charge_kmem_cache_free(void *data, unsigned long call_site,
				const void *ptr, const struct kmem_cache *s);
void kmt_charge_mm_page_alloc(void *data, struct page *page, unsigned int order,
			      gfp_t gfp_flags, int migratetype);
void kmt_charge_mm_page_free(void *data, struct page *page, unsigned int order);
void kmt_charge_percpu_alloc(void *data, unsigned long call_site, bool reserved,
			     bool is_atomic, size_t size, size_t align,
			     void *base_addr, int off, void __percpu *ptr,
			     size_t bytes_alloc, gfp_t gfp_flags);
void kmt_charge_percpu_free(void *data, void *base_addr, int off,
			    void __percpu *ptr);

/**
 * kmt_charge_free_bulk() - objects are about to be freed together
 * @call_site: who frees them
 * @count: how many
 * @objects: where they are
 *
 * Context: any that an allocation can happen in.
 */
void kmt_charge_free_bulk(unsigned long call_site, size_t count,
			  void **objects);

/**
 * kmt_charge_alloc_bulk() - objects were allocated together
 * @call_site: who allocated them, past the wrappers
 * @s: their cache
 * @count: how many; 0 or less if it failed
 * @objects: where they are
 *
 * Context: any that an allocation can happen in.
 */
void kmt_charge_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			   int count, void **objects);

/**
 * kmt_charge_page_of_bulk() - a page was allocated, together with others
 * @call_site: who allocated it, past the wrappers
 * @page: the page
 *
 * Context: any that an allocation can happen in.
 */
void kmt_charge_page_of_bulk(unsigned long call_site, struct page *page);

/**
 * kmt_charge_migrate() - the content of a folio is in another one now
 * @to: the new one
 * @from: the old one, soon to be freed
 *
 * Context: any that a folio can migrate in.
 */
void kmt_charge_migrate(struct folio *to, struct folio *from);

#endif /* KMT_CHARGE_H */
