/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting: every allocation is charged to a tag, every free is matched to its
 * allocation by address and taken off that tag.
 *
 * What cannot be told is not guessed but counted (account.c).
 */
#ifndef KMT_CHARGE_H
#define KMT_CHARGE_H

#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/types.h>

#include "object.h"
#include "scope.h"
#include "tag.h"

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
 * What follows is for the probes (probe.c). Context: interrupts off; the caller
 * has the CPU's guard.
 */

/**
 * kmt_charge_object() - an object was allocated
 * @ptr: its address
 * @site: who called the allocator
 * @kind: KMT_KIND_SLAB or KMT_KIND_PERCPU
 * @bytes_req: what was asked for
 * @bytes_alloc: what was allocated
 * @walk: whether to look through wrappers, up the stack from here
 *
 * Return: the call site outside the wrappers; @site if it is no wrapper.
 */
unsigned long kmt_charge_object(unsigned long ptr, unsigned long site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk);

/*
 * The same in three steps, for a probe that has it inline.
 */

/**
 * kmt_charge_class_simple() - the class of an object, if there is nothing to it
 * @site: who called the allocator of slab
 * @bytes_alloc: what was allocated
 * @waste: bytes of that were not asked for
 *
 * Return: NULL if it is new, or somebody else may have to be charged:
 * kmt_charge_object() knows.
 */
static __always_inline const struct kmt_class *
kmt_charge_class_simple(unsigned long site, size_t bytes_alloc, size_t waste)
{
	if (unlikely(waste > KMT_WASTE_MASK || kmt_scope_any()))
		return NULL;
	return kmt_tag_find_class(site, kmt_class_key(KMT_KIND_SLAB,
						      bytes_alloc, 0));
}

/**
 * kmt_charge_insert_simple() - remember an object, if there is nothing to it
 * @ptr: its address
 * @class: its class
 * @waste: bytes of it that were not asked for; at most KMT_WASTE_MASK
 *
 * Return: false, and nothing was done, where kmt_charge_insert() must look
 * closer, which counts it as well.
 */
static __always_inline bool
kmt_charge_insert_simple(unsigned long ptr, const struct kmt_class *class,
			 size_t waste)
{
	return kmt_object_insert_simple(ptr,
					kmt_charge_pack(class->packed | waste));
}

/**
 * kmt_charge_insert() - remember an object, and count it
 * @ptr: its address
 * @class: its class
 * @waste: bytes of it that were not asked for; at most KMT_WASTE_MASK
 */
void kmt_charge_insert(unsigned long ptr, const struct kmt_class *class,
		       size_t waste);

/**
 * kmt_charge_count() - count an object that is remembered
 * @class: its class
 * @waste: as above
 *
 * Return: whether kmt_tag_report() is due.
 */
static __always_inline bool kmt_charge_count(const struct kmt_class *class,
					     size_t waste)
{
	struct kmt_counter *c = kmt_class_counter(class);

	c->waste += waste;
	return kmt_count_one(&c->allocs);
}

/**
 * kmt_discharge_object() - an object is about to be freed
 * @ptr: its address
 * @site: who frees it, or 0
 */
void kmt_discharge_object(unsigned long ptr, unsigned long site);

/**
 * kmt_discharge_count() - count an object that is remembered no more
 * @value: what was remembered of it
 *
 * Return: whether kmt_tag_report() is due.
 */
static __always_inline bool kmt_discharge_count(u64 value)
{
	struct kmt_counter *c = kmt_packed_counter(value);

	c->waste -= kmt_charge_waste(value);
	return kmt_count_one(&c->frees);
}

/**
 * kmt_charge_pages() - pages were allocated
 * @pfn: of the first one
 * @order: there are 1 << @order
 * @site: who allocated them, past the wrappers
 */
void kmt_charge_pages(unsigned long pfn, unsigned int order,
		      unsigned long site);

/**
 * kmt_charge_large() - pages that were just charged are of a large kmalloc
 * @ptr: their address
 * @site: who called kmalloc; it is charged to them now
 * @bytes_req: what was asked for
 * @bytes_alloc: what was allocated
 *
 * Return: as kmt_charge_object() does.
 */
unsigned long kmt_charge_large(unsigned long ptr, unsigned long site,
			       size_t bytes_req, size_t bytes_alloc);

/**
 * kmt_discharge_pages() - pages are about to be freed
 * @pfn: of the first one
 * @order: there are 1 << @order
 * @site: who frees them, or 0
 */
void kmt_discharge_pages(unsigned long pfn, unsigned int order,
			 unsigned long site);

/**
 * kmt_charge_migrate() - the content of pages is in others now
 * @new: number of the first of these
 * @old: number of the first of those it was in, which are soon freed
 * @count: how many they are
 */
void kmt_charge_migrate(unsigned long new, unsigned long old, long count);

/**
 * kmt_charge_unseen() - the kernel took free pages without an event
 * @pfn: of the first one
 * @count: how many they are
 *
 * They are charged to no tag. Pages that are charged to one stay so.
 */
void kmt_charge_unseen(unsigned long pfn, unsigned long count);

/**
 * kmt_discharge_unplugged() - pages exist no longer
 * @pfn: of the first one
 * @count: how many they are
 */
void kmt_discharge_unplugged(unsigned long pfn, unsigned long count);

#endif /* KMT_CHARGE_H */
