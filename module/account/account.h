/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting: every allocation is charged to a tag, every free is matched to its
 * allocation by address and taken off that tag.
 *
 * Where accounting does not know something, it does not guess but counts that. The
 * tables as a whole are in tables.h; live.h looks at what is live.
 */
#ifndef KMT_ACCOUNT_H
#define KMT_ACCOUNT_H

#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/types.h>

#include "account/object.h"
#include "account/scope.h"
#include "account/tag.h"

struct seq_file;

/*
 * A live object is remembered as one word: when it was born, in ticks of
 * 1 << KMT_TICK_SHIFT jiffies that wrap after years (32 bits), its class
 * (20 bits), and the low bits of its waste (12).
 */
#define KMT_TICK_SHIFT 4

static __always_inline u32 kmt_account_now(void)
{
	return jiffies >> KMT_TICK_SHIFT;
}

/* Jiffies since then; what was born meanwhile is of age 0. */
static inline unsigned long kmt_account_age(u32 born)
{
	u32 ticks = kmt_account_now() - born;

	return ticks > S32_MAX ? 0 : (unsigned long)ticks << KMT_TICK_SHIFT;
}

/* @packed: of the class, with the low bits of the waste */
static __always_inline u64 kmt_account_pack(u32 packed)
{
	return jiffies >> KMT_TICK_SHIFT << 32 | packed;
}

static __always_inline u32 kmt_account_class(u64 value)
{
	return (u32)value >> KMT_WASTE_BITS;
}

static __always_inline u32 kmt_account_waste(u64 value)
{
	return value & KMT_WASTE_MASK;
}

static __always_inline u32 kmt_account_born(u64 value)
{
	return value >> 32;
}

/*
 * The following is for the probes (probe.c). Context: interrupts off; the caller
 * has the CPU's guard.
 */

/**
 * kmt_account_alloc() - an object was allocated
 * @ptr: its address
 * @site: the caller of the allocator
 * @kind: KMT_KIND_SLAB or KMT_KIND_PERCPU
 * @bytes_req: what was asked for
 * @bytes_alloc: what was allocated
 * @walk: whether to look through wrappers, up the stack from here
 *
 * Return: the call site outside the wrappers; @site if it is no wrapper.
 */
unsigned long kmt_account_alloc(unsigned long ptr, unsigned long site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk);

/*
 * The same in three steps, for a probe that has it inline.
 */

/**
 * kmt_account_class_simple() - the class of an object, if there is nothing to it
 * @site: the caller of the slab allocator
 * @bytes_alloc: what was allocated
 * @waste: bytes of that were not asked for
 *
 * Return: NULL if it is new, or another site may have to be charged:
 * kmt_account_alloc() knows.
 */
static __always_inline const struct kmt_class *
kmt_account_class_simple(unsigned long site, size_t bytes_alloc, size_t waste)
{
	if (unlikely(waste > KMT_WASTE_MASK || kmt_scope_any()))
		return NULL;
	return kmt_tag_find_class(site, kmt_class_key(KMT_KIND_SLAB,
						      bytes_alloc, 0));
}

/**
 * kmt_account_insert_simple() - remember an object, if there is nothing to it
 * @ptr: its address
 * @class: its class
 * @waste: bytes of it that were not asked for; at most KMT_WASTE_MASK
 *
 * Return: false, and nothing was done, where kmt_account_insert() must look
 * closer, which counts it as well.
 */
static __always_inline bool
kmt_account_insert_simple(unsigned long ptr, const struct kmt_class *class,
			  size_t waste)
{
	return kmt_object_insert_simple(ptr,
					kmt_account_pack(class->packed | waste));
}

/**
 * kmt_account_insert() - remember an object, and count it
 * @ptr: its address
 * @class: its class
 * @waste: bytes of it that were not asked for; at most KMT_WASTE_MASK
 */
void kmt_account_insert(unsigned long ptr, const struct kmt_class *class,
			size_t waste);

/**
 * kmt_account_count_alloc() - count an object that is remembered
 * @class: its class
 * @waste: as above
 *
 * Return: whether kmt_tag_report() is due.
 */
static __always_inline bool
kmt_account_count_alloc(const struct kmt_class *class, size_t waste)
{
	struct kmt_counter *c = kmt_class_counter(class);

	c->waste += waste;
	return kmt_count_one(&c->allocs);
}

/**
 * kmt_account_free() - an object is about to be freed
 * @ptr: its address
 * @site: the caller that frees it, or 0
 */
void kmt_account_free(unsigned long ptr, unsigned long site);

/**
 * kmt_account_count_free() - count an object that is remembered no more
 * @value: what was remembered of it
 *
 * Return: whether kmt_tag_report() is due.
 */
static __always_inline bool kmt_account_count_free(u64 value)
{
	struct kmt_counter *c = kmt_packed_counter(value);

	c->waste -= kmt_account_waste(value);
	return kmt_count_one(&c->frees);
}

/**
 * kmt_account_alloc_pages() - pages were allocated
 * @pfn: of the first one
 * @order: there are 1 << @order
 * @site: the caller that allocated them, past the wrappers
 */
void kmt_account_alloc_pages(unsigned long pfn, unsigned int order,
			     unsigned long site);

/**
 * kmt_account_large() - pages that were just charged are of a large kmalloc
 * @ptr: their address
 * @site: the caller of kmalloc; they are charged to it now
 * @bytes_req: what was asked for
 * @bytes_alloc: what was allocated
 *
 * Return: as kmt_account_alloc() does.
 */
unsigned long kmt_account_large(unsigned long ptr, unsigned long site,
				size_t bytes_req, size_t bytes_alloc);

/**
 * kmt_account_free_pages() - pages are about to be freed
 * @pfn: of the first one
 * @order: there are 1 << @order
 * @site: the caller that frees them, or 0
 */
void kmt_account_free_pages(unsigned long pfn, unsigned int order,
			    unsigned long site);

/**
 * kmt_account_migrate() - the content of pages is in others now
 * @new: number of the first of these
 * @old: number of the first of those it was in, which are soon freed
 * @count: how many they are
 */
void kmt_account_migrate(unsigned long new, unsigned long old, long count);

/**
 * kmt_account_unseen() - the kernel took free pages without an event
 * @pfn: of the first one
 * @count: how many they are
 *
 * They are charged to no tag. Pages that are charged to one stay so.
 */
void kmt_account_unseen(unsigned long pfn, unsigned long count);

/**
 * kmt_account_unplugged() - pages exist no longer
 * @pfn: of the first one
 * @count: how many they are
 */
void kmt_account_unplugged(unsigned long pfn, unsigned long count);

/**
 * kmt_account_nested() - something was allocated or freed inside of a probe
 *
 * Context: interrupts off.
 */
void kmt_account_nested(void);

/**
 * kmt_account_show_errors() - print what accounting does not know
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_account_show_errors(struct seq_file *m);

/**
 * kmt_account_reset() - count that from zero
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_account_reset(void);

/**
 * kmt_account_init() - allocate the counters of what is not known
 *
 * Also where nothing is accounted, what is nested is counted.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_account_init(void);

/**
 * kmt_account_exit() - undo kmt_account_init()
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_account_exit(void);

#endif /* KMT_ACCOUNT_H */
