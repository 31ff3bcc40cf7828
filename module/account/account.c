// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: this file has no lock. The word of an object belongs to the owner of the
 * object (slots.h), the entry of a frame to the owner of the frame, counters to their CPU.
 * The table of objects without slots has its own locks; a probe can take them, because it
 * has the CPU's guard.
 *
 * Work on many frames is done FRAMES_AT_ONCE frames at a time. In between, interrupts may
 * come in. Nobody else uses the frames meanwhile: their allocation has not returned to its
 * caller, or their free has not put them on the free lists, or both folios of a migration are
 * locked. Readers of files may see some of the frames in the new state.
 */
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "account/account.h"
#include "account/bucket.h"
#include "account/debuglog.h"
#include "account/frame.h"
#include "account/kept.h"
#include "account/object.h"
#include "account/scope.h"
#include "account/slots.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/compat.h"
#include "base/guard.h"

/* frames, and objects that are searched in the table, between two pauses for interrupts */
#define ORDER_AT_ONCE	5
#define FRAMES_AT_ONCE	(1u << ORDER_AT_ONCE)
#define OBJECTS_AT_ONCE 16u

/* --- gaps and errors ------------------------------------------------------ */

/**
 * struct errors - counts of memory that accounting has no data about
 * @untracked_objects: allocations that the tables had no space for
 * @untracked_bytes: bytes of @untracked_objects
 * @objects_refused: those of @untracked_objects that found the table of objects full
 * @implicit_frees: allocations at an address that counted as live: a free was missed
 * @implicit_bytes: bytes that counted as live too long because of @implicit_frees
 * @reaped_objects: objects that counted as live on a slab page that was freed
 * @reaped_bytes: bytes of @reaped_objects
 * @unmatched_frees: frees of objects that were untracked, or allocated before the start
 * @unmatched_pages: the same for pages
 * @corrected_objects: objects that the survey has taken for live, and that were free
 * @corrected_bytes: bytes of @corrected_objects
 * @nested: allocations and frees inside a probe, which are not accounted
 *
 * One for each CPU. Its CPU writes it with interrupts off.
 */
struct errors {
	u64 untracked_objects;
	u64 untracked_bytes;
	u64 objects_refused;
	u64 implicit_frees;
	u64 implicit_bytes;
	u64 reaped_objects;
	u64 reaped_bytes;
	u64 unmatched_frees;
	u64 unmatched_pages;
	u64 corrected_objects;
	u64 corrected_bytes;
	u64 nested;
};

static struct errors __percpu *errors;

static void count_untracked(u64 bytes, unsigned long site)
{
	__this_cpu_inc(errors->untracked_objects);
	__this_cpu_add(errors->untracked_bytes, bytes);
	kmt_debuglog(KMT_DEBUGLOG_NO_ROOM, site);
}

/* A table with more room (max_objects=) would have had a place for the object. */
static void count_refused(const struct kmt_class *class)
{
	__this_cpu_inc(errors->objects_refused);
	count_untracked(kmt_class_bytes(class), READ_ONCE(class->site));
}

static void count_implicit(u64 bytes, unsigned long site)
{
	__this_cpu_inc(errors->implicit_frees);
	__this_cpu_add(errors->implicit_bytes, bytes);
	kmt_debuglog(KMT_DEBUGLOG_IMPLICIT, site);
}

static void count_reaped(u64 bytes, unsigned long site)
{
	__this_cpu_inc(errors->reaped_objects);
	__this_cpu_add(errors->reaped_bytes, bytes);
	kmt_debuglog(KMT_DEBUGLOG_REAPED, site);
}

/* The CPU that allocated or freed the object last had kept it for its next allocations. */
static void count_corrected(u64 bytes)
{
	__this_cpu_inc(errors->corrected_objects);
	__this_cpu_add(errors->corrected_bytes, bytes);
}

