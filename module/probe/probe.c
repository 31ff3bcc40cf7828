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
 * account_now() needs neither.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include "account/account.h"
#include "account/debuglog.h"
#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/compat.h"
#include "base/guard.h"
#include "probe/probe.h"
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

/*
 * The rare cases of accounting an object.
 *
 * Return: for an allocation, the call site outside the wrappers; else @call_site.
 */
static noinline unsigned long
account_slowly(unsigned long ptr, unsigned long call_site, unsigned int kind,
	       size_t bytes_req, size_t bytes_alloc, bool walk)
{
	if (kind % 2 == KMEMTRACE_EVENT_FREE) {
		kmt_account_free(ptr, call_site);
		return call_site;
	}
	if (is_large(kind, bytes_req))
		return kmt_account_large(ptr, call_site, bytes_req,
					 bytes_alloc);
	return kmt_account_alloc(ptr, call_site,
				 kind == KMT_EVENT_PERCPU_ALLOC ?
					 KMT_KIND_PERCPU :
					 KMT_KIND_SLAB,
				 bytes_req, bytes_alloc, walk);
}

static noinline void account_all(unsigned long ptr, unsigned long call_site,
				 unsigned int kind, size_t bytes_req,
				 size_t bytes_alloc)
{
	unsigned long flags;

	if (!ptr || is_told_again(kind, bytes_req, call_site))
		return;
	local_irq_save(flags);
	if (likely(kmt_guard_enter())) {
		account_slowly(ptr, call_site, kind, bytes_req, bytes_alloc,
			       true);
		kmt_guard_leave();
	} else {
		kmt_account_nested();
	}
	local_irq_restore(flags);
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
 * Account an object if it is a common case.
 *
 * @id: set to the number of its class if the result is KMT_ACCOUNT_REPORT
 */
static __always_inline enum kmt_account_rest
account_simply(const struct kmt_event *ev, u32 *id)
{
	if (!is_alloc(ev))
		return kmt_account_free_simple(ev->ptr, id);
	return kmt_account_alloc_simple(ev->ptr, ev->call_site, ev->bytes_req,
					ev->bytes_alloc, id);
}

/* Replaces a call site inside a wrapper by the call site of the wrapper's caller. */
static __always_inline void account_object(struct kmt_event *ev, bool walk)
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
		ev->call_site = account_slowly(ev->ptr, ev->call_site,
					       kmt_event_kind(ev),
					       ev->bytes_req, ev->bytes_alloc,
					       walk);
	}
}

static noinline void account_pages(unsigned long ptr, unsigned int order,
				   unsigned long call_site, bool alloc)
{
	unsigned long pfn = kmt_frame_of_object(ptr);

	if (alloc)
		kmt_account_alloc_pages(pfn, order, call_site);
	else
		kmt_account_free_pages(pfn, order, call_site);
}

static __always_inline void account_page(const struct kmt_event *ev)
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
		account_pages(ev->ptr, ev->order, ev->call_site, is_alloc(ev));
	else if (unlikely(rest == KMT_ACCOUNT_REPORT))
		kmt_tag_report(id, 0);
}

/* An event without an address is an allocation that failed. */
static __always_inline void account(struct kmt_event *ev, bool walk)
{
	if (unlikely(!ev->ptr))
		return;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES)
		account_page(ev);
	else if (ev->type_id == KMEMTRACE_TYPE_PERCPU)
		account_slowly(ev->ptr, ev->call_site, kmt_event_kind(ev),
			       ev->bytes_req, ev->bytes_alloc, walk);
	else
		account_object(ev, walk);
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

static bool pages_of_bulk_expected;

/* Return: false if kmt_probe_page_of_bulk() will report this page. */
static __always_inline bool find_call_site(struct kmt_event *ev,
					   struct origin origin)
{
	struct kmt_callsite caller;
	unsigned long site;

	if (likely(kmt_callsite_simple(origin.ip, origin.sp, &site))) {
		ev->call_site = site;
		return true;
	}
	caller = kmt_callsite_of_stack(origin.ip, origin.sp);
	ev->call_site = caller.site;
	return !caller.in_pages_bulk ||
	       ev->event_id == KMEMTRACE_EVENT_FREE ||
	       !READ_ONCE(pages_of_bulk_expected);
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
	unsigned long flags;
	u32 mode;

