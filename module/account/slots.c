// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: an entry gets slots with cmpxchg(), because several CPUs may own objects
 * of the page. Only the free of the page takes them away.
 *
 * Readers that own no object of a page read its slots under rcu_read_lock(), so that their
 * memory stays memory of slots. It may become the slots of another page. When a page loses
 * its slots, its entry changes, then @generation, then the rest. So a reader reads the entry,
 * then @generation, then the entry again. If the entry is the same, the slots were those of
 * the page at that moment. If @generation is the same after the reader has read the rest,
 * they have been so until then.
 */
#include <linux/bitfield.h>
#include <linux/kfence.h>
#include <linux/mm.h>

#include "account/slots.h"
#include "account/stock.h"
#include "account/tag.h"
#include "account/tick.h"
#include "base/cache.h"
#include "base/guard.h"

/* pairs of slots that are reaped between two pauses for interrupts */
#define PAIRS_AT_ONCE 8
/* a page with at least so many slots gets a pause of its own */
#define MANY_SLOTS    128

static_assert(sizeof(struct kmt_slots) == KMT_STOCK_HEAD);
static_assert(KMT_FRAME_SLOTS_ALIGN == KMT_STOCK_ALIGN);
static_assert(PAGE_SIZE == KMT_SLOT_PAGE);
static_assert(KMT_SLOTS_CACHE >= KMT_CACHES_MAX);

/* The bits of an entry that say where the slots are. */
static u64 place(const struct kmt_slots *slots)
{
	return ((unsigned long)slots->word - PAGE_OFFSET)
		       << KMT_FRAME_SLOTS_SHIFT |
	       KMT_FRAME_SLOTS;
}

/* An entry has room for the place in the first 64 TiB of memory. */
static bool place_fits(const struct kmt_slots *slots)
{
	return !(((unsigned long)slots->word - PAGE_OFFSET) >>
		 (64 - KMT_FRAME_SLOTS_SHIFT));
}

/*
 * Fill the head. @ptr is live, so its cache is alive. A page after the first one of a slab
 * may begin with the rest of an object.
 */
static void fill(struct kmt_slots *slots, unsigned long ptr, u32 distance,
		 u32 born)
{
	u32 offset = ptr & ~PAGE_MASK;

	slots->born = born;
	slots->scale = kmt_slot_scale(distance);
	if (!slots->scale)
		distance = KMT_SLOT_PAGE;
	slots->kind = FIELD_PREP(KMT_SLOTS_CACHE, kmt_cache_index_of(ptr)) |
		      FIELD_PREP(KMT_SLOTS_DISTANCE, distance / KMT_SLOT_ALIGN) |
		      FIELD_PREP(KMT_SLOTS_FIRST,
				 offset % distance / KMT_SLOT_ALIGN);
}

u64 *kmt_slots_find(unsigned long ptr)
{
	struct kmt_frame *at = kmt_frame_at(kmt_frame_of_object(ptr)), frame;

	/* pairs with kmt_slots_create() */
	frame.word = at ? smp_load_acquire(&at->word) : 0;
	return frame.word & KMT_FRAME_SLOTS ? kmt_slots_slot(frame, ptr) : NULL;
}

static struct kmt_slots *make_slots(unsigned long ptr, u32 distance, u32 born)
{
	u32 count = kmt_slot_count(kmt_slot_scale(distance));
	struct kmt_slots *slots =
		kmt_stock_get(kmt_stock_size(count),
			      page_to_nid(virt_to_page((void *)ptr)));

	if (slots && place_fits(slots)) {
		fill(slots, ptr, distance, born);
		return slots;
	}
	if (slots)
		kmt_stock_put(slots);
	return NULL;
}

/* Write the same word for all objects. The slots belong to no page. */
static void set_all(struct kmt_slots *slots, u64 word)
{
	memset64(slots->word, word, kmt_slot_count(slots->scale));
}

static bool has_one_distance(unsigned long ptr, u32 distance)
{
	return kmt_cache_layout.known && distance >= KMT_SLOT_ALIGN &&
	       distance % KMT_SLOT_ALIGN == 0 &&
	       !is_kfence_address((void *)ptr);
}

u64 *kmt_slots_create(unsigned long ptr, u32 distance)
{
	struct kmt_frame *at = kmt_frame_at(kmt_frame_of_object(ptr));
	struct kmt_slots *slots = NULL;
	u64 word;

	if (!at || !has_one_distance(ptr, distance))
		return NULL;
	word = smp_load_acquire(&at->word);
	while (!(word & (KMT_FRAME_SLOTS | KMT_FRAME_HASHED))) {
		/*
		 * The survey has not come to this page yet. Without a class, it was
		 * allocated while the probes were attached.
		 */
		u32 class = word & KMT_FRAME_CLASS;
		bool unseen = class == KMT_CLASS_UNSEEN ||
			      (!class && READ_ONCE(kmt_frame_surveyed));

		if (!slots)
			slots = make_slots(ptr, distance,
					   unseen ? kmt_tick_now() : word >> 32);
		if (!slots)
			return NULL;
		if (unlikely(unseen))
			set_all(slots, KMT_SLOTS_UNSEEN);
		/* pairs with kmt_slots_find() */
		if (try_cmpxchg(&at->word, &word,
				(word & (KMT_FRAME_CLASS | KMT_FRAME_HEAD)) |
					place(slots)))
			return kmt_slots_find(ptr);
	}
	if (slots) { /* another CPU was faster */
		set_all(slots, 0);
		kmt_stock_put(slots);
	}
	return kmt_slots_find(ptr);
}

