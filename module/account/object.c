// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object that has a slot is not in the table. The entry of its frame says which of the
 * two it is: all objects that begin in a page are stored in the same way.
 */
#include <linux/kfence.h>
#include <linux/mm.h>

#include "account/bucket.h"
#include "account/object.h"
#include "account/stock.h"
#include "base/cache.h"
#include "base/guard.h"

static_assert(KMT_OBJECT_FULL == KMT_BUCKET_FULL);

/*
 * The caller owns the object. The survey alone may change its word at the same time: it charges
 * the object, or finds that it was free.
 */
static u64 exchange(u64 *slot, u64 value)
{
	u64 old;

	if (kmt_frame_survey_runs())
		return xchg(slot, value);
	old = READ_ONCE(*slot);
	WRITE_ONCE(*slot, value);
	return old;
}

/*
 * Store the object of a slab in the table. Later, its cache may have been destroyed, so it gets
 * an index now. A page of a slab has objects of one cache; a page of KFENCE does not. A module
 * may fire the tracepoints with an address that is none.
 *
 * Return: NULL; the slot of the object if another CPU has made slots.
 */
static u64 *hash(unsigned long ptr)
{
	unsigned long pfn = kmt_frame_of_object(ptr);

	if ((!kmt_frame_is_hashed(kmt_frame_get(pfn)) ||
	     is_kfence_address((void *)ptr)) &&
	    virt_addr_valid((void *)ptr))
		kmt_cache_index_of(ptr);
	return kmt_frame_hash(pfn) ? NULL : kmt_slots_find(ptr);
}

u64 kmt_object_insert(unsigned long ptr, u64 value, u32 distance)
{
	u64 *slot = NULL;

	if (distance)
		slot = kmt_slots_create(ptr, distance) ?: hash(ptr);
	if (!slot)
		return kmt_bucket_insert(&kmt_objects, ptr, value);
	return exchange(slot, value);
}

/*
 * Return: whether the object may be in the table. Its page has an entry that says so, or
 * no entry; a per-CPU pointer has no page.
 */
static bool may_be_hashed(unsigned long ptr)
{
	struct kmt_frame *at = kmt_frame_at(kmt_frame_of_object(ptr));

	return !at || kmt_frame_is_hashed(
			      (struct kmt_frame){ READ_ONCE(at->word) });
}

u64 kmt_object_remove(unsigned long ptr)
{
	u64 *slot = kmt_slots_find(ptr);

	if (!slot)
		return may_be_hashed(ptr) ? kmt_bucket_remove(&kmt_objects, ptr) : 0;
	return exchange(slot, 0);
}

u64 kmt_object_find(unsigned long ptr)
{
	const u64 *slot = kmt_slots_find(ptr);
	u64 value;

	if (!slot)
		return may_be_hashed(ptr) ? kmt_bucket_find(&kmt_objects, ptr) : 0;
	value = READ_ONCE(*slot);
	return value == KMT_SLOTS_UNSEEN ? 0 : value;
}

/* --- all objects ---------------------------------------------------------- */

/**
 * struct visitor - the arguments of kmt_object_walk()
 * @visit: as there
 * @visit_frame: as there
 * @arg: as there
 */
struct visitor {
	void (*visit)(unsigned long ptr, u64 value, u16 cache, void *arg);
	void (*visit_frame)(unsigned long pfn, struct kmt_frame frame,
			    struct kmt_frame before, void *arg);
	void *arg;
};

static void visit_one(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg)
{
	const struct visitor *v = arg;

	if (frame.word & KMT_FRAME_SLOTS)
		kmt_slots_visit(pfn, frame, v->visit, v->arg);
	if (v->visit_frame)
		v->visit_frame(pfn, frame, before, v->arg);
}

static void visit_hashed(unsigned long ptr, u64 value, void *arg)
{
	const struct visitor *v = arg;

	v->visit(ptr, value, KMT_OBJECT_NO_CACHE, v->arg);
}

int kmt_object_walk(void (*visit)(unsigned long ptr, u64 value, u16 cache,
				  void *arg),
		    void (*visit_frame)(unsigned long pfn,
					struct kmt_frame frame,
					struct kmt_frame before, void *arg),
		    void *arg)
{
	struct visitor visitor = { visit, visit_frame, arg };

	return kmt_frame_walk(visit_one, &visitor, true) ?:
	       kmt_bucket_walk(&kmt_objects, visit_hashed, &visitor);
}

static u64 forgotten; /* during kmt_object_reset() */

static void forget(u64 value)
{
	forgotten++;
}

static void reset_frame(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg)
{
	unsigned long flags;

	if (!(frame.word & KMT_FRAME_SLOTS))
		return;
	flags = kmt_guard_lock();
	/* the memory may be unplugged at the same time */
	kmt_frame_exchange(pfn, (struct kmt_frame){ 0 }, &frame, flags);
	if (frame.word & KMT_FRAME_SLOTS)
		kmt_slots_remove(frame, forget, flags);
	kmt_guard_unlock(flags);
}

u64 kmt_object_reset(void)
{
	forgotten = 0;
	kmt_frame_walk(reset_frame, NULL, false);
	return forgotten + kmt_bucket_reset(&kmt_objects);
}

int __init kmt_object_init(u64 objects)
{
	return kmt_stock_init() ?: kmt_bucket_init(&kmt_objects, objects);
}

u64 kmt_object_memory(void)
{
	return kmt_stock_memory() + kmt_bucket_memory(&kmt_objects);
}

void kmt_object_exit(void)
{
	kmt_bucket_exit(&kmt_objects);
	kmt_stock_exit();
}
