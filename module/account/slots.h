/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of live slab objects, by the page in which they begin.
 *
 * A page in which objects begin has slots: one word for each object that can begin there.
 * The entry of its frame (frame.h) says where they are. The number of an object in its page
 * is its offset divided by the distance of the objects.
 *
 * Only the owner of an object reads or writes its slot. The allocator orders the free of an
 * object and its next allocation. So there is no lock, and CPUs share no line but that of
 * the objects themselves.
 *
 * The slots are allocated when the first object of a page is allocated (stock.h), and given
 * back when the page is freed. Objects of a page that got no slots are in the table of
 * bucket.h; so are all objects that begin in pages that do not have one distance: those of
 * KFENCE.
 */
#ifndef KMT_SLOTS_H
#define KMT_SLOTS_H

#include <linux/mm.h>
#include <linux/types.h>

#include "account/frame.h"
#include "account/word.h"
#include "kmt_slot.h"

/**
 * struct kmt_slots - the slots of a page
 * @born: kmt_tick_now() at the allocation of the page
 * @scale: kmt_slot_scale() of the distance of the objects
 * @generation: the next number each time a page loses the slots
 * @kind: KMT_SLOTS_*: what else is known of the objects
 * @word: by number of the object: its word (account.h); 0 if it is not live
 *
 * While the memory is free in the stock, the first 8 bytes belong to the stock.
 */
struct kmt_slots {
	u32 born;
	u32 scale;
	u32 generation;
	u32 kind;
	u64 word[];
};

/*
 * in kmt_slots.kind: the index of their cache (base/cache.h), or 0; the distance of two,
 * and the offset of the first one that begins in the page, both in units of KMT_SLOT_ALIGN
 */
#define KMT_SLOTS_CACHE	   GENMASK(11, 0)
#define KMT_SLOTS_DISTANCE GENMASK(21, 12)
#define KMT_SLOTS_FIRST	   GENMASK(30, 22)

/*
 * The word of an object of a page that the survey (survey.h) has not come to, and that no
 * event was seen of since accounting was switched on: it is free, or was allocated before.
 * The survey replaces such words with cmpxchg(), the owner of the object with xchg(). No word
 * of a live object is as small.
 */
#define KMT_SLOTS_UNSEEN ((u64)KMT_CLASS_UNSEEN << KMT_WASTE_BITS)

/* Return: kmt_slots.word. @frame: has KMT_FRAME_SLOTS */
static __always_inline u64 *kmt_slots_words(struct kmt_frame frame)
{
	return (void *)(PAGE_OFFSET +
			(frame.word >> KMT_FRAME_SLOTS_SHIFT &
			 ~(KMT_FRAME_SLOTS_ALIGN - 1ul)));
}

static __always_inline struct kmt_slots *kmt_slots_of(struct kmt_frame frame)
{
	return container_of(kmt_slots_words(frame), struct kmt_slots, word[0]);
}

/* Return: the slot of the object at @ptr. @frame: has KMT_FRAME_SLOTS */
static __always_inline u64 *kmt_slots_slot(struct kmt_frame frame,
					   unsigned long ptr)
{
	return kmt_slots_words(frame) +
	       kmt_slot_index(ptr & ~PAGE_MASK, kmt_slots_of(frame)->scale);
}

/**
 * kmt_slots_find_simple() - find the slot of an object, in the common case
 * @ptr: its address in the direct map
 * @slot: set to the slot
 *
 * Context: any; the object is not freed meanwhile.
 * Return: false if it has none, or kmt_slots_find() must be called.
 */
static __always_inline bool kmt_slots_find_simple(unsigned long ptr, u64 **slot)
{
	struct kmt_frame frame = kmt_frame_simple(ptr);

	if (unlikely(!(frame.word & KMT_FRAME_SLOTS)))
		return false;
	*slot = kmt_slots_slot(frame, ptr);
	return true;
}

/**
 * kmt_slots_find() - find the slot of an object
 * @ptr: its address
 *
 * Context: any; the object is not freed meanwhile.
 * Return: the slot; NULL if it has none.
 */
u64 *kmt_slots_find(unsigned long ptr);

/**
 * kmt_slots_create() - find the slot of an object that was allocated
 * @ptr: its address
 * @distance: bytes from one object to the next in its slab; a multiple of KMT_SLOT_ALIGN
 *
 * Gives slots to the page if it has none.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the slot; NULL if the page gets no slots. The caller must then call
 * kmt_frame_hash(), so that it gets none before it is freed.
 */
u64 *kmt_slots_create(unsigned long ptr, u32 distance);

/**
 * kmt_slots_remove() - take the slots from a page that is freed
 * @frame: entry of the frame, with KMT_FRAME_SLOTS; the caller has changed it
 * @reaped: called for the word of each object that was live
 * @flags: from local_irq_save(); interrupts may come in while many objects are reaped
 *
 * Context: as kmt_slots_create(). No CPU allocates or frees objects of the page.
 */
void kmt_slots_remove(struct kmt_frame frame, void (*reaped)(u64 word),
		      unsigned long flags);

/**
 * kmt_slots_settle() - replace KMT_SLOTS_UNSEEN in the slots of a page
 * @pfn: number of its frame
 * @frame: its entry, with KMT_FRAME_SLOTS and KMT_CLASS_UNSEEN
 * @offset: where to begin in the page, 0 at first; set to where to go on, or to PAGE_SIZE or
 *	more at the end of the page
 * @count: number of objects to look at
 * @live: the word of each object that is live
 * @is_free: returns whether an object was free since the page has slots; it may have been
 *	allocated since
 * @arg: passed to @is_free
 *
 * Context: the survey, which holds survey_lock (frame.h).
 * Return: number of objects that got the word @live.
 */
u32 kmt_slots_settle(unsigned long pfn, struct kmt_frame frame, u32 *offset,
		     u32 count, u64 live,
		     bool (*is_free)(unsigned long ptr, const void *arg),
		     const void *arg);

/**
 * kmt_slots_correct() - stop counting an object as live
 * @ptr: its address; any other number is ignored
 * @class: number of the class that the survey has charged
 *
 * Context: as kmt_slots_settle(). So while this function runs, no page loses its slots.
 * Return: false if no object of this class is live there.
 */
bool kmt_slots_correct(unsigned long ptr, u32 class);

/**
 * kmt_slots_born() - time of allocation of a page
 * @pfn: number of its frame
 * @frame: entry of the frame, as it was read before
 *
 * Context: any, under rcu_read_lock() or with interrupts off.
 * Return: kmt_tick_now() at its allocation; at present, if the page was freed
 * meanwhile.
 */
u32 kmt_slots_born(unsigned long pfn, struct kmt_frame frame);

/**
 * kmt_slots_visit() - visit the live objects that begin in a page
 * @pfn: number of its frame
 * @frame: entry of the frame, with KMT_FRAME_SLOTS, as it was read before
 * @visit: called for each object, in ascending order, with its address, its word, and the
 *	index of its cache, or 0
 * @arg: passed to @visit
 *
 * If the page is freed meanwhile, the rest of its objects is not visited.
 *
 * Context: any, under rcu_read_lock() or with interrupts off.
 */
void kmt_slots_visit(unsigned long pfn, struct kmt_frame frame,
		     void (*visit)(unsigned long ptr, u64 word, u16 cache,
				   void *arg),
		     void *arg);

#endif /* KMT_SLOTS_H */