	local_irq_save(flags);
	mode = kmt_mode_bits(kmt_event_kind(ev));
	if (unlikely(!kmt_guard_enter())) {
		if (uses & KMT_USE_ACCOUNT)
			kmt_account_nested();
		if ((uses & KMT_USE_RECORD) &&
		    !(mode & (KMT_MODE_OFF | KMT_MODE_PAUSED)))
			kmt_writer_lose(kmt_mode_size(mode));
		goto out;
	}
	if (walk && !find_call_site(ev, origin))
		goto leave;
	if ((uses & KMT_USE_ACCOUNT) && is_alloc(ev))
		account(ev, origin.known);
	if ((uses & KMT_USE_RECORD) &&
	    (likely(!(mode & KMT_MODE_SLOW)) || kmt_steer(ev, s, flags, mode)))
		kmt_writer_put(ev, s, mode);
	if ((uses & KMT_USE_ACCOUNT) && !is_alloc(ev))
		account(ev, origin.known);
leave:
	kmt_guard_leave();
out:
	local_irq_restore(flags);
}

/*
 * Account a slab object if it is a common case. Interrupts stay enabled: nobody else uses
 * the slot of the object, and one instruction changes each counter of this CPU.
 *
 * Return: whether the event was accounted.
 */
static __always_inline bool account_now(const struct kmt_event *ev)
{
	enum kmt_account_rest rest;
	u32 id;

	if (is_alloc(ev) && unlikely(!ev->ptr))
		return false;
	kmt_probe_pin();
	rest = account_simply(ev, &id);
	if (unlikely(rest == KMT_ACCOUNT_REPORT))
		account_report(id);
	kmt_probe_unpin();
	return likely(rest != KMT_ACCOUNT_ALL);
}

/* For a probe that has no separate function for each use. */
static __always_inline u32 uses_of(const struct kmt_event *ev)
{
	return kmt_mode_uses(kmt_event_kind(ev));
}

/*
 * A frequent event has three functions: for recording, for accounting, and for both. The
 * probe selects one by the mode and makes a tail call with its own arguments, so that it
 * saves no register.
 */
#define PROBE_PART static noinline __noclone notrace void

#define DEFINE_PARTS(name, proto, args)                                        \
	PROBE_PART record_##name(proto)                                        \
	{                                                                      \
		on_##name(KMT_USE_RECORD, args);                               \
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

#define DEFINE_PROBE(name, kind, proto, args)                                  \
	DEFINE_PARTS(name, PARAMS(proto), PARAMS(args))                        \
                                                                               \
	notrace void kmt_probe_##name(proto)                                   \
	{                                                                      \
		u32 mode = kmt_mode_bits(kind);                                \
                                                                               \
		if (likely(!(mode & KMT_MODE_ACCOUNT)))                        \
			record_##name(args);                                   \
		else if (likely(!(mode & KMT_MODE_RECORD)))                    \
			account_##name(args);                                  \
		else                                                           \
			account_and_record_##name(args);                       \
	}

/*
 * The event of a slab object has a fourth function, which only knows the common case of
 * accounting, and makes a tail call of rest_##name() for the others. Its arguments are those
 * of the probe that are needed, in the same registers. Once a hook of kmemtrace_tag.h has been
 * in effect, account_##name() is used instead.
 */
#define DEFINE_SLAB_PROBE(name, kind, proto, args)                             \
	DEFINE_PARTS(name, PARAMS(proto), PARAMS(args))                        \
                                                                               \
	PROBE_PART account_simply_##name(proto)                                \
	{                                                                      \
		simply_##name(args);                                           \
	}                                                                      \
                                                                               \
	notrace void kmt_probe_##name(proto)                                   \
	{                                                                      \
		u32 mode = kmt_mode_bits(kind);                                \
                                                                               \
		if (likely(!(mode & KMT_MODE_ACCOUNT)))                        \
			record_##name(args);                                   \
		else if (likely(!(mode & (KMT_MODE_RECORD |                    \
					  KMT_MODE_HOOKED))))                  \
			account_simply_##name(args);                           \
		else if (mode & KMT_MODE_RECORD)                               \
			account_and_record_##name(args);                       \
		else                                                           \
			account_##name(args);                                  \
	}

/* --- slab ----------------------------------------------------------------- */

static __always_inline void on_kmalloc(u32 uses, void *data,
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

	if (is_told_again(KMT_EVENT_KMALLOC, bytes_req, call_site))
		return;
	trace(&ev, NULL, HERE, uses);
}

PROBE_PART rest_kmalloc(void *unused, unsigned long call_site, const void *ptr,
			size_t bytes_req, size_t bytes_alloc)
{
	account_all((unsigned long)ptr, call_site, KMT_EVENT_KMALLOC, bytes_req,
		    bytes_alloc);
}

/* A large kmalloc() is no common case, because its pages have no slots. */
static __always_inline void simply_kmalloc(void *data, unsigned long call_site,
					   const void *ptr, size_t bytes_req,
					   size_t bytes_alloc, gfp_t gfp_flags,
					   int node)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
	};

	if (unlikely(!account_now(&ev)))
		rest_kmalloc(NULL, call_site, ptr, bytes_req, bytes_alloc);
}