static noinline void take_pair(u64 *words, void (*reaped)(u64 word))
{
	int i;

	for (i = 0; i < 2; i++) {
		u64 word = words[i];

		WRITE_ONCE(words[i], 0);
		if (word > KMT_SLOTS_UNSEEN)
			reaped(word);
	}
}

void kmt_slots_remove(struct kmt_frame frame, void (*reaped)(u64 word),
		      unsigned long flags)
{
	struct kmt_slots *slots = kmt_slots_of(frame);
	u32 i, count = kmt_slot_count(slots->scale), pairs = 0;

	if (count >= MANY_SLOTS)
		kmt_guard_breathe(flags);
	/* blocks of the stock have an even number of words; those behind @count are 0 */
	for (i = 0; i < count; i += 2)
		if (unlikely(slots->word[i] | slots->word[i + 1])) {
			take_pair(&slots->word[i], reaped);
			if (++pairs % PAIRS_AT_ONCE == 0)
				kmt_guard_breathe(flags);
		}
	/* after the change of the entry; pairs with begin_read() */
	smp_store_release(&slots->generation, slots->generation + 1);
	/* before the rest changes; pairs with still_same() */
	smp_wmb();
	kmt_stock_put(slots);
}

u32 kmt_slots_settle(unsigned long pfn, struct kmt_frame frame, u32 *offset,
		     u32 count, u64 live,
		     bool (*is_free)(unsigned long ptr, const void *arg),
		     const void *arg)
{
	unsigned long start = (unsigned long)__va(PFN_PHYS(pfn));
	const struct kmt_slots *slots = kmt_slots_of(frame);
	u32 settled = 0;
	u32 distance = FIELD_GET(KMT_SLOTS_DISTANCE, slots->kind) *
		       KMT_SLOT_ALIGN;

	if (!*offset)
		*offset = FIELD_GET(KMT_SLOTS_FIRST, slots->kind) * KMT_SLOT_ALIGN;
	for (; count-- && *offset < PAGE_SIZE; *offset += distance) {
		unsigned long ptr = start + *offset;
		u64 old = KMT_SLOTS_UNSEEN, new = is_free(ptr, arg) ? 0 : live;

		if (try_cmpxchg(kmt_slots_slot(frame, ptr), &old, new) && new)
			settled++;
	}
	return settled;
}

static bool begins_object(const struct kmt_slots *slots, unsigned long ptr)
{
	unsigned long first = FIELD_GET(KMT_SLOTS_FIRST, slots->kind) * KMT_SLOT_ALIGN;
	u32 distance = FIELD_GET(KMT_SLOTS_DISTANCE, slots->kind) * KMT_SLOT_ALIGN;
	unsigned long at = ptr & ~PAGE_MASK;

	return at >= first && (at - first) % distance == 0;
}

bool kmt_slots_correct(unsigned long ptr, u32 class)
{
	struct kmt_frame frame = kmt_frame_get(kmt_frame_of_object(ptr));
	u64 *slot, old;

	if (!(frame.word & KMT_FRAME_SLOTS) ||
	    !begins_object(kmt_slots_of(frame), ptr))
		return false;
	slot = kmt_slots_slot(frame, ptr);
	old = READ_ONCE(*slot);
	return (u32)old >> KMT_WASTE_BITS == class && try_cmpxchg(slot, &old, 0);
}

/* --- reading what others own ---------------------------------------------- */

/* Return: whether the slots belong to the page; then @generation is set. */
static bool begin_read(unsigned long pfn, struct kmt_frame frame,
		       u32 *generation)
{
	*generation = smp_load_acquire(&kmt_slots_of(frame)->generation);
	return kmt_frame_get(pfn).word == frame.word;
}

/* Return: whether the slots have belonged to the page since begin_read(). */
static bool still_same(const struct kmt_slots *slots, u32 generation)
{
	smp_rmb();
	return READ_ONCE(slots->generation) == generation;
}

u32 kmt_slots_born(unsigned long pfn, struct kmt_frame frame)
{
	const struct kmt_slots *slots;
	u32 generation, born;

	if (!(frame.word & KMT_FRAME_SLOTS))
		return kmt_frame_upper(frame);
	slots = kmt_slots_of(frame);
	if (!begin_read(pfn, frame, &generation))
		return kmt_tick_now();
	born = READ_ONCE(slots->born);
	return still_same(slots, generation) ? born : kmt_tick_now();
}

void kmt_slots_visit(unsigned long pfn, struct kmt_frame frame,
		     void (*visit)(unsigned long ptr, u64 word, u16 cache,
				   void *arg),
		     void *arg)
{
	unsigned long start = (unsigned long)__va(PFN_PHYS(pfn));
	const struct kmt_slots *slots = kmt_slots_of(frame);
	u32 generation, i, count, kind, distance;

	if (!begin_read(pfn, frame, &generation))
		return;
	count = kmt_slot_count(READ_ONCE(slots->scale));
	kind = READ_ONCE(slots->kind);
	if (!still_same(slots, generation))
		return;
	start += FIELD_GET(KMT_SLOTS_FIRST, kind) * KMT_SLOT_ALIGN;
	distance = FIELD_GET(KMT_SLOTS_DISTANCE, kind) * KMT_SLOT_ALIGN;
	for (i = 0; i < count; i++) {
		u64 word = READ_ONCE(slots->word[i]);

		if (word <= KMT_SLOTS_UNSEEN)
			continue;
		if (!still_same(slots, generation))
			return;
		visit(start + i * distance, word,
		      FIELD_GET(KMT_SLOTS_CACHE, kind), arg);
	}
}
