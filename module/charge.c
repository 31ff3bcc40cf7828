// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like the probes that record (probe.c), these may be called in any context,
 * under any lock. They run with interrupts off and hold the CPU's guard, so
 * that they are never entered twice on one CPU, and the locks of the tables
 * can be taken.
 *
 * Notes on locking: none of its own. The table of objects has its locks, an
 * entry of a frame belongs to who allocated the frame, counters belong to
 * their CPU.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include "account.h"
#include "cache.h"
#include "callsite.h"
#include "charge.h"
#include "compat.h"
#include "debuglog.h"
#include "frame.h"
#include "hook.h"
#include "object.h"
#include "probe.h"
#include "scope.h"
#include "slab.h"

static __always_inline bool enter(unsigned long *flags)
{
	local_irq_save(*flags);
	if (likely(kmt_probe_enter()))
		return true;
	kmt_account_nested();
	local_irq_restore(*flags);
	return false;
}

static __always_inline void leave(unsigned long flags)
{
	kmt_probe_leave();
	local_irq_restore(flags);
}

/* --- which class ---------------------------------------------------------- */

/* Who called the wrapper; the walk begins at the caller of this function. */
static noinline unsigned long site_outside(unsigned long site)
{
	unsigned long outside =
		kmt_callsite_of_stack(_RET_IP_,
				      (unsigned long)__builtin_dwarf_cfa())
			.site;

	return outside ? outside : site;
}

/*
 * A call site that is a wrapper stands for the wrapper's caller; a hook of
 * kmemtrace_tag.h that is in effect comes before either.
 */
static noinline const struct kmt_class *
classify_anew(const struct kmt_class *class, unsigned long site, u64 key,
	      bool walk)
{
	unsigned long scope;

	if (walk && (READ_ONCE(class->flags) & KMT_SITE_WRAPPER))
		class = kmt_tag_class(site_outside(site), key);
	if (!class || (READ_ONCE(class->flags) & KMT_SITE_INNER))
		return class;
	scope = kmt_scope_site();
	return scope ? kmt_tag_class(scope, key) : class;
}

/* Return: NULL if there is no room for it. */
static __always_inline const struct kmt_class *classify(unsigned long site,
							u64 key, bool walk)
{
	const struct kmt_class *class = kmt_tag_class(site, key);

	if (unlikely(!class))
		return NULL;
	if (unlikely(kmt_scope_any() ||
		     (walk && (READ_ONCE(class->flags) & KMT_SITE_WRAPPER))))
		return classify_anew(class, site, key, walk);
	return class;
}

/* --- objects -------------------------------------------------------------- */

static __always_inline void count_alloc(const struct kmt_class *class, u32 waste)
{
	struct kmt_counter *c = kmt_tag_counter(class->packed);

	c->allocs++;
	c->waste += waste;
	if (unlikely(c->allocs < KMT_PEAK_EVERY ||
		     c->allocs % KMT_PEAK_EVERY == 0))
		kmt_tag_sample_peak(class->tag);
}

static __always_inline void count_free(u64 value)
{
	struct kmt_counter *c = kmt_tag_counter(value);

	c->frees++;
	c->waste -= kmt_charge_waste(value);
}

static noinline void implicit(u64 old)
{
	u32 id = kmt_charge_class(old);

	count_free(old);
	kmt_account_implicit(kmt_class_bytes(&kmt_classes[id]),
			     kmt_classes[id].site);
}

static void reaped(unsigned long ptr, u64 value)
{
	u32 id = kmt_charge_class(value);

	count_free(value);
	kmt_account_reaped(kmt_class_bytes(&kmt_classes[id]),
			   kmt_classes[id].site);
}

/* There is no room for its class: what was at its address is no more. */
static noinline void no_class(unsigned long ptr, unsigned long site, u64 key)
{
	u64 old = kmt_object_remove(ptr);

	if (old)
		implicit(old);
	kmt_account_untracked((u32)key, site);
}

/* Return: whether it is to be counted. */
static noinline bool replaced(u64 old, unsigned long site, u64 key)
{
	if (old == KMT_OBJECT_FULL) {
		kmt_account_untracked((u32)key, site);
		return false;
	}
	implicit(old);
	return true;
}