/* Until the survey ends, the free may be that of memory that it did not come to. */
static void count_unmatched(unsigned long site)
{
	if (unlikely(READ_ONCE(kmt_frame_surveyed)))
		return;
	__this_cpu_inc(errors->unmatched_frees);
	kmt_debuglog(KMT_DEBUGLOG_UNMATCHED, site);
}

static void count_unmatched_pages(unsigned int count, unsigned long site)
{
	if (unlikely(READ_ONCE(kmt_frame_surveyed)))
		return;
	__this_cpu_add(errors->unmatched_pages, count);
	kmt_debuglog(KMT_DEBUGLOG_UNMATCHED_PAGE, site);
}

void kmt_account_nested(void)
{
	__this_cpu_inc(errors->nested);
}

static void sum_errors(struct errors *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct errors *e = per_cpu_ptr(errors, cpu);

		sum->untracked_objects += READ_ONCE(e->untracked_objects);
		sum->untracked_bytes += READ_ONCE(e->untracked_bytes);
		sum->objects_refused += READ_ONCE(e->objects_refused);
		sum->implicit_frees += READ_ONCE(e->implicit_frees);
		sum->implicit_bytes += READ_ONCE(e->implicit_bytes);
		sum->reaped_objects += READ_ONCE(e->reaped_objects);
		sum->reaped_bytes += READ_ONCE(e->reaped_bytes);
		sum->unmatched_frees += READ_ONCE(e->unmatched_frees);
		sum->unmatched_pages += READ_ONCE(e->unmatched_pages);
		sum->corrected_objects += READ_ONCE(e->corrected_objects);
		sum->corrected_bytes += READ_ONCE(e->corrected_bytes);
		sum->nested += READ_ONCE(e->nested);
	}
}

void kmt_account_show_errors(struct seq_file *m)
{
	struct errors e;

	sum_errors(&e);
	seq_printf(m, "untracked_objects %llu\n", e.untracked_objects);
	seq_printf(m, "untracked_bytes %llu\n", e.untracked_bytes);
	seq_printf(m, "objects_refused %llu\n", e.objects_refused);
	seq_printf(m, "implicit_frees %llu\n", e.implicit_frees);
	seq_printf(m, "implicit_bytes %llu\n", e.implicit_bytes);
	seq_printf(m, "reaped_objects %llu\n", e.reaped_objects);
	seq_printf(m, "reaped_bytes %llu\n", e.reaped_bytes);
	seq_printf(m, "unmatched_frees %llu\n", e.unmatched_frees);
	seq_printf(m, "unmatched_pages %llu\n", e.unmatched_pages);
	seq_printf(m, "unseen_nested %llu\n", e.nested);
	seq_printf(m, "survey_corrected_objects %llu\n",
		   e.corrected_objects);
	seq_printf(m, "survey_corrected_bytes %llu\n", e.corrected_bytes);
}

void kmt_account_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(errors, cpu), 0, sizeof(struct errors));
}

int __init kmt_account_init(void)
{
	errors = alloc_percpu(struct errors);
	return errors ? 0 : -ENOMEM;
}

void kmt_account_exit(void)
{
	free_percpu(errors);
}

/* --- the class of an allocation ------------------------------------------- */

/*
 * Return: the caller of the wrapper; @site if the stack cannot be walked. The walk
 * begins at the caller of this function.
 */
static noinline unsigned long site_outside(unsigned long site,
					   unsigned long flags)
{
	unsigned long outside;

	kmt_guard_pause(flags);
	outside = kmt_callsite_of_stack(_RET_IP_,
					(unsigned long)__builtin_dwarf_cfa())
			  .site;
	kmt_guard_resume(flags);
	return outside ? outside : site;
}

static void (*on_armed)(const struct kmt_class *class, unsigned long ptr,
			unsigned long site);

void kmt_account_on_armed(void (*tell)(const struct kmt_class *class, unsigned long ptr,
				       unsigned long site))
{
	WRITE_ONCE(on_armed, tell);
}

