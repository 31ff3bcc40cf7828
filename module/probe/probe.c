// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe builds an event from its arguments. The mode of the event (mode.h) says what
 * to do with it: record it (writer.h), account it (account.h), or both; steer.h runs
 * its filter and its triggers. A probe may be called in any context, under any lock,
 * preemptible or not. It allocates nothing and takes no lock but those of the tables,
 * and neither do the functions that it calls.
 *
 * Interrupts are off from the time when an event gets its sequence number until its
 * record is complete. Meanwhile, only two things can call a probe on the same CPU: an
 * NMI, or an allocation by the probe, which would be a bug. The guard (guard.h) rejects
 * both. An interrupt handler never finds the guard taken, so one guard for each CPU is
 * enough for all contexts, and the probe can take the locks of the tables. Only
 * account_now_*() needs neither.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include "account/debuglog.h"
#include "probe/handle.h"
#include "probe/probe.h"

/* --- accounting, with interrupts enabled ------------------------------------- */

static noinline void account_all(unsigned long ptr, unsigned long call_site,
				 unsigned int kind, size_t bytes_req,
				 size_t bytes_alloc)
{
	unsigned long flags;

	if (!ptr || is_told_again(kind, bytes_req, call_site) ||
	    unlikely(!kmt_handle_begin(&flags)))
		return;
	kmt_handle_object(ptr, call_site, kind, bytes_req, bytes_alloc, true,
			  flags);
	kmt_handle_end(flags);
}

static noinline void account_report(u32 id)
{
	unsigned long flags;

	local_irq_save(flags);
	if (likely(kmt_guard_enter())) {
		kmt_tag_report(id, 0);
		kmt_guard_leave();
	} /* else the next event of the class reports it */
	local_irq_restore(flags);
}

/*
 * Account an event if it is a common case. Interrupts stay enabled: nobody else uses the
 * slot of an object, or the entry of a page, and one instruction changes each counter of
 * this CPU.
 *
 * @waste: bytes allocated, less those requested
 * @id: set to the number of the class if the result is KMT_ACCOUNT_REPORT: the caller then
 *	calls account_report() before kmt_probe_unpin(), so that the class is not reclaimed
 */
static __always_inline enum kmt_account_rest
account_now_alloc(const void *ptr, unsigned long call_site, size_t bytes_alloc,
		  size_t waste, u32 *id)
{
	if (unlikely(!ptr))
		return KMT_ACCOUNT_ALL;
	return kmt_account_alloc_simple((unsigned long)ptr, call_site,
					bytes_alloc, waste, id);
}

/*
 * Pages can be allocated and freed in an NMI. If it came while the guard was held, the counters
 * may be in the middle of a change.
 *
 * @page: may be NULL, which is an allocation that failed
 */
static __always_inline enum kmt_account_rest
account_now_page(const struct page *page, unsigned int order,
		 struct origin origin, bool alloc, u32 *id)
{
	unsigned long site;

	if (unlikely(!page || order || kmt_guard_is_busy()) ||
	    (alloc &&
	     unlikely(!kmt_callsite_simple(origin.ip, origin.sp, &site))))
		return KMT_ACCOUNT_ALL;
	return alloc ? kmt_account_alloc_page_simple(
			       (unsigned long)page_to_virt(page), site, id) :
		       kmt_account_free_page_simple(
			       (unsigned long)page_to_virt(page), id);
}

/* for on_*(), instead of KMT_USE_*: only record, with interrupts off, a common case */
#define RECORD_SIMPLY BIT(31)

/*
 * A frequent event has three functions: for recording, for accounting, and for both. The
 * probe selects one by the mode and makes a tail call with its own arguments, so that it
 * saves no register.
 */
#define PROBE_PART static noinline __noclone notrace void

/*
 * The common case of recording has a function of its own. In the other cases, it makes a
 * tail call as well: if interrupts are off, to a function that restores them. The flags take
 * the place of @data, which no probe uses.
 *
 * @rare: a condition under which an event is no common case
 */