static __always_inline void __charge(unsigned long ptr, unsigned long site,
				     u64 key, u32 waste, bool walk)
{
	const struct kmt_class *class = classify(site, key, walk);
	u64 old;

	if (unlikely(!class)) {
		no_class(ptr, site, key);
		return;
	}
	old = kmt_object_insert(ptr, kmt_charge_pack(class->packed | waste));
	if (likely(!old) || replaced(old, site, key))
		count_alloc(class, waste);
}

/* More waste than fits into the word of an object: the class keeps the rest. */
static noinline void charge_wasteful(unsigned long ptr, unsigned long site,
				     unsigned int kind, size_t bytes_req,
				     size_t bytes_alloc, bool walk)
{
	u32 waste = bytes_alloc - bytes_req;
	unsigned long flags;

	if (!enter(&flags))
		return;
	__charge(ptr, site, kmt_class_key(kind, bytes_alloc, waste),
		 waste & KMT_WASTE_MASK, walk);
	leave(flags);
}

static __always_inline void charge(unsigned long ptr, unsigned long site,
				   unsigned int kind, size_t bytes_req,
				   size_t bytes_alloc, bool walk)
{
	size_t waste = bytes_alloc - bytes_req;
	unsigned long flags;

	if (unlikely(waste > KMT_WASTE_MASK)) {
		charge_wasteful(ptr, site, kind, bytes_req, bytes_alloc, walk);
		return;
	}
	if (!enter(&flags))
		return;
	__charge(ptr, site, kmt_class_key(kind, bytes_alloc, 0), waste, walk);
	leave(flags);
}

/* The pages of a large kmalloc speak for it. */
static noinline void unmatched(unsigned long ptr, unsigned long site)
{
	u32 id;

	if (virt_addr_valid((void *)ptr)) {
		id = kmt_frame_class(kmt_frame_get(PHYS_PFN(__pa(ptr))));
		if (id && kmt_class_kind(&kmt_classes[id]) == KMT_KIND_LARGE)
			return;
	}
	kmt_account_unmatched(site);
}

static __always_inline void discharge(unsigned long ptr, unsigned long site)
{
	unsigned long flags;
	u64 value;

	if (!enter(&flags))
		return;
	value = kmt_object_remove(ptr);
	if (likely(value))
		count_free(value);
	else
		unmatched(ptr, site);
	leave(flags);
}

/* --- pages ---------------------------------------------------------------- */

static void free_frame(unsigned long pfn, struct kmt_frame frame)
{
	u32 id = kmt_frame_class(frame);
	struct kmt_counter *c = kmt_tag_counter(kmt_classes[id].packed);

	c->frames--;
	if (!(frame.class & KMT_FRAME_HEAD))
		return;
	c->frees++;
	if (kmt_class_kind(&kmt_classes[id]) == KMT_KIND_LARGE &&
	    kmt_frame_keeps_birth())
		c->waste -= kmt_frame_get(pfn + 1).born;
}

static noinline void implicit_frame(unsigned long pfn, struct kmt_frame frame)
{
	free_frame(pfn, frame);
	kmt_account_implicit(PAGE_SIZE,
			     kmt_classes[kmt_frame_class(frame)].site);
}

static void charge_pages(unsigned long pfn, unsigned int order,
			 unsigned long site)
{
	const struct kmt_class *class = classify(
		site, kmt_class_key(KMT_KIND_PAGE, PAGE_SIZE << order, 0),
		false);
	struct kmt_frame frame = { .born = kmt_charge_now() };
	u32 id = class ? kmt_class_number(class) : 0;
	unsigned int i, n = 1u << order;
	bool room = class;

	for (i = 0; i < n; i++) {
		struct kmt_frame old = kmt_frame_get(pfn + i);

		if (unlikely(old.class))
			implicit_frame(pfn + i, old);
	}
	for (i = 0; i < n; i++) {
		frame.class = i || !id ? id : id | KMT_FRAME_HEAD;
		room &= kmt_frame_set(pfn + i, frame);
	}
	if (unlikely(!room)) {
		kmt_account_untracked(PAGE_SIZE << order, site);
		return;
	}
	kmt_tag_counter(class->packed)->frames += n;
	count_alloc(class, 0);
}