/*
 * Find or create the class. Three sites may be charged: the innermost hook of
 * kmemtrace_tag.h in effect, unless the allocator allocates for its own needs; else the
 * caller of a wrapper; else @site.
 *
 * @ptr: address of the allocation
 * @outside: set to the caller of the wrapper, if @site is one; NULL: walk no stack
 * @flags: from local_irq_save()
 */
static noinline const struct kmt_class *
classify_anew(unsigned long site, u64 key, unsigned long ptr, unsigned long *outside,
	      unsigned long flags)
{
	const struct kmt_class *class;
	unsigned long scope;

	if (unlikely(!site))
		site = (unsigned long)kmt_unknown_call_site + 1;
	class = kmt_tag_class(site, key, flags);
	if (outside && class && (READ_ONCE(class->flags) & KMT_SITE_WRAPPER)) {
		*outside = site_outside(site, flags);
		class = kmt_tag_class(*outside, key, flags);
	}
	if (!class)
		return NULL;
	scope = READ_ONCE(class->flags) & KMT_SITE_INNER ? 0 : kmt_scope_site();
	if (scope)
		class = kmt_tag_class(scope, key, flags);
	/* the flag is set after kmt_account_on_armed() */
	if (class && (smp_load_acquire(&class->flags) & KMT_SITE_ARMED))
		on_armed(class, ptr, outside ? *outside : site);
	return class;
}

/* Return: NULL if the table of classes is full. */
static __always_inline const struct kmt_class *
classify(unsigned long site, u64 key, unsigned long ptr, unsigned long *outside,
	 unsigned long flags)
{
	const struct kmt_class *class = kmt_tag_find_class(site, key);

	if (likely(class && !kmt_scope_any()))
		return class;
	return classify_anew(site, key, ptr, outside, flags);
}

/* --- objects -------------------------------------------------------------- */

static __always_inline void count_alloc(const struct kmt_class *class, u32 waste)
{
	if (kmt_count_alloc(kmt_class_counter(class), waste))
		kmt_tag_report(kmt_class_number(class), 0);
}

static __always_inline void count_free(u64 value)
{
	if (kmt_count_free(kmt_packed_counter(value), kmt_account_waste(value)))
		kmt_tag_report(kmt_account_class(value), 0);
}

static bool is_earlier(u32 id)
{
	return READ_ONCE(kmt_classes[id].flags) & KMT_SITE_EARLIER;
}

/*
 * The free of an object was missed, unless the survey has taken it for live. While the survey
 * runs, that is no error of it, if it can see the objects that CPUs keep: it looks for them last.
 */
static __always_inline void missed(u64 value,
				   void (*count)(u64 bytes, unsigned long site))
{
	u32 id = kmt_account_class(value);
	u32 bytes = kmt_class_bytes(&kmt_classes[id]);

	count_free(value);
	if (!is_earlier(id))
		count(bytes, READ_ONCE(kmt_classes[id].site));
	else if (!READ_ONCE(kmt_frame_surveyed) || !kmt_kept_known())
		count_corrected(bytes);
}

static void implicit(u64 old)
{
	missed(old, count_implicit);
}

static void reaped(u64 value)
{
	missed(value, count_reaped);
}

/* The table of classes is full. If the address is in the table, its free was missed. */
static void no_class(unsigned long ptr, unsigned long site, size_t bytes)
{
	u64 old = kmt_object_remove(ptr);

	if (old > KMT_SLOTS_UNSEEN)
		implicit(old);
	count_untracked(bytes, site);
}

static void insert(unsigned long ptr, const struct kmt_class *class, size_t waste)
{
	u32 distance = kmt_class_kind(class) == KMT_KIND_SLAB ?
			       kmt_class_bytes(class) : 0;
	u64 old = kmt_object_insert(ptr,
				    kmt_account_pack(class->packed | waste),
				    distance);

	if (old == KMT_OBJECT_FULL) {
		count_refused(class);
		return;
	}
	if (old > KMT_SLOTS_UNSEEN)
		implicit(old);
	count_alloc(class, waste);
}