#define DEFINE_PARTS(name, rare, proto, args)                                  \
	PROBE_PART record_##name(proto)                                        \
	{                                                                      \
		on_##name(KMT_USE_RECORD, args);                               \
	}                                                                      \
                                                                               \
	PROBE_PART record_again_##name(proto)                                  \
	{                                                                      \
		local_irq_restore((unsigned long)data);                        \
		record_##name(args);                                           \
	}                                                                      \
                                                                               \
	PROBE_PART record_simply_##name(proto)                                 \
	{                                                                      \
		unsigned long flags;                                           \
                                                                               \
		if (unlikely(rare)) {                                          \
			record_##name(args);                                   \
			return;                                                \
		}                                                              \
		local_irq_save(flags);                                         \
		if (likely(on_##name(RECORD_SIMPLY, args))) {                  \
			local_irq_restore(flags);                              \
			return;                                                \
		}                                                              \
		data = (void *)flags;                                          \
		record_again_##name(args);                                     \
	}                                                                      \
                                                                               \
	PROBE_PART account_##name(proto)                                       \
	{                                                                      \
		on_##name(KMT_USE_ACCOUNT, args);                              \
	}                                                                      \
                                                                               \
	PROBE_PART account_and_record_##name(proto)                            \
	{                                                                      \
		on_##name(KMT_USE_ACCOUNT | KMT_USE_RECORD, args);             \
	}

/*
 * For an event of a slab object, the probe itself handles the common case of accounting. It
 * then calls rest_##name() for the others, whose arguments are those of the probe that are
 * needed, in the same registers.
 *
 * In account_and_record_simply_##name(), all calls are tail calls as well, so @data is again
 * used for another value, and has no value of its own.
 */
#define DEFINE_SLAB_PROBE(name, kind, rare, proto, args)                       \
	DEFINE_PARTS(name, rare, PARAMS(proto), PARAMS(args))                  \
                                                                               \
	PROBE_PART report_and_record_##name(proto)                             \
	{                                                                      \
		account_report((unsigned long)data);                           \
		kmt_probe_unpin();                                             \
		record_simply_##name(args);                                    \
	}                                                                      \
                                                                               \
	PROBE_PART account_and_record_simply_##name(proto)                     \
	{                                                                      \
		enum kmt_account_rest rest;                                    \
		u32 id;                                                        \
                                                                               \
		kmt_probe_pin();                                               \
		rest = account_now_##name(args, &id);                          \
		if (unlikely(rest == KMT_ACCOUNT_REPORT)) {                    \
			data = (void *)(unsigned long)id;                      \
			report_and_record_##name(args);                        \
			return;                                                \
		}                                                              \
		kmt_probe_unpin();                                             \
		asm("" : "=r"(data));                                          \
		if (likely(rest == KMT_ACCOUNT_DONE))                          \
			record_simply_##name(args);                            \
		else                                                           \
			account_and_record_##name(args);                       \
	}                                                                      \
                                                                               \
	notrace void kmt_probe_##name(proto)                                   \
	{                                                                      \
		u32 mode = kmt_mode_bits(kind), id;                            \
		enum kmt_account_rest rest;                                    \
                                                                               \
		if (mode & (KMT_MODE_ACCOUNT_SIMPLY | KMT_MODE_NUMBERED)) {    \
			if (unlikely((s32)mode < 0)) {                         \
				record_##name(args);                           \
				return;                                        \
			}                                                      \
			kmt_probe_pin();                                       \
			rest = account_now_##name(args, &id);                  \
			if (unlikely(rest == KMT_ACCOUNT_REPORT))              \
				account_report(id);                            \
			kmt_probe_unpin();                                     \
			if (unlikely(rest == KMT_ACCOUNT_ALL))                 \
				rest_##name(args);                             \
		} else if (likely(!(mode & (KMT_MODE_ACCOUNT | KMT_MODE_SLOW | \
					    KMT_MODE_LONG)))) {                \
			record_simply_##name(args);                            \
		} else if (likely(!(mode & (KMT_MODE_SLOW | KMT_MODE_LONG |    \
					    KMT_MODE_HOOKED)))) {              \
			account_and_record_simply_##name(args);                \
		} else if (!(mode & KMT_MODE_ACCOUNT)) {                       \
			record_##name(args);                                   \
		} else if (mode & KMT_MODE_RECORD) {                           \
			account_and_record_##name(args);                       \
		} else {                                                       \
			account_##name(args);                                  \
		}                                                              \
	}

/* For an event of pages, another function does, because walks need registers. */
#define DEFINE_PAGE_PROBE(name, kind, page, order, alloc, proto, args)         \
	DEFINE_PARTS(name, !(page), PARAMS(proto), PARAMS(args))               \
                                                                               \
	PROBE_PART account_simply_##name(proto)                                \
	{                                                                      \
		enum kmt_account_rest rest;                                    \
		u32 id;                                                        \
                                                                               \
		kmt_probe_pin();                                               \
		rest = account_now_page(page, order, HERE, alloc, &id);        \
		if (unlikely(rest == KMT_ACCOUNT_REPORT))                      \
			account_report(id);                                    \
		kmt_probe_unpin();                                             \
		if (unlikely(rest == KMT_ACCOUNT_ALL))                         \
			rest_##name(args);                                     \
	}                                                                      \
                                                                               \
	notrace void kmt_probe_##name(proto)                                   \
	{                                                                      \
		u32 mode = kmt_mode_bits(kind);                                \
                                                                               \
		if (likely(!(mode & (KMT_MODE_ACCOUNT | KMT_MODE_SLOW |        \
				     KMT_MODE_LONG))))                         \
			record_simply_##name(args);                            \
		else if (likely(mode & KMT_MODE_ACCOUNT_SIMPLY))               \
			account_simply_##name(args);                           \
		else if (!(mode & KMT_MODE_ACCOUNT))                           \
			record_##name(args);                                   \
		else if (!(mode & KMT_MODE_RECORD))                            \
			account_##name(args);                                  \
		else                                                           \
			account_and_record_##name(args);                       \
	}

/*
 * Record an event if it is a common case. Interrupts are off.
 *
 * Return: false if nothing was done.
 */
static __always_inline bool record_now(struct kmt_event *ev,
				       struct kmem_cache *s,
				       struct origin origin)
{
	unsigned long site;

	if (ev->type_id == KMEMTRACE_TYPE_PAGES) {
		if (unlikely(!kmt_callsite_simple(origin.ip, origin.sp, &site)))
			return false;
		ev->call_site = site;
	}
	return kmt_writer_put_simply(ev, s);
}

/* Return: false if @uses is RECORD_SIMPLY, and nothing was done; so does each on_*(). */
static __always_inline bool trace_frequent(struct kmt_event *ev,
					   struct kmem_cache *s,
					   struct origin origin, u32 uses)
{
	if (uses == RECORD_SIMPLY)
		return record_now(ev, s, origin);
	trace(ev, s, origin, uses);
	return true;
}

/* --- slab ----------------------------------------------------------------- */

static __always_inline bool on_kmalloc(u32 uses, void *data,
				       unsigned long call_site, const void *ptr,
				       size_t bytes_req, size_t bytes_alloc,
				       gfp_t gfp_flags, int node)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp_flags,
		.node = node,
	};

	if (uses != RECORD_SIMPLY &&
	    is_told_again(KMT_EVENT_KMALLOC, bytes_req, call_site))
		return true;
	return trace_frequent(&ev, NULL, HERE, uses);
}

