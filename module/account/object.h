/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of live objects: what was allocated and not yet freed, by its address.
 *
 * It holds one word for each object (struct kmt_live, packed), and knows
 * nothing of what the word means but that it is not 0. Its size is fixed; what
 * does not fit is refused, and the caller counts it.
 *
 * The bucket of an object is told by the KMT_BUCKET_GRANULE bytes that it
 * begins in, so that all that lies on a page can be found even if it is not
 * known how large its objects are. Smaller granules would spread the smallest
 * objects better, larger ones make that search shorter.
 */
#ifndef KMT_OBJECT_H
#define KMT_OBJECT_H

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define KMT_OBJECT_FULL (~0ULL)

/* objects begin at multiples of this */
#define KMT_OBJECT_ALIGN 8u

#define KMT_BUCKET_SIZE	 128
#define KMT_BUCKET_SLOTS 7
/* how many of these are used in a table as full as it is meant to be */
#define KMT_BUCKET_LOAD 5
/* an object lies at most so many buckets from where it belongs, less one */
#define KMT_BUCKET_REACH 16
#define KMT_BUCKET_GRANULE_BITS 5
#define KMT_BUCKET_GRANULE	(1u << KMT_BUCKET_GRANULE_BITS)

/**
 * struct kmt_bucket - some objects, in two cache lines
 * @lock: guards the bucket
 * @used: how many slots are used: the first ones; in the high half, how many
 *	objects that belong here lie in a later bucket
 * @ptr: addresses
 * @value: what is remembered
 * @spare: fills the cache line
 */
struct kmt_bucket {
	arch_spinlock_t lock;
	u32 used;
	unsigned long ptr[KMT_BUCKET_SLOTS];
	u64 value[KMT_BUCKET_SLOTS];
	u64 spare;
} __aligned(KMT_BUCKET_SIZE);

#define KMT_BUCKET_USED	 0xffffu
#define KMT_BUCKET_STRAY 0x10000u

extern struct kmt_bucket *kmt_buckets;
extern u32 kmt_bucket_homes; /* without the last ones, that are for strays */

static __always_inline struct kmt_bucket *kmt_bucket_home(unsigned long ptr)
{
	u32 hash = (u32)(ptr >> KMT_BUCKET_GRANULE_BITS) * GOLDEN_RATIO_32;

	return kmt_buckets + ((u64)hash * kmt_bucket_homes >> 32);
}

/* The functions that begin with __ are for a bucket that is locked. */

/* Return: one more than the slot that holds @ptr; 0 if there is none. */
static __always_inline unsigned int
__kmt_bucket_find(const struct kmt_bucket *b, unsigned long ptr)
{
	unsigned long i = b->used & KMT_BUCKET_USED;

	for (; i; i--)
		if (b->ptr[i - 1] == ptr)
			break;
	return i;
}

static __always_inline void __kmt_bucket_put(struct kmt_bucket *b,
					     unsigned long ptr, u64 value)
{
	unsigned long i = b->used & KMT_BUCKET_USED;

	b->ptr[i] = ptr;
	WRITE_ONCE(b->value[i], value);
	b->used++;
}

/* @found: as returned by __kmt_bucket_find() */
static __always_inline u64 __kmt_bucket_take(struct kmt_bucket *b,
					     unsigned long found)
{
	u32 used = b->used - 1;
	unsigned long i = found - 1, last = used & KMT_BUCKET_USED;
	u64 value = b->value[i];

	b->ptr[i] = b->ptr[last];
	WRITE_ONCE(b->value[i], b->value[last]);
	WRITE_ONCE(b->value[last], 0);
	/* pairs with kmt_object_reap(), which takes no lock to look */
	smp_store_release(&b->used, used);
	return value;
}

/**
 * kmt_object_insert_simple() - kmt_object_insert(), if there is nothing to it
 * @ptr: see there
 * @value: see there
 *
 * Context: as there.
 * Return: false, and nothing was done, where its bucket is locked, full, has it
 * already, or has objects that strayed.
 */