/* The class keeps the part of the waste that does not fit in the word of an object. */
unsigned long kmt_account_alloc(unsigned long ptr, unsigned long site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk,
				unsigned long flags)
{
	size_t waste = bytes_alloc - bytes_req;
	unsigned long outside = site;
	const struct kmt_class *class =
		classify(site, kmt_class_key(kind, bytes_alloc, waste), ptr,
			 walk ? &outside : NULL, flags);

	if (class)
		insert(ptr, class, waste & KMT_WASTE_MASK);
	else
		no_class(ptr, site, bytes_alloc);
	return outside;
}

/* Whether a large kmalloc() may have the pages; the survey does not always see that. */
static bool is_large(u32 id)
{
	return kmt_class_kind(&kmt_classes[id]) == KMT_KIND_LARGE ||
	       (READ_ONCE(kmt_classes[id].flags) &
		(KMT_SITE_EARLIER | KMT_SITE_SLAB)) == KMT_SITE_EARLIER;
}

/* A large kmalloc() is accounted by its pages. Its kfree() is therefore not unmatched. */
static void unmatched(unsigned long ptr, unsigned long site)
{
	u32 id;

	if (virt_addr_valid((void *)ptr)) {
		id = kmt_frame_class(kmt_frame_get(PHYS_PFN(__pa(ptr))));
		if (id && is_large(id))
			return;
	}
	count_unmatched(site);
}

u64 kmt_account_free_begin(unsigned long ptr)
{
	return kmt_object_remove(ptr);
}

static void put_back(unsigned long ptr, u64 value)
{
	const struct kmt_class *class = &kmt_classes[kmt_account_class(value)];

	if (kmt_object_insert(ptr, value, kmt_class_bytes(class)) != KMT_OBJECT_FULL)
		return;
	count_free(value);
	count_refused(class);
}

void kmt_account_free_end(unsigned long ptr, unsigned long site, u64 value,
			  bool freed)
{
	if (freed && value > KMT_SLOTS_UNSEEN)
		count_free(value);
	else if (freed && !value)
		unmatched(ptr, site);
	else if (value > KMT_SLOTS_UNSEEN)
		put_back(ptr, value);
}

void kmt_account_free(unsigned long ptr, unsigned long site)
{
	kmt_account_free_end(ptr, site, kmt_account_free_begin(ptr), true);
}

/* --- pages ---------------------------------------------------------------- */

/* in an entry: objects begin in the frame */
#define OBJECTS (KMT_FRAME_SLOTS | KMT_FRAME_HASHED)

/*
 * Count the free of an allocation when its first page is freed. Its other pages may
 * still be in use.
 */
static __always_inline bool free_head(unsigned long pfn, u32 id)
{
	struct kmt_counter *c = kmt_number_counter(id);

	if (unlikely(kmt_class_kind(&kmt_classes[id]) == KMT_KIND_LARGE) &&
	    kmt_frame_keeps_birth())
		kmt_count_no_waste(c, kmt_frame_upper(kmt_frame_get(pfn + 1)));
	return kmt_count_one(&c->frees);
}

/*
 * @id: class of the frames; 0 if it is not known
 * @due: a report is due in any case
 */
static __always_inline void free_frames(u32 id, unsigned int frames, bool due,
					unsigned long site)
{
	if (unlikely(!id))
		count_unmatched_pages(frames, site);
	else if (unlikely(due) ||
		 unlikely(!kmt_count_many(&kmt_number_counter(id)->frames, frames)))
		kmt_tag_report(id, frames);
}

static void free_frame(unsigned long pfn, struct kmt_frame frame)
{
	u32 id = kmt_frame_class(frame);

	free_frames(id, 1, id && kmt_frame_is_head(frame) && free_head(pfn, id),
		    0);
}

