/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of live objects, by address.
 *
 * It holds one word for each object (account.h). The table only requires that the word
 * is not 0. Its size is fixed. An object that does not fit is refused, and the caller
 * counts it.
 *
 * An object hashes by the granule of KMT_BUCKET_GRANULE bytes that contains its start.
 * All objects on a page can therefore be found even if their sizes are not known.
 * Smaller granules would spread the smallest objects better. Larger granules would make
 * this search shorter.
 */
#ifndef KMT_OBJECT_H
#define KMT_OBJECT_H

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define KMT_OBJECT_FULL (~0ULL)

/* the address of an object is a multiple of this */
#define KMT_OBJECT_ALIGN 8u

#define KMT_BUCKET_SIZE	 128
#define KMT_BUCKET_SLOTS 7
/* slots in use in an average bucket, if the table has its planned number of objects */
#define KMT_BUCKET_LOAD 5
/* number of buckets that can hold an object, its home bucket included */
#define KMT_BUCKET_REACH 16
#define KMT_BUCKET_GRANULE_BITS 5
#define KMT_BUCKET_GRANULE	(1u << KMT_BUCKET_GRANULE_BITS)

/**
 * struct kmt_bucket - some objects, in two cache lines
 * @lock: guards the bucket
 * @used: bits 0 to 15: number of slots in use, which are the first ones; bits 16 to 31:
 *	number of strays, which are objects of this home bucket in a later bucket
 * @ptr: addresses
 * @value: words of the objects
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
extern u32 kmt_bucket_homes; /* without the last REACH buckets, which only hold strays */

static __always_inline struct kmt_bucket *kmt_bucket_home(unsigned long ptr)
{
	u32 hash = (u32)(ptr >> KMT_BUCKET_GRANULE_BITS) * GOLDEN_RATIO_32;

	return kmt_buckets + ((u64)hash * kmt_bucket_homes >> 32);
}

/* The caller of a function that begins with __ has locked the bucket. */

/* Return: one more than the index of the slot that holds @ptr; 0 if there is none. */
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

/* @found: as __kmt_bucket_find() returned it */
static __always_inline u64 __kmt_bucket_take(struct kmt_bucket *b,
					     unsigned long found)
{
	u32 used = b->used - 1;
	unsigned long i = found - 1, last = used & KMT_BUCKET_USED;
	u64 value = b->value[i];

	b->ptr[i] = b->ptr[last];
	WRITE_ONCE(b->value[i], b->value[last]);
	WRITE_ONCE(b->value[last], 0);
	/* pairs with in_granule() in object.c, which reads without the lock */
	smp_store_release(&b->used, used);
	return value;
}

/**
 * kmt_object_insert_simple() - kmt_object_insert(), in the common case
 * @ptr: as there
 * @value: as there
 *
 * Context: as kmt_object_insert().
 * Return: whether the object was inserted. Else nothing was done: the home bucket is
 * locked, is full, has the address already, or has strays.
 */
static __always_inline bool kmt_object_insert_simple(unsigned long ptr,
						     u64 value)
{
	struct kmt_bucket *home = kmt_bucket_home(ptr);

	if (unlikely(!arch_spin_trylock(&home->lock)))
		return false;
	/* with a stray, home->used is above KMT_BUCKET_SLOTS */
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
 * kmt_object_remove_simple() - kmt_object_remove(), in the common case
 * @ptr: as there
 *
 * Context: as kmt_object_remove().
 * Return: the word of the object; 0 if nothing was done: the home bucket is locked, or
 * does not have the address.
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
 * kmt_object_insert() - store an allocated object
 * @ptr: its address; not 0
 * @value: its word; not 0
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h). Takes the
 * locks of buckets.
 * Return: 0; KMT_OBJECT_FULL if there was no space; if the address was in the table,
 * the old word, which @value has replaced.
 */
u64 kmt_object_insert(unsigned long ptr, u64 value);

/**
 * kmt_object_remove() - remove a freed object
 * @ptr: its address
 *
 * Context: as kmt_object_insert().
 * Return: the word of the object; 0 if it is not in the table.
 */
u64 kmt_object_remove(unsigned long ptr);

/**
 * kmt_object_find() - find an object
 * @ptr: its address
 *
 * Context: as kmt_object_insert().
 * Return: the word of the object; 0 if it is not in the table.
 */
u64 kmt_object_find(unsigned long ptr);

/**
 * kmt_object_reap() - remove all objects of a slab that is freed
 * @start: address of its first page
 * @size: bytes of its pages
 * @distance: bytes from one object to the next; 0 if it is not known
 * @reaped: called for each object that was removed
 *
 * Context: as kmt_object_insert(). No CPU allocates or frees objects of the slab any
 * more.
 */
void kmt_object_reap(unsigned long start, unsigned long size,
		     unsigned int distance,
		     void (*reaped)(unsigned long ptr, u64 value));

/**
 * kmt_object_visit() - visit the objects in a range of addresses
 * @start: first address where an object may begin
 * @end: end of the range
 * @distance: bytes from one such address to the next; a multiple of KMT_OBJECT_ALIGN
 * @visit: called for each object, in ascending order
 * @arg: passed to @visit
 *
 * Context: as kmt_object_insert().
 */
void kmt_object_visit(unsigned long start, unsigned long end,
		      unsigned int distance,
		      void (*visit)(unsigned long ptr, u64 value, void *arg),
		      void *arg);

/**
 * kmt_object_walk() - visit all objects, each under the lock of its bucket
 * @visit: called for each object, with interrupts off and the CPU's guard; the object
 *	cannot be removed meanwhile
 * @arg: passed to @visit
 *
 * Context: may sleep.
 */
void kmt_object_walk(void (*visit)(unsigned long ptr, u64 value, void *arg),
		     void *arg);

/**
 * kmt_object_reset() - remove all objects
 *
 * Context: may sleep; no probe is attached.
 * Return: number of objects that were removed.
 */
u64 kmt_object_reset(void);

/**
 * kmt_object_init() - allocate the table
 * @objects: number of objects that it is to have space for
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_object_init(u64 objects);

/**
 * kmt_object_memory() - memory of the table
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_object_memory(void);

/**
 * kmt_object_exit() - free the table
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_object_exit(void);

#endif /* KMT_OBJECT_H */
