// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stacktrace.h>

#include "callsite.h"
#include "symbol.h"

/* Deep enough for a tracepoint inside the longest chain of the allocator. */
#define FRAMES 16

static const char *const kmalloc_names[] = {
	"__kmalloc_noprof",
	"__kmalloc_node_noprof",
	"__kmalloc_node_track_caller_noprof",
	NULL,
};

/*
 * The page and the per-CPU allocator, as far as they call one another: who
 * calls one of these from outside is the call site. Both spellings of 6.1
 * and of the kernels since 6.10, which added _noprof.
 */
static const char *const allocator_names[] = {
	"__alloc_pages",
	"__alloc_pages_noprof",
	"__alloc_frozen_pages_noprof",
	"alloc_frozen_pages_noprof",
	"alloc_pages",
	"alloc_pages_noprof",
	"alloc_pages_mpol",
	"alloc_pages_mpol_noprof",
	"alloc_pages_interleave",
	"alloc_pages_preferred_many",
	"alloc_page_interleave",
	"__alloc_pages_bulk",
	"alloc_pages_bulk_noprof",
	"alloc_pages_bulk_array_mempolicy",
	"alloc_pages_bulk_array_mempolicy_noprof",
	"alloc_pages_bulk_mempolicy_noprof",
	"alloc_pages_exact",
	"alloc_pages_exact_noprof",
	"__folio_alloc",
	"__folio_alloc_noprof",
	"folio_alloc",
	"folio_alloc_noprof",
	"folio_alloc_mpol_noprof",
	"vma_alloc_folio",
	"vma_alloc_folio_noprof",
	"__get_free_pages",
	"get_free_pages_noprof",
	"get_zeroed_page",
	"get_zeroed_page_noprof",
	"__free_pages",
	"___free_pages",
	"__free_pages_ok",
	"free_pages",
	"free_pages_exact",
	"free_unref_page",
	"free_unref_page_list",
	"free_unref_page_prepare",
	"free_unref_page_commit",
	"free_unref_folios",
	"free_frozen_pages",
	"__free_frozen_pages",
	"free_pages_prepare",
	"free_pcp_prepare",
	"free_compound_page",
	"destroy_large_folio",
	"free_large_folio",
	"__folio_put",
	"__folio_put_small",
	"__folio_put_large",
	"__put_page",
	"folios_put_refs",
	"release_pages",
	"pcpu_alloc",
	"pcpu_alloc_noprof",
	"__alloc_percpu",
	"__alloc_percpu_gfp",
	"free_percpu",
	"free_percpu.part.0",
	"pcpu_free_area",
	NULL,
};

static struct kmt_text kmalloc_text[ARRAY_SIZE(kmalloc_names)] __ro_after_init;
static struct kmt_text text[ARRAY_SIZE(allocator_names)] __ro_after_init;
static unsigned int kmalloc_count __ro_after_init;
static unsigned int count __ro_after_init;

int __init kmt_callsite_init(void)
{
	kmalloc_count = kmt_text_find_all(kmalloc_names, kmalloc_text);
	count = kmt_text_find_all(allocator_names, text);
	return 0;
}

bool kmt_callsite_is_kmalloc(unsigned long call_site)
{
	return kmt_text_contains(kmalloc_text, kmalloc_count, call_site);
}

unsigned long kmt_callsite_of_stack(void)
{
	unsigned long frames[FRAMES];
	unsigned int depth, i;

	depth = stack_trace_save(frames, FRAMES, 1);
	/* this module and the tracepoint, */
	for (i = 0; i < depth; i++)
		if (kmt_text_contains(text, count, frames[i]))
			break;
	/* then the allocator, */
	for (; i < depth; i++)
		if (!kmt_text_contains(text, count, frames[i]))
			return frames[i];
	/* then, in an unknown kernel, whoever is nearest */
	for (i = 0; i < depth; i++)
		if (!within_module(frames[i], THIS_MODULE))
			return frames[i];
	return 0;
}

unsigned int kmt_callsite_functions(void)
{
	return count;
}