/*
 * Remove the objects that still count as live on a page that was freed.
 *
 * @frame: entry of the page, which was changed
 * Return: true if reap_hashed() must be called.
 */
static noinline bool reap_slots(struct kmt_frame frame, unsigned long flags)
{
	if (frame.word & KMT_FRAME_SLOTS)
		kmt_slots_remove(frame, reaped, flags);
	return kmt_frame_is_hashed(frame);
}

static noinline void reap_hashed(unsigned long pfn, unsigned int order,
				 unsigned long flags)
{
	unsigned long bytes = PAGE_SIZE << order, at, some;
	unsigned long start = (unsigned long)pfn_to_kaddr(pfn);
	u32 distance = kmt_cache_distance(pfn_to_page(pfn), bytes);

	some = OBJECTS_AT_ONCE * (distance ?: KMT_BUCKET_GRANULE);
	for (at = 0; at < bytes; at += some) {
		if (at)
			kmt_guard_breathe(flags);
		kmt_bucket_reap(&kmt_objects, start + at, min(some, bytes - at), distance,
				reaped);
	}
}

/* Return: the entries of an allocation, if only its owner changes them; else NULL. */
static __always_inline struct kmt_frame *own_frames(unsigned long pfn)
{
	return kmt_frame_survey_runs() ? NULL : kmt_frame_at(pfn);
}

/*
 * Exchange an entry.
 *
 * @at: own_frames() of frame @pfn - @i
 * @i: number of the frame in its allocation
 * @room: set to false if the frame has no entry
 * @flags: from local_irq_save(); interrupts may come in
 */
static __always_inline struct kmt_frame
exchange(struct kmt_frame *at, unsigned long pfn, unsigned int i,
	 struct kmt_frame frame, bool *room, unsigned long flags)
{
	struct kmt_frame old;

	if (likely(at)) {
		old.word = READ_ONCE(at[i].word);
		WRITE_ONCE(at[i].word, frame.word);
	} else if (!kmt_frame_exchange(pfn, frame, &old, flags)) {
		*room = false;
	}
	return old;
}

/* In a loop over frames, before number @i. */
static __always_inline void breathe_at(unsigned long i, unsigned long flags)
{
	if (i && i % FRAMES_AT_ONCE == 0)
		kmt_guard_breathe(flags);
}

/* The free of a page was missed. */
static noinline void implicit_frame(unsigned long pfn, struct kmt_frame frame,
				    unsigned long flags)
{
	u32 id = kmt_frame_class(frame);

	if (frame.word & OBJECTS && reap_slots(frame, flags))
		reap_hashed(pfn, 0, flags);
	if (!id)
		return;
	free_frame(pfn, frame);
	if (id != KMT_CLASS_UNSEEN && !is_earlier(id))
		count_implicit(PAGE_SIZE, READ_ONCE(kmt_classes[id].site));
}

/*
 * Charge @n frames of an allocation, which are in one chunk.
 *
 * @at: own_frames() of frame @pfn
 * @head: KMT_FRAME_HEAD if the allocation begins with frame @pfn, else 0
 * @room: see exchange()
 */
static __always_inline void
alloc_frames(struct kmt_frame *at, unsigned long pfn, unsigned int n, u64 head,
	     struct kmt_frame frame, bool *room, unsigned long flags)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct kmt_frame new = frame, old;

		if (!i && frame.word)
			new.word |= head;
		old = exchange(at, pfn + i, i, new, room, flags);
		if (unlikely(old.word))
			implicit_frame(pfn + i, old, flags);
	}
}

/* The allocation is counted already. So its class lives until all frames are freed. */
static noinline void alloc_more_frames(unsigned long pfn, unsigned int order,
				       struct kmt_frame frame,
				       unsigned long flags)
{
	unsigned int i;
	bool room;

	for (i = FRAMES_AT_ONCE; i < 1u << order; i += FRAMES_AT_ONCE) {
		kmt_guard_breathe(flags);
		/* each chunk has its own entries */
		alloc_frames(own_frames(pfn + i), pfn + i, FRAMES_AT_ONCE, 0,
			     frame, &room, flags);
	}
}