/* A large kmalloc() is no common case, because its pages have no slots. */
static __always_inline enum kmt_account_rest
account_now_kmalloc(void *data, unsigned long call_site, const void *ptr,
		    size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		    int node, u32 *id)
{
	return account_now_alloc(ptr, call_site, bytes_alloc,
				 bytes_alloc - bytes_req, id);
}

PROBE_PART rest_of_kmalloc(void *unused, unsigned long call_site,
			   const void *ptr, size_t bytes_req,
			   size_t bytes_alloc)
{
	account_all((unsigned long)ptr, call_site, KMT_EVENT_KMALLOC, bytes_req,
		    bytes_alloc);
}

static __always_inline void rest_kmalloc(void *data, unsigned long call_site,
					 const void *ptr, size_t bytes_req,
					 size_t bytes_alloc, gfp_t gfp_flags,
					 int node)
{
	rest_of_kmalloc(NULL, call_site, ptr, bytes_req, bytes_alloc);
}

DEFINE_SLAB_PROBE(kmalloc, KMT_EVENT_KMALLOC,
		  is_large(KMT_EVENT_KMALLOC, bytes_req),
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		    int node),
	     PARAMS(data, call_site, ptr, bytes_req, bytes_alloc,
		    gfp_flags, node))

static __always_inline bool
on_kmem_cache_alloc(u32 uses, void *data, unsigned long call_site,
		    const void *ptr, struct kmem_cache *s, gfp_t gfp_flags,
		    int node)
{
	struct kmt_event ev = alloc_of_cache(call_site, ptr,
					     kmt_cache_sizes_by_layout(s),
					     gfp_flags, node);

	return trace_frequent(&ev, s, HERE, uses);
}