/* If these were the pages of a slab, nothing on them is live any more. */
static void reap(struct page *page, unsigned int order, struct kmt_frame head)
{
	u32 id = kmt_frame_class(head);
	unsigned long bytes = PAGE_SIZE << order;
	bool is_slab = id && (READ_ONCE(kmt_classes[id].flags) & KMT_SITE_SLAB);

	/* a page from before the start may be one of a slab */
	if (likely(!is_slab && (id || order > KMT_SLAB_ORDER_MAX)))
		return;
	kmt_object_reap((unsigned long)page_address(page), bytes,
			is_slab ? kmt_slab_distance(page, bytes) : 0, reaped);
}

static void discharge_pages(struct page *page, unsigned int order,
			    unsigned long site)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned int i, n = 1u << order, unknown = 0;

	reap(page, order, kmt_frame_get(pfn));
	for (i = 0; i < n; i++) {
		struct kmt_frame frame = kmt_frame_get(pfn + i);

		if (likely(frame.class))
			free_frame(pfn + i, frame);
		else
			unknown++;
	}
	for (i = 0; i < n; i++)
		kmt_frame_set(pfn + i, (struct kmt_frame){ 0 });
	if (unlikely(unknown))
		kmt_account_unmatched_pages(unknown, site);
}

/*
 * The pages of a large kmalloc were just charged to its caller, as pages; now
 * it is known how much of them was requested.
 */
static void recharge_large(unsigned long pfn, unsigned long site,
			   size_t requested, size_t allocated)
{
	struct kmt_frame head = kmt_frame_get(pfn);
	const struct kmt_class *old =
		&kmt_classes[kmt_frame_class(head)];
	struct kmt_counter *c = kmt_tag_counter(old->packed);
	unsigned int i, n = allocated >> PAGE_SHIFT;
	u32 waste = kmt_frame_keeps_birth() ? allocated - requested : 0, id;
	const struct kmt_class *class;

	if (unlikely(!head.class))
		return; /* untracked, and counted as such */
	class = classify(site, kmt_class_key(KMT_KIND_LARGE, allocated, 0),
			 true);
	if (unlikely(!class))
		return; /* it stays charged as pages */
	id = kmt_class_number(class);

	/* not a free: it was never meant to be charged there */
	c->allocs--;
	c->frames -= n;
	if (kmt_class_kind(old) == KMT_KIND_LARGE && kmt_frame_keeps_birth())
		c->waste -= kmt_frame_get(pfn + 1).born;
	kmt_tag_counter(class->packed)->frames += n;
	count_alloc(class, waste);
	for (i = 0; i < n; i++)
		kmt_frame_set(pfn + i, (struct kmt_frame){
			.class = i ? id : id | KMT_FRAME_HEAD,
			.born = i == 1 ? waste : head.born,
		});
}

/* --- the probes ----------------------------------------------------------- */

static noinline void charge_large(unsigned long site, const void *ptr,
				  size_t bytes_req, size_t bytes_alloc)
{
	unsigned long flags;

	/* it may be told twice: the second time by its caller */
	if (kmt_callsite_is_kmalloc(site) || !enter(&flags))
		return;
	recharge_large(PHYS_PFN(__pa(ptr)), site, bytes_req, bytes_alloc);
	leave(flags);
}

void kmt_charge_kmalloc(void *data, unsigned long call_site, const void *ptr,
			size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
			int node)
{
	if (unlikely(!ptr))
		return;
	if (unlikely(bytes_req > KMALLOC_MAX_CACHE_SIZE))
		charge_large(call_site, ptr, bytes_req, bytes_alloc);
	else
		charge((unsigned long)ptr, call_site, KMT_KIND_SLAB, bytes_req,
		       bytes_alloc, true);
}

void kmt_charge_kmem_cache_alloc(void *data, unsigned long call_site,
				 const void *ptr, struct kmem_cache *s,
				 gfp_t gfp_flags, int node)
{
	if (likely(ptr))
		charge((unsigned long)ptr, call_site, KMT_KIND_SLAB,
		       kmt_cache_object_size(s), kmt_cache_size(s), true);
}