void kmt_account_alloc_pages(unsigned long pfn, unsigned int order,
			     unsigned long site, unsigned long flags)
{
	const struct kmt_class *class = classify(
		site, kmt_class_key(KMT_KIND_PAGE, PAGE_SIZE << order, 0),
		(unsigned long)pfn_to_kaddr(pfn), NULL, flags);
	u32 id = class ? kmt_class_number(class) : 0;
	struct kmt_frame frame = kmt_frame_make(id, kmt_tick_now());
	unsigned int n = 1u << order;
	bool room = class;

	if (unlikely(!id))
		frame.word = 0;
	alloc_frames(own_frames(pfn), pfn, min(n, FRAMES_AT_ONCE),
		     KMT_FRAME_HEAD, frame, &room, flags);
	if (likely(room))
		count_alloc(class, 0);
	else
		count_untracked(PAGE_SIZE << order, site);
	if (unlikely(n > FRAMES_AT_ONCE))
		alloc_more_frames(pfn, order, frame, flags);
}

/*
 * Discharge @n frames that are freed.
 * Return: whether reap_hashed() must be called.
 */
static __always_inline bool discharge_frames(unsigned long pfn, unsigned int n,
					     unsigned long site,
					     unsigned long flags)
{
	const struct kmt_frame none = { 0 };
	struct kmt_frame *at = own_frames(pfn);
	unsigned int i = 0, start;
	bool hashed = false, room;
	struct kmt_frame frame = exchange(at, pfn, 0, none, &room, flags);

	while (i < n) {
		u32 id = kmt_frame_class(frame);
		bool due = id && kmt_frame_is_head(frame) &&
			   free_head(pfn + i, id);

		if (unlikely(frame.word & OBJECTS))
			hashed |= reap_slots(frame, flags);
		/* the other pages of the allocation have no KMT_FRAME_HEAD */
		for (start = i++; i < n; i++) {
			frame = exchange(at, pfn + i, i, none, &room, flags);
			if (unlikely((frame.word & (KMT_FRAME_CLASS |
						    KMT_FRAME_HEAD)) != id))
				break;
			if (unlikely(frame.word & OBJECTS))
				hashed |= reap_slots(frame, flags);
		}
		free_frames(id, i - start, due, site);
	}
	return hashed;
}

static noinline void free_pages_slowly(unsigned long pfn, unsigned int order,
				       unsigned long site, unsigned long flags)
{
	if (unlikely(discharge_frames(pfn, 1u << order, site, flags)))
		reap_hashed(pfn, order, flags);
}

static noinline void free_many_pages(unsigned long pfn, unsigned int order,
				     unsigned long site, unsigned long flags)
{
	bool hashed = false;
	unsigned int i;

	for (i = 0; i < 1u << order; i += FRAMES_AT_ONCE) {
		breathe_at(i, flags);
		hashed |= discharge_frames(pfn + i, FRAMES_AT_ONCE, site,
					   flags);
	}
	if (hashed)
		reap_hashed(pfn, order, flags);
}

void kmt_account_free_pages(unsigned long pfn, unsigned int order,
			    unsigned long site, unsigned long flags)
{
	const struct kmt_frame *at = order ? NULL : kmt_frame_at(pfn);

	/* allocated before accounting was switched on */
	if (at && !READ_ONCE(at->word))
		count_unmatched_pages(1, site);
	else if (likely(order <= ORDER_AT_ONCE))
		free_pages_slowly(pfn, order, site, flags);
	else
		free_many_pages(pfn, order, site, flags);
}

/*
 * kmt_account_alloc_pages() charged the pages to the caller of the page allocator. Only
 * the event of kmalloc() has the requested size and the caller of kmalloc().
 */
