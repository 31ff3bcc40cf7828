/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is done with an event: probes account it, record it, or both. These functions are
 * inlined into each probe, so that the fields of an event stay in registers, and stack walks
 * begin at the probe's caller.
 */
#ifndef KMT_HANDLE_H
#define KMT_HANDLE_H

#include <linux/mm.h>
#include <linux/slab.h>

#include "account/account.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/compat.h"
#include "base/guard.h"
#include "record/mode.h"
#include "record/writer.h"
#include "steer/event.h"
#include "steer/steer.h"

/* --- accounting ----------------------------------------------------------- */

static __always_inline bool is_alloc(const struct kmt_event *ev)
{
	return ev->event_id == KMEMTRACE_EVENT_ALLOC;
}

/* A large kmalloc() gets pages of its own instead of an object of a cache. */
static __always_inline bool is_large(unsigned int kind, size_t bytes_req)
{
	return kind == KMT_EVENT_KMALLOC &&
	       unlikely(bytes_req > KMALLOC_MAX_CACHE_SIZE);
}

/*
 * On some kernels, a large kmalloc() fires its tracepoint twice: first with a call site
 * inside kmalloc(), then with the call site of its caller. True for the first event,
 * which is ignored.
 */
static __always_inline bool is_told_again(unsigned int kind, size_t bytes_req,
					  unsigned long call_site)
{
	return is_large(kind, bytes_req) && kmt_site_is_kmalloc(call_site);
}

/**
 * kmt_handle_begin() - begin to account an event without trace()
 * @flags: set to the value for kmt_handle_end()
 *
 * Context: any.
 * Return: true, with interrupts off and the CPU's guard taken; false if the guard is held
 * already. Then the event was counted as nested, and nothing else may be done.
 */
static __always_inline bool kmt_handle_begin(unsigned long *flags)
{
	kmt_probe_pin();
	local_irq_save(*flags);
	if (likely(kmt_guard_enter()))
		return true;
	kmt_account_nested();
	local_irq_restore(*flags);
	kmt_probe_unpin();
	return false;
}

/* If an interrupt in a pause asked for it, kmt_probe_unpin() reschedules. */
static __always_inline void kmt_handle_end(unsigned long flags)
{
	kmt_guard_leave();
	local_irq_restore(flags);
	kmt_probe_unpin();
}

/*
 * The rare cases of accounting an object. Interrupts are off, and the caller has the CPU's
 * guard.
 *
 * @flags: from local_irq_save()
 * Return: for an allocation, the call site outside the wrappers; else @call_site.
 */
unsigned long kmt_handle_object(unsigned long ptr, unsigned long call_site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk,
				unsigned long flags);

/* The same for pages. */
void kmt_handle_pages(unsigned long ptr, unsigned int order,
		      unsigned long call_site, bool alloc, unsigned long flags);

/*
 * Account an object if it is a common case.
 *
 * @id: set to the number of its class if the result is KMT_ACCOUNT_REPORT
 */
static __always_inline enum kmt_account_rest
account_simply(const struct kmt_event *ev, u32 *id)
{
	if (!is_alloc(ev))
		return kmt_account_free_simple(ev->ptr, id);
	return kmt_account_alloc_simple(ev->ptr, ev->call_site, ev->bytes_alloc,
					ev->bytes_alloc - ev->bytes_req, id);
}

/* Replaces a call site inside a wrapper by the call site of the wrapper's caller. */
static __always_inline void account_object(struct kmt_event *ev, bool walk,
					   unsigned long flags)
{
	enum kmt_account_rest rest = KMT_ACCOUNT_ALL;
	u32 id;

	if (!is_alloc(ev) || !kmt_scope_any())
		rest = account_simply(ev, &id);
	switch (rest) {
	case KMT_ACCOUNT_DONE:
		break;
	case KMT_ACCOUNT_REPORT:
		kmt_tag_report(id, 0);
		break;
	case KMT_ACCOUNT_ALL:
		ev->call_site = kmt_handle_object(
			ev->ptr, ev->call_site, kmt_event_kind(ev),
			ev->bytes_req, ev->bytes_alloc, walk, flags);
	}
}

static __always_inline void account_page(const struct kmt_event *ev,
					 unsigned long flags)
{
	enum kmt_account_rest rest = KMT_ACCOUNT_ALL;
	u32 id;

	if (likely(!ev->order)) {
		if (!is_alloc(ev))
			rest = kmt_account_free_page_simple(ev->ptr, &id);
		else if (likely(!kmt_scope_any()))
			rest = kmt_account_alloc_page_simple(
				ev->ptr, ev->call_site, &id);
	}
	if (unlikely(rest == KMT_ACCOUNT_ALL))
		kmt_handle_pages(ev->ptr, ev->order, ev->call_site,
				 is_alloc(ev), flags);
	else if (unlikely(rest == KMT_ACCOUNT_REPORT))
		kmt_tag_report(id, 0);
}