DEFINE_SLAB_PROBE(kmalloc, KMT_EVENT_KMALLOC,
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		    int node),
	     PARAMS(data, call_site, ptr, bytes_req, bytes_alloc,
		    gfp_flags, node))

static __always_inline void
trace_cache_alloc(unsigned long call_site, const void *ptr,
		  struct kmem_cache *s, struct kmt_cache_sizes sizes,
		  gfp_t gfp_flags, int node, struct origin origin, u32 uses)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_CACHE,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = sizes.object_size,
		.bytes_alloc = sizes.size,
		.gfp_flags = (__force u32)gfp_flags,
		.node = node,
	};

	trace(&ev, s, origin, uses);
}

static __always_inline void
on_kmem_cache_alloc(u32 uses, void *data, unsigned long call_site,
		    const void *ptr, struct kmem_cache *s, gfp_t gfp_flags,
		    int node)
{
	trace_cache_alloc(call_site, ptr, s, kmt_cache_sizes_by_layout(s),
			  gfp_flags, node, HERE, uses);
}

PROBE_PART rest_kmem_cache_alloc(void *unused, unsigned long call_site,
				 const void *ptr, struct kmem_cache *s)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);

	account_all((unsigned long)ptr, call_site, KMT_EVENT_KMEM_CACHE_ALLOC,
		    sizes.object_size, sizes.size);
}

static __always_inline void
simply_kmem_cache_alloc(void *data, unsigned long call_site, const void *ptr,
			struct kmem_cache *s, gfp_t gfp_flags, int node)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = sizes.object_size,
		.bytes_alloc = sizes.size,
	};

	if (unlikely(!account_now(&ev)))
		rest_kmem_cache_alloc(NULL, call_site, ptr, s);
}

DEFINE_SLAB_PROBE(kmem_cache_alloc, KMT_EVENT_KMEM_CACHE_ALLOC,
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    struct kmem_cache *s, gfp_t gfp_flags, int node),
	     PARAMS(data, call_site, ptr, s, gfp_flags, node))

void kmt_probe_kmem_cache_alloc_asking(void *data, unsigned long call_site,
				       const void *ptr, struct kmem_cache *s,
				       gfp_t gfp_flags, int node)
{
	u32 uses = kmt_mode_uses(KMT_EVENT_KMEM_CACHE_ALLOC);

	trace_cache_alloc(call_site, ptr, s, kmt_cache_sizes(s), gfp_flags,
			  node, HERE, uses);
}

static __always_inline void on_kfree(u32 uses, void *data,
				     unsigned long call_site, const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	/* three of four events are from kfree(NULL), which frees nothing */
	if (ZERO_OR_NULL_PTR(ptr))
		return;
	trace(&ev, NULL, HERE, uses);
}

PROBE_PART rest_of_free(void *unused, unsigned long call_site, const void *ptr)
{
	account_all((unsigned long)ptr, call_site, KMT_EVENT_KFREE, 0, 0);
}

static __always_inline void simply_kfree(void *data, unsigned long call_site,
					 const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.ptr = (unsigned long)ptr,
	};

	if (!ZERO_OR_NULL_PTR(ptr) && unlikely(!account_now(&ev)))
		rest_of_free(NULL, call_site, ptr);
}

DEFINE_SLAB_PROBE(kfree, KMT_EVENT_KFREE,
	     PARAMS(void *data, unsigned long call_site, const void *ptr),
	     PARAMS(data, call_site, ptr))

static __always_inline void on_kmem_cache_free(u32 uses, void *data,
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

	trace(&ev, (struct kmem_cache *)s, HERE, uses);
}

static __always_inline void simply_kmem_cache_free(void *data,
						   unsigned long call_site,
						   const void *ptr,
						   const struct kmem_cache *s)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.ptr = (unsigned long)ptr,
	};

	if (unlikely(!account_now(&ev)))
		rest_of_free(NULL, call_site, ptr);
}

