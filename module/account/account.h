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
#include <linux/types.h>

#include "account/scope.h"
#include "account/slots.h"
#include "account/tag.h"
#include "account/tick.h"

struct seq_file;

/*
 * The word of a live object has, from the highest bit: its time of allocation, kmt_tick_now()
 * (32 bits); the number of its class (20 bits); the low bits of its waste (12 bits).
 */

/* @packed: kmt_class.packed, with the low bits of the waste */
static __always_inline u64 kmt_account_pack(u32 packed)
{
	return (u64)kmt_tick_now() << 32 | packed;
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
 * @flags: from local_irq_save()
 *
 * If @flags allow it, this function and those below let interrupts in between parts of
 * their work (kmt_guard_pause()).
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the call site outside the wrappers; @site if it is no wrapper, or if the
 * stack cannot be walked.
 */
unsigned long kmt_account_alloc(unsigned long ptr, unsigned long site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk,
				unsigned long flags);

/* The common cases, for probes that inline them. */

/* The part of an event that a function of the common cases leaves to its caller. */
enum kmt_account_rest {
	KMT_ACCOUNT_DONE,
	KMT_ACCOUNT_REPORT, /* kmt_tag_report() */
	KMT_ACCOUNT_ALL,    /* nothing was done: kmt_account_alloc() */
};

/**
 * kmt_account_alloc_simple() - account an allocated slab object, in the common case
 * @ptr: its address
 * @site: the caller of the slab allocator
 * @bytes_alloc: bytes allocated
 * @waste: @bytes_alloc less the bytes requested
 * @id: set to the number of its class, for KMT_ACCOUNT_REPORT
 *
 * It is a common case if the class is known, the page of the object has slots, and the slot
 * is empty. A large kmalloc() is not.
 *
 * Context: any, not preemptible; no hook of kmemtrace_tag.h is in effect in this context.
 * Interrupts may come in between.
 * Return: what is left to do.
 */
static __always_inline enum kmt_account_rest
kmt_account_alloc_simple(unsigned long ptr, unsigned long site,
			 size_t bytes_alloc, size_t waste, u32 *id)
{
	const struct kmt_class *class;
	u32 packed;
	u64 *slot;

	if (unlikely(waste > KMT_WASTE_MASK))
		return KMT_ACCOUNT_ALL;
	class = kmt_tag_find_simple(site, KMT_KIND_SLAB, bytes_alloc);
	if (unlikely(!class))
		return KMT_ACCOUNT_ALL;
	/* the survey may settle a word that is not 0 meanwhile */
	if (unlikely(!kmt_slots_find_simple(ptr, &slot) || data_race(*slot)))
		return KMT_ACCOUNT_ALL;
	packed = class->packed;
	WRITE_ONCE(*slot, kmt_account_pack(packed + waste));
	*id = kmt_account_class(packed);
	return unlikely(kmt_count_alloc(__kmt_counter(packed), waste)) ?
		       KMT_ACCOUNT_REPORT :
		       KMT_ACCOUNT_DONE;
}

/**
 * kmt_account_free_simple() - account the free of a slab object, in the common case
 * @ptr: its address
 * @id: set to the number of its class, for KMT_ACCOUNT_REPORT
 *
 * It is a common case if the object has its word in a slot.
 *
 * Context: as kmt_account_alloc_simple().
 * Return: what is left to do; KMT_ACCOUNT_ALL: kmt_account_free().
 */
static __always_inline enum kmt_account_rest
kmt_account_free_simple(unsigned long ptr, u32 *id)
{
	u64 *slot, value;

	if (unlikely(!kmt_slots_find_simple(ptr, &slot)))
		return KMT_ACCOUNT_ALL;
	value = kmt_frame_load(slot); /* the survey may settle it meanwhile */
	if (unlikely(value <= KMT_SLOTS_UNSEEN))
		return KMT_ACCOUNT_ALL;
	WRITE_ONCE(*slot, 0);
	*id = kmt_account_class(value);
	return unlikely(kmt_count_free(kmt_packed_counter(value),
				       kmt_account_waste(value))) ?
		       KMT_ACCOUNT_REPORT :
		       KMT_ACCOUNT_DONE;
}

/**
 * kmt_account_alloc_page_simple() - account an allocated page, in the common case
 * @ptr: its address in the direct map
 * @site: the caller that allocated it, outside the wrappers
 * @id: as for kmt_account_alloc_simple()
 *
 * It is a common case if the class is known, and the page did not count as allocated.
 *
 * Context: as kmt_account_alloc_simple().
 * Return: what is left to do; KMT_ACCOUNT_ALL: kmt_account_alloc_pages().
 */
static __always_inline enum kmt_account_rest
kmt_account_alloc_page_simple(unsigned long ptr, unsigned long site, u32 *id)
{
	struct kmt_frame *at = kmt_frame_at_simple(ptr);
	const struct kmt_class *class =
		kmt_tag_find_simple(site, KMT_KIND_PAGE, PAGE_SIZE);

	/* The survey may mark an entry of 0 meanwhile. It waits for this probe afterwards. */
	if (unlikely(!class || !at || data_race(at->word)))
		return KMT_ACCOUNT_ALL;
	*id = kmt_class_number(class);
	WRITE_ONCE(at->word, kmt_frame_make(*id | KMT_FRAME_HEAD,
					    kmt_tick_now()).word);
	return unlikely(kmt_count_one(&kmt_class_counter(class)->allocs)) ?
		       KMT_ACCOUNT_REPORT :
		       KMT_ACCOUNT_DONE;
}

/**
 * kmt_account_free_page_simple() - account the free of a page, in the common case
 * @ptr: its address in the direct map
 * @id: as for kmt_account_alloc_simple()
 *
 * It is a common case if the page was allocated alone, for something else than a slab.
 *
 * Context: as kmt_account_alloc_simple().
 * Return: what is left to do; KMT_ACCOUNT_ALL: kmt_account_free_pages().
 */
static __always_inline enum kmt_account_rest
kmt_account_free_page_simple(unsigned long ptr, u32 *id)
{
	struct kmt_frame *at = kmt_frame_at_simple(ptr), frame;
	struct kmt_counter *c;

	if (unlikely(!at))
		return KMT_ACCOUNT_ALL;
	frame.word = kmt_frame_load(&at->word);
	if (unlikely((frame.word & KMT_FRAME_FLAGS) != KMT_FRAME_HEAD))
		return KMT_ACCOUNT_ALL;
	WRITE_ONCE(at->word, 0);
	*id = kmt_frame_class(frame);
	c = kmt_number_counter(*id);
	if (unlikely(kmt_count_one(&c->frees))) {
		kmt_count_one(&c->frames);
		return KMT_ACCOUNT_REPORT;
	}
	return unlikely(kmt_count_one(&c->frames)) ? KMT_ACCOUNT_REPORT :
						     KMT_ACCOUNT_DONE;
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
 * kmt_account_free_begin() - begin to account the free of an object, which may fail
 * @ptr: its address
 *
 * From now on, the address may be allocated again at any time.
 *
 * Context: as kmt_account_alloc().
 * Return: a number for kmt_account_free_end().
 */
u64 kmt_account_free_begin(unsigned long ptr);

/**
 * kmt_account_free_end() - account the free of an object, or undo kmt_account_free_begin()
 * @ptr: its address
 * @site: the caller that frees it; 0 if it is not known
 * @value: from kmt_account_free_begin()
 * @freed: the object was freed; if false, it still belongs to the caller
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_free_end(unsigned long ptr, unsigned long site, u64 value,
			  bool freed);

/**
 * kmt_account_alloc_pages() - account allocated pages
 * @pfn: number of the first frame
 * @order: 1 << @order pages
 * @site: the caller that allocated them, outside the wrappers; 0 if it is not known
 * @flags: as for kmt_account_alloc()
 *
 * Must be called before the pages are used.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_alloc_pages(unsigned long pfn, unsigned int order,
			     unsigned long site, unsigned long flags);

/**
 * kmt_account_large() - charge pages to the kmalloc() that they were allocated for
 * @ptr: their address
 * @site: the caller of kmalloc()
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes allocated
 * @flags: as for kmt_account_alloc()
 *
 * Must be called after kmt_account_alloc_pages(), and before the pages are used.
 *
 * Context: as kmt_account_alloc().
 * Return: as kmt_account_alloc().
 */
unsigned long kmt_account_large(unsigned long ptr, unsigned long site,
				size_t bytes_req, size_t bytes_alloc,
				unsigned long flags);

/**
 * kmt_account_free_pages() - account the free of pages
 * @pfn: number of the first frame
 * @order: 1 << @order pages
 * @site: the caller that frees them; 0 if it is not known
 * @flags: as for kmt_account_alloc()
 *
 * Must be called before the allocator can allocate the pages again.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_free_pages(unsigned long pfn, unsigned int order,
			    unsigned long site, unsigned long flags);

/**
 * kmt_account_migrate() - move the charge of pages that migrate
 * @new: number of the first target frame
 * @old: number of the first source frame; the kernel frees the source frames soon
 * @count: number of frames
 * @flags: as for kmt_account_alloc()
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_migrate(unsigned long new, unsigned long old,
			 unsigned long count, unsigned long flags);

/**
 * kmt_account_unseen() - mark free pages that the kernel took without an event
 * @pfn: number of the first frame
 * @count: number of frames
 * @flags: as for kmt_account_alloc()
 *
 * Charges them to KMT_CLASS_UNSEEN. Pages that are charged already stay so.
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_unseen(unsigned long pfn, unsigned long count,
			unsigned long flags);

/**
 * kmt_account_unplugged() - discharge pages whose memory is gone
 * @pfn: number of the first frame
 * @count: number of frames
 * @flags: as for kmt_account_alloc()
 *
 * Context: as kmt_account_alloc().
 */
void kmt_account_unplugged(unsigned long pfn, unsigned long count,
			   unsigned long flags);

/**
 * kmt_account_on_armed() - set what is done with each allocation of an armed tag
 * @tell: called with the class, the address, and the call site, before the allocation is
 *	accounted; interrupts are off, and the caller has the CPU's guard (guard.h)
 *
 * Context: any; before kmt_tag_arm().
 */
void kmt_account_on_armed(void (*tell)(const struct kmt_class *class, unsigned long ptr,
				       unsigned long site));

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
