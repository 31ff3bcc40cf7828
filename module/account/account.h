/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting: charges each allocation to a tag. It matches each free to its allocation
 * by address, and takes the allocation off its tag.
 *
 * Accounting counts the memory that it has no data about, and does not guess (struct
 * errors in account.c). tables.h has the life of the tables, live.h looks at live
 * memory.
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
 * The word of a live object has, from the highest bit: its time of allocation, in ticks
 * of 1 << KMT_TICK_SHIFT jiffies (32 bits; they wrap after years); the number of its
 * class (20 bits); the low bits of its waste (12 bits).
 */
#define KMT_TICK_SHIFT 4

static __always_inline u32 kmt_account_now(void)
{
	return jiffies >> KMT_TICK_SHIFT;
}

/* Return: age in jiffies; 0 if @born is later than now. */
static inline unsigned long kmt_account_age(u32 born)
{
	u32 ticks = kmt_account_now() - born;

	return ticks > S32_MAX ? 0 : (unsigned long)ticks << KMT_TICK_SHIFT;
}

/**
 * kmt_account_age_ms() - convert an age to milliseconds
 * @age: from kmt_account_age()
 *
 * jiffies_to_msecs() returns 32 bits, which are full after 49 days.
 *
 * Context: any.
 */
static inline u64 kmt_account_age_ms(unsigned long age)
{
	return (u64)age * MSEC_PER_SEC / HZ;
}

/* @packed: kmt_class.packed, with the low bits of the waste */
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

/**
 * kmt_account_alloc() - account an allocated object
 * @ptr: its address
 * @site: the caller of the allocator; 0 if it is not known
 * @kind: KMT_KIND_SLAB or KMT_KIND_PERCPU
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes allocated
 * @walk: if @site is a wrapper, walk up the current stack to its caller
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the call site outside the wrappers; @site if it is no wrapper, or if the
 * stack cannot be walked.
 */
unsigned long kmt_account_alloc(unsigned long ptr, unsigned long site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk);

/* The same in three steps, for a probe that inlines the common case. */

/**
 * kmt_account_class_simple() - the class of a slab object, in the common case
 * @site: the caller of the slab allocator
 * @bytes_alloc: bytes allocated
 * @waste: bytes of these that were not requested
 *
 * Context: as kmt_account_alloc().
 * Return: NULL if the class is new, @site is a wrapper, the waste is too large, or any
 * hook is in effect. Then kmt_account_alloc() must be called.
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
 * kmt_account_insert_simple() - store an object, in the common case
 * @ptr: its address
 * @class: its class
 * @waste: bytes that were not requested; at most KMT_WASTE_MASK
 *
 * If it is stored, kmt_account_count_alloc() must be called.
 *
 * Context: as kmt_account_alloc().
 * Return: false if nothing was done. Then kmt_account_insert() must be called, which
 * also counts the object.
 */
static __always_inline bool
kmt_account_insert_simple(unsigned long ptr, const struct kmt_class *class,
			  size_t waste)
{
	return kmt_object_insert_simple(ptr,
					kmt_account_pack(class->packed | waste));
}

/**
 * kmt_account_insert() - store an object, and count it
 * @ptr: its address
 * @class: its class
 * @waste: bytes that were not requested; at most KMT_WASTE_MASK
 *
 * Without space in the table, the object is counted as untracked.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_insert(unsigned long ptr, const struct kmt_class *class,
			size_t waste);

/**
 * kmt_account_count_alloc() - count a stored object
 * @class: its class
 * @waste: bytes that were not requested; at most KMT_WASTE_MASK
 *
 * Context: as kmt_account_alloc().
 * Return: whether the caller must call kmt_tag_report().
 */
static __always_inline bool
kmt_account_count_alloc(const struct kmt_class *class, size_t waste)
{
	struct kmt_counter *c = kmt_class_counter(class);

	c->waste += waste;
	return kmt_count_one(&c->allocs);
}

/**
 * kmt_account_free() - account the free of an object
 * @ptr: its address
 * @site: the caller that frees it; 0 if it is not known
 *
 * Must be called before the allocator can allocate the address again.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_free(unsigned long ptr, unsigned long site);

/**
 * kmt_account_count_free() - count an object that was removed from the table
 * @value: its word in the table
 *
 * Context: as kmt_account_alloc().
 * Return: whether the caller must call kmt_tag_report().
 */
static __always_inline bool kmt_account_count_free(u64 value)
{
	struct kmt_counter *c = kmt_packed_counter(value);

	c->waste -= kmt_account_waste(value);
	return kmt_count_one(&c->frees);
}

/**
 * kmt_account_alloc_pages() - account allocated pages
 * @pfn: number of the first frame
 * @order: 1 << @order pages
 * @site: the caller that allocated them, outside the wrappers; 0 if it is not known
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_alloc_pages(unsigned long pfn, unsigned int order,
			     unsigned long site);

/**
 * kmt_account_large() - charge pages to the kmalloc() that they were allocated for
 * @ptr: their address
 * @site: the caller of kmalloc()
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes allocated
 *
 * Must be called after kmt_account_alloc_pages().
 *
 * Context: as kmt_account_alloc().
 * Return: as kmt_account_alloc().
 */
unsigned long kmt_account_large(unsigned long ptr, unsigned long site,
				size_t bytes_req, size_t bytes_alloc);

/**
 * kmt_account_free_pages() - account the free of pages
 * @pfn: number of the first frame
 * @order: 1 << @order pages
 * @site: the caller that frees them; 0 if it is not known
 *
 * Must be called before the allocator can allocate the pages again.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_free_pages(unsigned long pfn, unsigned int order,
			    unsigned long site);

/**
 * kmt_account_migrate() - move the charge of pages that migrate
 * @new: number of the first target frame
 * @old: number of the first source frame; the kernel frees the source frames soon
 * @count: number of frames
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_migrate(unsigned long new, unsigned long old, long count);

/**
 * kmt_account_unseen() - mark free pages that the kernel took without an event
 * @pfn: number of the first frame
 * @count: number of frames
 *
 * Charges them to KMT_CLASS_UNSEEN. Pages that are charged already stay so.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_unseen(unsigned long pfn, unsigned long count);

/**
 * kmt_account_unplugged() - discharge pages whose memory is gone
 * @pfn: number of the first frame
 * @count: number of frames
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_unplugged(unsigned long pfn, unsigned long count);

/**
 * kmt_account_nested() - count an allocation or free inside a probe
 *
 * Context: any, interrupts off.
 */
void kmt_account_nested(void);

/**
 * kmt_account_show_errors() - print the counters of struct errors
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_account_show_errors(struct seq_file *m);

/**
 * kmt_account_reset() - set the counters of struct errors to zero
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_account_reset(void);

/**
 * kmt_account_init() - allocate the counters of struct errors
 *
 * The counters exist even if there are no tables (kmt_tables_ready()).
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