DEFINE_SLAB_PROBE(kmem_cache_free, KMT_EVENT_KMEM_CACHE_FREE,
	     PARAMS(void *data, unsigned long call_site, const void *ptr,
		    const struct kmem_cache *s),
	     PARAMS(data, call_site, ptr, s))

/* --- pages and per-CPU memory --------------------------------------------- */

static __always_inline void on_mm_page_alloc(u32 uses, void *data,
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

	trace(&ev, NULL, HERE, uses);
}

DEFINE_PROBE(mm_page_alloc, KMT_EVENT_MM_PAGE_ALLOC,
	     PARAMS(void *data, struct page *page, unsigned int order,
		    gfp_t gfp_flags, int migratetype),
	     PARAMS(data, page, order, gfp_flags, migratetype))

static __always_inline void on_mm_page_free(u32 uses, void *data,
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
	if (uses & KMT_USE_RECORD || unlikely(kmt_debug))
		trace(&ev, NULL, HERE, uses);
	else
		trace(&ev, NULL, NOWHERE, uses);
}

DEFINE_PROBE(mm_page_free, KMT_EVENT_MM_PAGE_FREE,
	     PARAMS(void *data, struct page *page, unsigned int order),
	     PARAMS(data, page, order))

/* bytes_alloc is the sum for all possible CPUs, so bytes_req is such a sum as well. */
void kmt_probe_percpu_alloc(void *data, unsigned long call_site, bool reserved,
			    bool is_atomic, size_t size, size_t align,
			    void *base_addr, int off, void __percpu *ptr,
			    size_t bytes_alloc, gfp_t gfp_flags)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PERCPU,
		.call_site = call_site,
		.ptr = (__force unsigned long)ptr,
		.bytes_req = size * num_possible_cpus(),
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
	};

	trace(&ev, NULL, HERE, uses_of(&ev));
}

void kmt_probe_percpu_free(void *data, void *base_addr, int off,
			   void __percpu *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_PERCPU,
		.ptr = (__force unsigned long)ptr,
	};

	trace(&ev, NULL, HERE, uses_of(&ev));
}

/* --- events of hooks (hook.h) ---------------------------------------------- */

static void free_of_bulk(unsigned long call_site, struct kmem_cache *s,
			 const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = s ? KMEMTRACE_TYPE_CACHE : KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	if (!ZERO_OR_NULL_PTR(ptr))
		trace(&ev, s, NOWHERE, uses_of(&ev));
}

void kmt_probe_free_bulk(unsigned long call_site, struct kmem_cache *s,
			 size_t count, void **objects)
{
	size_t i;

	for (i = 0; i < count; i++)
		free_of_bulk(call_site, s, objects[i]);
}

void kmt_probe_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			  gfp_t gfp_flags, int count, void **objects)
{
	u32 uses = kmt_mode_uses(KMT_EVENT_KMEM_CACHE_ALLOC);
	int i;

	for (i = 0; i < count; i++)
		trace_cache_alloc(call_site, objects[i], s, kmt_cache_sizes(s),
				  gfp_flags, NUMA_NO_NODE, NOWHERE, uses);
}

void kmt_probe_expect_pages_of_bulk(bool on)
{
	WRITE_ONCE(pages_of_bulk_expected, on);
}

void kmt_probe_page_of_bulk(unsigned long call_site, struct page *page,
			    gfp_t gfp_flags)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.call_site = call_site,
		.ptr = (unsigned long)page_to_virt(page),
		.bytes_req = PAGE_SIZE,
		.bytes_alloc = PAGE_SIZE,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
		.migratetype = -1,
	};

	trace(&ev, NULL, NOWHERE, uses_of(&ev));
}

void kmt_probe_migrate(struct folio *to, struct folio *from)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!kmt_guard_enter()) {
		kmt_account_nested();
	} else {
		kmt_account_migrate(folio_pfn(to), folio_pfn(from),
				    folio_nr_pages(from));
		kmt_guard_leave();
	}
	local_irq_restore(flags);
}

void kmt_probe_unseen_pages(struct page *page, unsigned long count)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!kmt_guard_enter()) {
		kmt_account_nested();
	} else {
		kmt_account_unseen(page_to_pfn(page), count);
		kmt_guard_leave();
	}
	local_irq_restore(flags);
}

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