static __always_inline enum kmt_account_rest
account_now_kmem_cache_alloc(void *data, unsigned long call_site,
			     const void *ptr, struct kmem_cache *s,
			     gfp_t gfp_flags, int node, u32 *id)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);

	return account_now_alloc(ptr, call_site, sizes.size,
				 sizes.size - sizes.object_size, id);
}

PROBE_PART rest_of_cache_alloc(void *unused, unsigned long call_site,
			       const void *ptr, struct kmem_cache *s)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);

	account_all((unsigned long)ptr, call_site, KMT_EVENT_KMEM_CACHE_ALLOC,
		    sizes.object_size, sizes.size);
}

static __always_inline void
rest_kmem_cache_alloc(void *data, unsigned long call_site, const void *ptr,
		      struct kmem_cache *s, gfp_t gfp_flags, int node)
{
	rest_of_cache_alloc(NULL, call_site, ptr, s);
}

DEFINE_SLAB_PROBE(kmem_cache_alloc, KMT_EVENT_KMEM_CACHE_ALLOC, false,
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    struct kmem_cache *s, gfp_t gfp_flags, int node),
	     PARAMS(data, call_site, ptr, s, gfp_flags, node))

void kmt_probe_kmem_cache_alloc_asking(void *data, unsigned long call_site,
				       const void *ptr, struct kmem_cache *s,
				       gfp_t gfp_flags, int node)
{
	struct kmt_event ev = alloc_of_cache(call_site, ptr, kmt_cache_sizes(s),
					     gfp_flags, node);

	trace(&ev, s, HERE, uses_of(&ev));
}

static __always_inline bool on_kfree(u32 uses, void *data,
				     unsigned long call_site, const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	/* three of four events are from kfree(NULL), which frees nothing */
	if (uses != RECORD_SIMPLY && ZERO_OR_NULL_PTR(ptr))
		return true;
	return trace_frequent(&ev, NULL, HERE, uses);
}

PROBE_PART rest_of_free(void *unused, unsigned long call_site, const void *ptr)
{
	account_all((unsigned long)ptr, call_site, KMT_EVENT_KFREE, 0, 0);
}

static __always_inline enum kmt_account_rest
account_now_kfree(void *data, unsigned long call_site, const void *ptr, u32 *id)
{
	if (ZERO_OR_NULL_PTR(ptr))
		return KMT_ACCOUNT_DONE;
	return kmt_account_free_simple((unsigned long)ptr, id);
}

static __always_inline void rest_kfree(void *data, unsigned long call_site,
				       const void *ptr)
{
	rest_of_free(NULL, call_site, ptr);
}

DEFINE_SLAB_PROBE(kfree, KMT_EVENT_KFREE, ZERO_OR_NULL_PTR(ptr),
	     PARAMS(void *data, unsigned long call_site, const void *ptr),
	     PARAMS(data, call_site, ptr))

static __always_inline bool on_kmem_cache_free(u32 uses, void *data,
					       unsigned long call_site,
					       const void *ptr,
					       const struct kmem_cache *s)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_CACHE,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	return trace_frequent(&ev, (struct kmem_cache *)s, HERE, uses);
}