void kmt_charge_kfree(void *data, unsigned long call_site, const void *ptr)
{
	/* three in four are kfree(NULL), which frees nothing */
	if (!ZERO_OR_NULL_PTR(ptr))
		discharge((unsigned long)ptr, call_site);
}

void kmt_charge_kmem_cache_free(void *data, unsigned long call_site,
				const void *ptr, const struct kmem_cache *s)
{
	discharge((unsigned long)ptr, call_site);
}

void kmt_charge_mm_page_alloc(void *data, struct page *page, unsigned int order,
			      gfp_t gfp_flags, int migratetype)
{
	struct kmt_callsite caller;
	unsigned long flags;

	if (unlikely(!page) || !enter(&flags))
		return;
	caller = kmt_callsite_of_stack(_RET_IP_,
				       (unsigned long)__builtin_dwarf_cfa());
	/* the hook on bulk allocations will tell of it */
	if (likely(!caller.in_pages_bulk ||
		   !kmt_hook_attached(KMT_HOOK_PAGES_BULK)))
		charge_pages(page_to_pfn(page), order, caller.site);
	leave(flags);
}

void kmt_charge_mm_page_free(void *data, struct page *page, unsigned int order)
{
	unsigned long flags, site = 0;

	if (!enter(&flags))
		return;
	if (unlikely(kmt_debug))
		site = kmt_callsite_of_stack(
			       _RET_IP_, (unsigned long)__builtin_dwarf_cfa())
			       .site;
	discharge_pages(page, order, site);
	leave(flags);
}

/* bytes_alloc is for all CPUs; so is what is said to be requested. */
void kmt_charge_percpu_alloc(void *data, unsigned long call_site, bool reserved,
			     bool is_atomic, size_t size, size_t align,
			     void *base_addr, int off, void __percpu *ptr,
			     size_t bytes_alloc, gfp_t gfp_flags)
{
	charge((__force unsigned long)ptr, call_site, KMT_KIND_PERCPU,
	       size * num_possible_cpus(), bytes_alloc, true);
}

void kmt_charge_percpu_free(void *data, void *base_addr, int off,
			    void __percpu *ptr)
{
	discharge((__force unsigned long)ptr, 0);
}

/* That the probes have the tracepoints' prototypes, or it does not compile. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(kmt_charge_kmalloc);
	check_trace_callback_type_kmem_cache_alloc(kmt_charge_kmem_cache_alloc);
	check_trace_callback_type_kfree(kmt_charge_kfree);
	check_trace_callback_type_kmem_cache_free(kmt_charge_kmem_cache_free);
	check_trace_callback_type_mm_page_alloc(kmt_charge_mm_page_alloc);
	check_trace_callback_type_mm_page_free(kmt_charge_mm_page_free);
	check_trace_callback_type_percpu_alloc_percpu(kmt_charge_percpu_alloc);
	check_trace_callback_type_percpu_free_percpu(kmt_charge_percpu_free);
}

/* --- what has no tracepoint (hook.h) -------------------------------------- */

void kmt_charge_free_bulk(unsigned long call_site, size_t count, void **objects)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!ZERO_OR_NULL_PTR(objects[i]))
			discharge((unsigned long)objects[i], call_site);
}

void kmt_charge_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			   int count, void **objects)
{
	int i;

	for (i = 0; i < count; i++)
		charge((unsigned long)objects[i], call_site, KMT_KIND_SLAB,
		       kmt_cache_object_size(s), kmt_cache_size(s), false);
}

void kmt_charge_page_of_bulk(unsigned long call_site, struct page *page)
{
	unsigned long flags;

	if (!enter(&flags))
		return;
	charge_pages(page_to_pfn(page), 0, call_site);
	leave(flags);
}

void kmt_charge_migrate(struct folio *to, struct folio *from)
{
	unsigned long new = folio_pfn(to), old = folio_pfn(from), flags;
	long i, count = folio_nr_pages(from);

	if (!enter(&flags))
		return;
	for (i = 0; i < count; i++) {
		struct kmt_frame frame = kmt_frame_get(old + i);

		kmt_frame_set(old + i, kmt_frame_get(new + i));
		kmt_frame_set(new + i, frame);
	}
	leave(flags);
}
