// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object has a home bucket. If that is full, the object strays into one of the next
 * REACH - 1 buckets. The home bucket counts its strays. A search that finds nothing in
 * a home bucket without strays ends there.
 *
 * Notes on locking: each bucket has a lock, which is held with interrupts off. The
 * holder of one takes others only further up in the table. The guard (guard.h) turns
 * away probes in an NMI. The locks are of type arch_spinlock_t: lock debugging would
 * make a raw_spinlock_t larger than 4 bytes.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "account/bucket.h"
#include "base/guard.h"

#define SLOTS KMT_BUCKET_SLOTS
#define REACH KMT_BUCKET_REACH

static_assert(sizeof(struct kmt_bucket) == KMT_BUCKET_SIZE);

struct kmt_bucket_table kmt_objects __ro_after_init;

static u64 total_of(const struct kmt_bucket_table *t)
{
	return (u64)t->homes + REACH;
}

/* Return: the locked bucket that holds a stray; NULL if there is none. */
static struct kmt_bucket *__find_strayed(struct kmt_bucket *home,
					 unsigned long ptr, unsigned int *found)
{
	struct kmt_bucket *b;

	for (b = home + 1; b < home + REACH; b++) {
		arch_spin_lock(&b->lock);
		*found = __kmt_bucket_find(b, ptr);
		if (*found)
			return b;
		arch_spin_unlock(&b->lock);
	}
	return NULL;
}

static bool __put_if_room(struct kmt_bucket *b, unsigned long ptr, u64 value)
{
	bool room = (b->used & KMT_BUCKET_USED) < SLOTS;

	if (room)
		__kmt_bucket_put(b, ptr, value);
	return room;
}

static u64 __put_far(struct kmt_bucket *home, unsigned long ptr, u64 value)
{
	struct kmt_bucket *b;
	bool room;

	for (b = home + 1; b < home + REACH; b++) {
		arch_spin_lock(&b->lock);
		room = __put_if_room(b, ptr, value);
		arch_spin_unlock(&b->lock);
		if (room) {
			home->used += KMT_BUCKET_STRAY;
			return 0;
		}
	}
	return KMT_BUCKET_FULL;
}

/*
 * Find an object; if @value is not 0, it replaces the word of the object.
 * Return: the old word; 0 if the object is not in the table.
 */
static u64 __find(struct kmt_bucket *home, unsigned long ptr, u64 value)
{
	struct kmt_bucket *b = home;
	unsigned int found = __kmt_bucket_find(home, ptr);
	u64 old;

	if (!found) {
		if (home->used < KMT_BUCKET_STRAY)
			return 0;
		b = __find_strayed(home, ptr, &found);
		if (!b)
			return 0;
	}
	old = b->value[found - 1];
	if (value)
		WRITE_ONCE(b->value[found - 1], value);
	if (b != home)
		arch_spin_unlock(&b->lock);
	return old;
}

u64 kmt_bucket_insert(const struct kmt_bucket_table *t, unsigned long ptr,
		      u64 value)
{
	struct kmt_bucket *home = kmt_bucket_home(t, ptr);
	u64 old;

	arch_spin_lock(&home->lock);
	old = __find(home, ptr, value);
	if (!old && !__put_if_room(home, ptr, value))
		old = __put_far(home, ptr, value);
	arch_spin_unlock(&home->lock);
	return old;
}

static u64 __remove_strayed(struct kmt_bucket *home, unsigned long ptr)
{
	unsigned int found;
	struct kmt_bucket *b = __find_strayed(home, ptr, &found);
	u64 value;

	if (!b)
		return 0;
	value = __kmt_bucket_take(b, found);
	arch_spin_unlock(&b->lock);
	home->used -= KMT_BUCKET_STRAY;
	return value;
}

u64 kmt_bucket_remove(const struct kmt_bucket_table *t, unsigned long ptr)
{
	struct kmt_bucket *home = kmt_bucket_home(t, ptr);
	unsigned long found;
	u64 value = 0;

	arch_spin_lock(&home->lock);
	found = __kmt_bucket_find(home, ptr);
	if (found)
		value = __kmt_bucket_take(home, found);
	else if (home->used >= KMT_BUCKET_STRAY)
		value = __remove_strayed(home, ptr);
	arch_spin_unlock(&home->lock);
	return value;
}

u64 kmt_bucket_find(const struct kmt_bucket_table *t, unsigned long ptr)
{
	struct kmt_bucket *home = kmt_bucket_home(t, ptr);
	u64 value;

	arch_spin_lock(&home->lock);
	value = __find(home, ptr, 0);
	arch_spin_unlock(&home->lock);
	return value;
}

void kmt_bucket_visit(const struct kmt_bucket_table *t, unsigned long start,
		      unsigned long end, unsigned int distance,
		      void (*visit)(unsigned long ptr, u64 value, void *arg),
		      void *arg)
{
	unsigned long ptr;
	u64 value;

	for (ptr = start; ptr < end; ptr += distance) {
		/* the home bucket also counts its strays */
		if (!READ_ONCE(kmt_bucket_home(t, ptr)->used))
			continue;
		value = kmt_bucket_find(t, ptr);
		if (value)
			visit(ptr, value, arg);
	}
}