unsigned long kmt_account_large(unsigned long ptr, unsigned long site,
				size_t requested, size_t allocated,
				unsigned long flags)
{
	unsigned long pfn = PHYS_PFN(__pa(ptr));
	struct kmt_frame head = kmt_frame_get(pfn);
	const struct kmt_class *old =
		&kmt_classes[kmt_frame_class(head)];
	unsigned int i, n = allocated >> PAGE_SHIFT;
	u32 waste = kmt_frame_keeps_birth() ? allocated - requested : 0, id;
	unsigned long outside = site;
	const struct kmt_class *class;

	if (unlikely(!kmt_frame_class(head)))
		return site; /* counted as untracked already */
	class = classify(site, kmt_class_key(KMT_KIND_LARGE, allocated, 0), ptr,
			 &outside, flags);
	if (unlikely(!class))
		return outside; /* the pages stay charged as pages */
	id = kmt_class_number(class);

	/* not counted as a free: the pages were charged there for a moment only */
	kmt_tag_uncharge(old);
	if (kmt_class_kind(old) == KMT_KIND_LARGE && kmt_frame_keeps_birth())
		kmt_count_no_waste(kmt_class_counter(old),
				   kmt_frame_upper(kmt_frame_get(pfn + 1)));
	count_alloc(class, waste);
	for (i = 0; i < n; i++) {
		breathe_at(i, flags);
		kmt_frame_set(pfn + i,
			      kmt_frame_make(id | KMT_FRAME_LARGE |
						     (i ? 0 : KMT_FRAME_HEAD),
					     i == 1 ? waste :
						      kmt_frame_upper(head)));
	}
	return outside;
}

/* Return: number of frames until the next pause, whose entries follow each other. */
static unsigned int piece(unsigned long pfn, unsigned long count)
{
	return kmt_frame_run(pfn, min_t(unsigned long, count, FRAMES_AT_ONCE));
}

/*
 * Either the source frames or the target frames have no entries. The entries of the others
 * stay, and are discharged when these frames are freed. The content is untracked from now on
 * if its new frame is online memory (and not memory of a device).
 */
static noinline void migrate_untracked(unsigned long new, unsigned long old,
				       unsigned int count)
{
	for (; count--; new++, old++) {
		u32 id = kmt_frame_class(kmt_frame_get(old));

		if (id > KMT_CLASS_UNSEEN && pfn_to_online_page(new))
			count_untracked(PAGE_SIZE, READ_ONCE(kmt_classes[id].site));
	}
}

/*
 * The caller has the guard, so the content is charged to one of the frames at any time.
 */
void kmt_account_migrate(unsigned long new, unsigned long old,
			 unsigned long count, unsigned long flags)
{
	unsigned long i;
	unsigned int n;

	for (i = 0; i < count; i += n) {
		if (i)
			kmt_guard_breathe(flags);
		n = piece(new + i, piece(old + i, count - i));
		if (unlikely(!kmt_frame_move(new + i, old + i, n, flags)))
			migrate_untracked(new + i, old + i, n);
	}
}

void kmt_account_unseen(unsigned long pfn, unsigned long count,
			unsigned long flags)
{
	unsigned long i;
	unsigned int n;

	for (i = 0; i < count; i += n) {
		if (i)
			kmt_guard_breathe(flags);
		n = piece(pfn + i, count - i);
		kmt_frame_mark_some_unseen(pfn + i, n);
	}
}

/* Accounting may be switched on at the same time, which clears the entries as well. */
void kmt_account_unplugged(unsigned long pfn, unsigned long count,
			   unsigned long flags)
{
	struct kmt_frame old;
	unsigned long i;

	for (i = 0; i < count; i++) {
		breathe_at(i, flags);
		kmt_frame_exchange(pfn + i, (struct kmt_frame){ 0 }, &old, flags);
		if (old.word & OBJECTS && reap_slots(old, flags))
			reap_hashed(pfn + i, 0, flags);
		if (kmt_frame_class(old))
			free_frame(pfn + i, old);
	}
}