static __always_inline bool kmt_object_insert_simple(unsigned long ptr,
						     u64 value)
{
	struct kmt_bucket *home = kmt_bucket_home(ptr);

	if (unlikely(!arch_spin_trylock(&home->lock)))
		return false;
	/* if any had strayed, the number were higher */
	if (unlikely(home->used >= KMT_BUCKET_SLOTS ||
		     __kmt_bucket_find(home, ptr))) {
		arch_spin_unlock(&home->lock);
		return false;
	}
	__kmt_bucket_put(home, ptr, value);
	arch_spin_unlock(&home->lock);
	return true;
}

/**
 * kmt_object_remove_simple() - kmt_object_remove(), if there is nothing to it
 * @ptr: see there
 *
 * Context: as there.
 * Return: what was remembered; 0, and nothing was done, where its bucket is
 * locked or does not have it.
 */
static __always_inline u64 kmt_object_remove_simple(unsigned long ptr)
{
	struct kmt_bucket *home = kmt_bucket_home(ptr);
	unsigned long found;
	u64 value = 0;

	if (unlikely(!arch_spin_trylock(&home->lock)))
		return 0;
	found = __kmt_bucket_find(home, ptr);
	if (likely(found))
		value = __kmt_bucket_take(home, found);
	arch_spin_unlock(&home->lock);
	return value;
}

/**
 * kmt_object_insert() - an object was allocated
 * @ptr: its address; not 0
 * @value: what to remember; not 0
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: 0; KMT_OBJECT_FULL where there was no room; if the address was thought
 * live already, the value that is now replaced.
 */
u64 kmt_object_insert(unsigned long ptr, u64 value);

/**
 * kmt_object_remove() - an object is freed
 * @ptr: its address
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: what was remembered; 0 if it is not in the table.
 */
u64 kmt_object_remove(unsigned long ptr);

/**
 * kmt_object_find() - what is remembered of an object
 * @ptr: its address
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the value; 0 if it is not in the table.
 */
u64 kmt_object_find(unsigned long ptr);

/**
 * kmt_object_reap() - remove all objects of a slab
 * @start: address of its first page
 * @size: bytes of its pages
 * @distance: of one object to the next; 0 if it is not known
 * @reaped: called for each object that is removed
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * No CPU allocates or frees there any more.
 */
void kmt_object_reap(unsigned long start, unsigned long size,
		     unsigned int distance,
		     void (*reaped)(unsigned long ptr, u64 value));

/**
 * kmt_object_visit() - look at the objects in a range of addresses
 * @start: where an object may be
 * @end: address after the last one
 * @distance: from where an object may be to the next; a multiple of
 *	KMT_OBJECT_ALIGN
 * @visit: called with each, in ascending order
 * @arg: passed to @visit
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 */
void kmt_object_visit(unsigned long start, unsigned long end,
		      unsigned int distance,
		      void (*visit)(unsigned long ptr, u64 value, void *arg),
		      void *arg);

/**
 * kmt_object_walk() - look at every object
 * @visit: called with each; objects that come or go meanwhile may be missed
 * @arg: passed to @visit
 *
 * Context: may sleep.
 */
void kmt_object_walk(void (*visit)(u64 value, void *arg), void *arg);

/**
 * kmt_object_walk_locked() - look at every object while it cannot be freed
 * @visit: called with each, with interrupts off
 * @arg: passed to @visit
 *
 * Context: may sleep.
 */
void kmt_object_walk_locked(void (*visit)(unsigned long ptr, u64 value,
					  void *arg),
			    void *arg);

/**
 * kmt_object_reset() - forget everything
 *
 * Context: may sleep; no probe is attached.
 * Return: how many objects were forgotten.
 */
u64 kmt_object_reset(void);

/**
 * kmt_object_init() - allocate the table
 * @objects: for how many objects it shall have room
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_object_init(u64 objects);

/**
 * kmt_object_memory() - bytes of memory that the table takes
 *
 * Context: any.
 */
u64 kmt_object_memory(void);

/**
 * kmt_object_exit() - free the table
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_object_exit(void);

#endif /* KMT_OBJECT_H */