/* --- all of a slab -------------------------------------------------------- */

/*
 * Searches without the lock. The object stays in the table, but another CPU may remove
 * another object of the bucket. That CPU copies the last object down to the free slot,
 * and then lowers @used. A search from the last slot to the first therefore finds it.
 */
static bool in_granule(const struct kmt_bucket *b, unsigned long granule,
		       unsigned long *ptr)
{
	unsigned int i = smp_load_acquire(&b->used) & KMT_BUCKET_USED;

	for (; i; i--) {
		*ptr = smp_load_acquire(&b->ptr[i - 1]);
		if (*ptr - granule < KMT_BUCKET_GRANULE)
			return true;
	}
	return false;
}

static void reap_granule(const struct kmt_bucket_table *t,
			 unsigned long granule, void (*reaped)(u64 value))
{
	struct kmt_bucket *home = kmt_bucket_home(t, granule), *b;
	unsigned long ptr;
	int tries;
	u64 value;

	for (b = home; b < home + REACH; b++) {
		tries = 2 * SLOTS;
		while (unlikely(in_granule(b, granule, &ptr)) && tries--) {
			value = kmt_bucket_remove(t, ptr);
			if (value) /* else the slot had a stale address */
				reaped(value);
		}
		if (READ_ONCE(home->used) < KMT_BUCKET_STRAY)
			break;
	}
}

void kmt_bucket_reap(const struct kmt_bucket_table *t, unsigned long start,
		     unsigned long size, unsigned int distance,
		     void (*reaped)(u64 value))
{
	unsigned long ptr, end = start + size;
	u64 value;

	if (!distance) {
		for (ptr = start; ptr < end; ptr += KMT_BUCKET_GRANULE)
			reap_granule(t, ptr, reaped);
		return;
	}
	for (ptr = start; ptr + distance <= end; ptr += distance) {
		if (likely(!READ_ONCE(kmt_bucket_home(t, ptr)->used)))
			continue;
		value = kmt_bucket_remove(t, ptr);
		if (unlikely(value))
			reaped(value);
	}
}

/* --- the whole table ------------------------------------------------------ */

static void walk_bucket(struct kmt_bucket *b,
			void (*visit)(unsigned long ptr, u64 value, void *arg),
			void *arg)
{
	unsigned long flags = kmt_guard_spin_lock(&b->lock);
	unsigned int i;

	for (i = 0; i < (b->used & KMT_BUCKET_USED); i++)
		visit(b->ptr[i], b->value[i], arg);
	kmt_guard_spin_unlock(&b->lock, flags);
}

int kmt_bucket_walk(const struct kmt_bucket_table *t,
		    void (*visit)(unsigned long ptr, u64 value, void *arg),
		    void *arg)
{
	u64 n;

	for (n = 0; n < total_of(t); n++) {
		if (READ_ONCE(t->buckets[n].used))
			walk_bucket(&t->buckets[n], visit, arg);
		if (n % 1024)
			continue;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/*
 * Readers of files may read the bucket at the same time.
 * Return: number of objects that it had.
 */
static unsigned int empty_bucket(struct kmt_bucket *b)
{
	unsigned long flags = kmt_guard_spin_lock(&b->lock);
	unsigned int i, used = b->used & KMT_BUCKET_USED;

	for (i = 0; i < used; i++)
		WRITE_ONCE(b->value[i], 0);
	WRITE_ONCE(b->used, 0);
	kmt_guard_spin_unlock(&b->lock, flags);
	return used;
}

u64 kmt_bucket_reset(const struct kmt_bucket_table *t)
{
	u64 n, forgotten = 0;

	for (n = 0; n < total_of(t); n++) {
		if (READ_ONCE(t->buckets[n].used))
			forgotten += empty_bucket(&t->buckets[n]);
		if (n % 1024 == 0)
			cond_resched();
	}
	return forgotten;
}

int kmt_bucket_init(struct kmt_bucket_table *t, u64 objects)
{
	u64 wanted = objects / KMT_BUCKET_LOAD + 1;

	if (wanted > U32_MAX)
		return -ENOMEM;
	t->homes = wanted;
	/* vzalloc() would go on until the kernel kills a process to free memory */
	if (si_mem_available() > (long)PFN_UP(total_of(t) * sizeof(*t->buckets)))
		t->buckets = vzalloc(total_of(t) * sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
	/* its addresses of all live objects would hide leaks from kmemleak */
	kmemleak_no_scan(t->buckets);
	return 0;
}

u64 kmt_bucket_memory(const struct kmt_bucket_table *t)
{
	return t->buckets ? total_of(t) * sizeof(*t->buckets) : 0;
}

void kmt_bucket_exit(const struct kmt_bucket_table *t)
{
	vfree(t->buckets);
}
