// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events that are rare, or for which the kernel has no tracepoint: per-CPU memory, and
 * what hooks report (hook.h).
 */
#include "probe/handle.h"
#include "probe/probe.h"

/* --- accounting ----------------------------------------------------------- */

bool kmt_handle_bulk_expected;

unsigned long kmt_handle_object(unsigned long ptr, unsigned long call_site,
				unsigned int kind, size_t bytes_req,
				size_t bytes_alloc, bool walk,
				unsigned long flags)
{
	if (kind % 2 == KMEMTRACE_EVENT_FREE) {
		kmt_account_free(ptr, call_site);
		return call_site;
	}
	if (is_large(kind, bytes_req))
		return kmt_account_large(ptr, call_site, bytes_req,
					 bytes_alloc, flags);
	return kmt_account_alloc(ptr, call_site,
				 kind == KMT_EVENT_PERCPU_ALLOC ?
					 KMT_KIND_PERCPU :
					 KMT_KIND_SLAB,
				 bytes_req, bytes_alloc, walk, flags);
}

void kmt_handle_pages(unsigned long ptr, unsigned int order,
		      unsigned long call_site, bool alloc, unsigned long flags)
{
	unsigned long pfn = kmt_frame_of_object(ptr);

	if (alloc)
		kmt_account_alloc_pages(pfn, order, call_site, flags);
	else
		kmt_account_free_pages(pfn, order, call_site, flags);
}

/* --- per-CPU memory -------------------------------------------------------- */

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

static struct kmt_event free_of(unsigned long call_site,
				const struct kmem_cache *s, const void *ptr)
{
	return (struct kmt_event){
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = s ? KMEMTRACE_TYPE_CACHE : KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};
}

static void free_of_bulk(unsigned long call_site, struct kmem_cache *s,
			 const void *ptr)
{
	struct kmt_event ev = free_of(call_site, s, ptr);

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

/* The record of the free must come before that of the next allocation of the address. */
u64 kmt_probe_free_begin(unsigned long call_site, void *object)
{
	u32 uses = kmt_mode_uses(KMT_EVENT_KFREE);
	unsigned long flags;
	u64 value = 0;

	if (uses & KMT_USE_RECORD) {
		struct kmt_event ev = free_of(call_site, NULL, object);

		trace(&ev, NULL, NOWHERE, KMT_USE_RECORD);
	}
	if ((uses & KMT_USE_ACCOUNT) && kmt_handle_begin(&flags)) {
		value = kmt_account_free_begin((unsigned long)object);
		kmt_handle_end(flags);
	}
	return value;
}

void kmt_probe_free_end(unsigned long call_site, void *object, u64 value,
			bool freed)
{
	unsigned long flags;

	if (!(kmt_mode_uses(KMT_EVENT_KFREE) & KMT_USE_ACCOUNT) ||
	    !kmt_handle_begin(&flags))
		return;
	kmt_account_free_end((unsigned long)object, call_site, value, freed);
	kmt_handle_end(flags);
}

void kmt_probe_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			  gfp_t gfp_flags, int count, void **objects)
{
	struct kmt_event ev;
	int i;

	for (i = 0; i < count; i++) {
		ev = alloc_of_cache(call_site, objects[i], kmt_cache_sizes(s),
				    gfp_flags, NUMA_NO_NODE);
		trace(&ev, s, NOWHERE, uses_of(&ev));
	}
}

void kmt_probe_expect_pages_of_bulk(bool on)
{
	WRITE_ONCE(kmt_handle_bulk_expected, on);
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

	if (!kmt_handle_begin(&flags))
		return;
	kmt_account_migrate(folio_pfn(to), folio_pfn(from),
			    folio_nr_pages(from), flags);
	kmt_handle_end(flags);
}

void kmt_probe_unseen_pages(struct page *page, unsigned long count)
{
	unsigned long flags;

	if (!kmt_handle_begin(&flags))
		return;
	kmt_account_unseen(page_to_pfn(page), count, flags);
	kmt_handle_end(flags);
}