static __always_inline enum kmt_account_rest
account_now_kmem_cache_free(void *data, unsigned long call_site,
			    const void *ptr, const struct kmem_cache *s,
			    u32 *id)
{
	return kmt_account_free_simple((unsigned long)ptr, id);
}

static __always_inline void
rest_kmem_cache_free(void *data, unsigned long call_site, const void *ptr,
		     const struct kmem_cache *s)
{
	rest_of_free(NULL, call_site, ptr);
}

DEFINE_SLAB_PROBE(kmem_cache_free, KMT_EVENT_KMEM_CACHE_FREE, false,
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    const struct kmem_cache *s),
	     PARAMS(data, call_site, ptr, s))

/* --- pages ---------------------------------------------------------------- */

static __always_inline bool on_mm_page_alloc(u32 uses, void *data,
					     struct page *page,
					     unsigned int order,
					     gfp_t gfp_flags, int migratetype)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.ptr = page ? (unsigned long)page_to_virt(page) : 0,
		.bytes_req = PAGE_SIZE << order,
		.bytes_alloc = PAGE_SIZE << order,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
		.order = order,
		.migratetype = migratetype,
	};

	return trace_frequent(&ev, NULL, HERE, uses);
}

PROBE_PART account_mm_page_alloc(void *data, struct page *page,
				 unsigned int order, gfp_t gfp_flags,
				 int migratetype);

static __always_inline void rest_mm_page_alloc(void *data, struct page *page,
					       unsigned int order,
					       gfp_t gfp_flags, int migratetype)
{
	account_mm_page_alloc(data, page, order, gfp_flags, migratetype);
}

DEFINE_PAGE_PROBE(mm_page_alloc, KMT_EVENT_MM_PAGE_ALLOC, page, order, true,
	     PARAMS(void *data, struct page *page, unsigned int order,
		    gfp_t gfp_flags, int migratetype),
	     PARAMS(data, page, order, gfp_flags, migratetype))

static __always_inline bool on_mm_page_free(u32 uses, void *data,
					    struct page *page,
					    unsigned int order)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.ptr = (unsigned long)page_to_virt(page),
		.order = order,
		.migratetype = -1,
	};

	/* accounting needs the call site only to log it */
	if (uses == KMT_USE_ACCOUNT && likely(!kmt_debug))
		return trace_frequent(&ev, NULL, NOWHERE, uses);
	return trace_frequent(&ev, NULL, HERE, uses);
}

PROBE_PART account_mm_page_free(void *data, struct page *page,
				unsigned int order);

static __always_inline void rest_mm_page_free(void *data, struct page *page,
					      unsigned int order)
{
	unsigned long flags;

	if (unlikely(kmt_debug)) {
		account_mm_page_free(data, page, order);
	} else if (likely(kmt_handle_begin(&flags))) {
		kmt_account_free_pages(page_to_pfn(page), order, 0, flags);
		kmt_handle_end(flags);
	}
}

DEFINE_PAGE_PROBE(mm_page_free, KMT_EVENT_MM_PAGE_FREE, page, order, false,
	     PARAMS(void *data, struct page *page, unsigned int order),
	     PARAMS(data, page, order))

/* Fails to compile if a probe and its tracepoint have different prototypes. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(kmt_probe_kmalloc);
	check_trace_callback_type_kmem_cache_alloc(kmt_probe_kmem_cache_alloc);
	check_trace_callback_type_kmem_cache_alloc(
		kmt_probe_kmem_cache_alloc_asking);
	check_trace_callback_type_kfree(kmt_probe_kfree);
	check_trace_callback_type_kmem_cache_free(kmt_probe_kmem_cache_free);
	check_trace_callback_type_mm_page_alloc(kmt_probe_mm_page_alloc);
	check_trace_callback_type_mm_page_free(kmt_probe_mm_page_free);
	check_trace_callback_type_percpu_alloc_percpu(kmt_probe_percpu_alloc);
	check_trace_callback_type_percpu_free_percpu(kmt_probe_percpu_free);
}
