/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of objects by address. kmt_objects has the live objects that have no slot
 * (slots.h): per-CPU memory, objects whose page got no slots, and all objects if the
 * entries of frames are compressed. A histogram (hist.h) may have a table as well.
 *
 * A table holds one word for each object; those of kmt_objects are in account.h. It only
 * requires that the word is not 0. Its size is fixed. An object that does not fit is refused, and the caller
 * counts it.
 *
 * An object hashes by the granule of KMT_BUCKET_GRANULE bytes that contains its start.
 * All objects on a page can therefore be found even if their sizes are not known.
 * Smaller granules would spread the smallest objects better. Larger granules would make
 * this search shorter.
 */
#ifndef KMT_BUCKET_H
#define KMT_BUCKET_H

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define KMT_BUCKET_FULL (~0ULL)

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

/**
 * struct kmt_bucket_table - a table
 * @buckets: the buckets; NULL if it was not created
 * @homes: number of home buckets; the last REACH buckets only hold strays
 */
struct kmt_bucket_table {
	struct kmt_bucket *buckets;
	u32 homes;
};

extern struct kmt_bucket_table kmt_objects;

static __always_inline struct kmt_bucket *
kmt_bucket_home(const struct kmt_bucket_table *t, unsigned long ptr)
{
	u64 hash = (ptr >> KMT_BUCKET_GRANULE_BITS) * GOLDEN_RATIO_64 >> 32;

	return t->buckets + (hash * t->homes >> 32);
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
 * kmt_bucket_insert() - store an allocated object
 * @t: the table
 * @ptr: its address; not 0
 * @value: its word; not 0
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h). Takes the
 * locks of buckets.
 * Return: 0; KMT_BUCKET_FULL if there was no space; if the address was in the table,
 * the old word, which @value has replaced.
 */
u64 kmt_bucket_insert(const struct kmt_bucket_table *t, unsigned long ptr,
		      u64 value);

/**
 * kmt_bucket_remove() - remove a freed object
 * @t: the table
 * @ptr: its address
 *
 * Context: as kmt_bucket_insert().
 * Return: the word of the object; 0 if it is not in the table.
 */
u64 kmt_bucket_remove(const struct kmt_bucket_table *t, unsigned long ptr);

/**
 * kmt_bucket_find() - find an object
 * @t: the table
 * @ptr: its address
 *
 * Context: as kmt_bucket_insert().
 * Return: the word of the object; 0 if it is not in the table.
 */
u64 kmt_bucket_find(const struct kmt_bucket_table *t, unsigned long ptr);

/**
 * kmt_bucket_reap() - remove all objects of a slab that is freed
 * @t: the table
 * @start: address of its first page
 * @size: bytes of its pages
 * @distance: bytes from one object to the next; 0 if it is not known
 * @reaped: called with the word of each object that was removed
 *
 * Context: as kmt_bucket_insert(). No CPU allocates or frees objects of the slab any
 * more.
 */
void kmt_bucket_reap(const struct kmt_bucket_table *t, unsigned long start,
		     unsigned long size, unsigned int distance,
		     void (*reaped)(u64 value));

/**
 * kmt_bucket_visit() - visit the objects in a range of addresses
 * @t: the table
 * @start: first address where an object may begin
 * @end: end of the range
 * @distance: bytes from one such address to the next; a multiple of KMT_SLOT_ALIGN
 * @visit: called for each object, in ascending order
 * @arg: passed to @visit
 *
 * Context: as kmt_bucket_insert().
 */
void kmt_bucket_visit(const struct kmt_bucket_table *t, unsigned long start,
		      unsigned long end, unsigned int distance,
		      void (*visit)(unsigned long ptr, u64 value, void *arg),
		      void *arg);

/**
 * kmt_bucket_walk() - visit all objects, each under the lock of its bucket
 * @t: the table
 * @visit: called for each object, with interrupts off and the CPU's guard; the object
 *	cannot be removed meanwhile
 * @arg: passed to @visit
 *
 * Context: may sleep.
 * Return: 0; -EINTR if the task was killed.
 */
int kmt_bucket_walk(const struct kmt_bucket_table *t,
		    void (*visit)(unsigned long ptr, u64 value, void *arg),
		    void *arg);

/**
 * kmt_bucket_reset() - remove all objects
 * @t: the table
 *
 * Context: may sleep; no probe uses the table meanwhile.
 * Return: number of objects that were removed.
 */
u64 kmt_bucket_reset(const struct kmt_bucket_table *t);

/**
 * kmt_bucket_init() - allocate a table
 * @t: the table
 * @objects: number of objects that it is to have space for
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_bucket_init(struct kmt_bucket_table *t, u64 objects);

/**
 * kmt_bucket_memory() - memory of a table
 * @t: the table
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_bucket_memory(const struct kmt_bucket_table *t);

/**
 * kmt_bucket_exit() - free a table
 * @t: the table
 *
 * Context: may sleep; no probe uses the table any more.
 */
void kmt_bucket_exit(const struct kmt_bucket_table *t);

#endif /* KMT_BUCKET_H */