/* An event without an address is an allocation that failed. */
static __always_inline void account(struct kmt_event *ev, bool walk,
				    unsigned long flags)
{
	if (unlikely(!ev->ptr))
		return;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES)
		account_page(ev, flags);
	else if (ev->type_id == KMEMTRACE_TYPE_PERCPU)
		kmt_handle_object(ev->ptr, ev->call_site, kmt_event_kind(ev),
				  ev->bytes_req, ev->bytes_alloc, walk, flags);
	else
		account_object(ev, walk, flags);
}

/* --- an event, and what is done with it ------------------------------------ */

/* Return address and frame address of a probe: the start of a stack walk. */
struct origin {
	bool known;
	unsigned long ip;
	unsigned long sp;
};

#define HERE                                                                   \
	((struct origin){ true, _RET_IP_,                                      \
			  (unsigned long)__builtin_dwarf_cfa() })
/* for an event whose call site is known or not needed */
#define NOWHERE ((struct origin){ false, 0, 0 })

extern bool kmt_handle_bulk_expected; /* kmt_probe_page_of_bulk() is called */

/*
 * A walk with the unwinder takes thousands of instructions, so interrupts are still enabled.
 *
 * Return: false if kmt_probe_page_of_bulk() will report this page.
 */
static __always_inline bool find_call_site(struct kmt_event *ev,
					   struct origin origin)
{
	struct kmt_callsite caller;
	unsigned long site;

	if (likely(kmt_callsite_simple(origin.ip, origin.sp, &site))) {
		ev->call_site = site;
		return true;
	}
	kmt_probe_pin();
	caller = kmt_callsite_of_stack(origin.ip, origin.sp);
	kmt_probe_unpin();
	ev->call_site = caller.site;
	return !caller.in_pages_bulk ||
	       ev->event_id == KMEMTRACE_EVENT_FREE ||
	       !READ_ONCE(kmt_handle_bulk_expected);
}

/*
 * Account and record an event. A filter may ask accounting about the object. So an
 * allocation is accounted before it is recorded, and a free after.
 *
 * @uses: mask of KMT_USE_*
 */
static __always_inline void trace(struct kmt_event *ev, struct kmem_cache *s,
				  struct origin origin, u32 uses)
{
	bool walk = (ev->type_id == KMEMTRACE_TYPE_PAGES && origin.known) ||
		    (ev->type_id == KMEMTRACE_TYPE_PERCPU && !ev->call_site);
	/*
	 * If an event is only recorded, record_now() writes compact records most of the
	 * time, and kmt_steer() the others.
	 */
	u32 rare = KMT_MODE_SLOW |
		   (uses & KMT_USE_ACCOUNT ? 0 : KMT_MODE_TIMED);
	unsigned long flags;
	u32 mode;

	if (walk && !find_call_site(ev, origin))
		return;
	kmt_probe_pin();
	local_irq_save(flags);
	mode = kmt_mode_bits(kmt_event_kind(ev));
	if (unlikely(!kmt_guard_enter())) {
		if (uses & KMT_USE_ACCOUNT)
			kmt_account_nested();
		if ((uses & KMT_USE_RECORD) &&
		    !(mode & (KMT_MODE_OFF | KMT_MODE_PAUSED)))
			kmt_writer_lose(mode);
		goto out;
	}
	if ((uses & KMT_USE_ACCOUNT) && is_alloc(ev))
		account(ev, origin.known, flags);
	if ((uses & KMT_USE_RECORD) &&
	    (likely(!(mode & rare)) || kmt_steer(ev, s, flags, mode))) {
		if (rare & KMT_MODE_TIMED)
			kmt_writer_put_numbered(ev, s, mode);
		else
			kmt_writer_put(ev, s, mode);
	}
	if ((uses & KMT_USE_ACCOUNT) && !is_alloc(ev))
		account(ev, origin.known, flags);
	kmt_guard_leave();
out:
	local_irq_restore(flags);
	kmt_probe_unpin(); /* reschedules, if an interrupt in a pause asked for it */
}

static __always_inline struct kmt_event
alloc_of_cache(unsigned long call_site, const void *ptr,
	       struct kmt_cache_sizes sizes, gfp_t gfp_flags, int node)
{
	return (struct kmt_event){
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_CACHE,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = sizes.object_size,
		.bytes_alloc = sizes.size,
		.gfp_flags = (__force u32)gfp_flags,
		.node = node,
	};
}

/* For a probe that has no separate function for each use. */
static __always_inline u32 uses_of(const struct kmt_event *ev)
{
	return kmt_mode_uses(kmt_event_kind(ev));
}

#endif /* KMT_HANDLE_H */
