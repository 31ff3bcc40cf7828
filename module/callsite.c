// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>

#include "callsite.h"
#include "symbol.h"

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

/**
 * struct walk - how far up the stack a walk has come
 * @in_allocator: a function of the allocator has been passed
 */
struct walk {
	bool in_allocator;
};

/* Past this module and the tracepoint, past the allocator, then stop. */
static bool is_call_site(struct walk *walk, unsigned long ip)
{
	if (kmt_text_contains(text, count, ip)) {
		walk->in_allocator = true;
		return false;
	}
	return walk->in_allocator;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

#include <asm/unwind.h>

/*
 * The unwinder costs thousands of instructions. But where a function makes a
 * call, its stack frame has one size: the unwinder looks up that very number,
 * by the return address. So it is remembered here, for each return address
 * that was met inside the allocator, how far above it the next one lies; and
 * for each that was met outside, that the walk ends there.
 *
 * A return address that is not remembered, whatever it is, sends the walk to
 * the unwinder. One walk in CHECK_EVERY goes both ways; should they ever
 * disagree, it is counted and all is forgotten.
 *
 * An entry is one word, so that CPUs share the table without a lock. Kernel
 * and modules lie in the topmost 2 GiB: the low half of an address is enough.
 */
#define MEMO_BITS   11
#define HOPS_MAX    16
#define CHECK_EVERY 4096
#define SITE	    0xffffffffu /* instead of a distance: the walk ends here */

static u64 memo[1 << MEMO_BITS]; /* low half: address; high half: distance */
static DEFINE_PER_CPU(u32, walks);
static atomic_long_t mismatches;

static u64 *memo_slot(unsigned long ip)
{
	return &memo[hash_32(ip, MEMO_BITS)];
}

static void memo_store(unsigned long ip, u32 distance)
{
	if (ip >= __START_KERNEL_map)
		WRITE_ONCE(*memo_slot(ip), (u64)distance << 32 | (u32)ip);
}

static unsigned long walk_memo(unsigned long ip, unsigned long sp)
{
	int i;

	for (i = 0; i < HOPS_MAX; i++) {
		u64 entry = READ_ONCE(*memo_slot(ip));

		if ((u32)entry != (u32)ip || ip < __START_KERNEL_map)
			return 0;
		if (entry >> 32 == SITE)
			return ip;
		sp += entry >> 32;
		ip = *(unsigned long *)(sp - sizeof(long));
	}
	return 0;
}

/* Walk with the unwinder from the frame at ip and sp, and remember. */
static noinline unsigned long walk_unwinder(unsigned long ip, unsigned long sp)
{
	struct walk walk = { false };
	struct unwind_state state;
	unsigned long last_ip = 0, last_sp = 0;

	for (unwind_start(&state, current, NULL, NULL);
	     !unwind_done(&state) && !unwind_error(&state);
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		if (!last_ip && (addr != ip || state.sp != sp))
			continue; /* not yet at the probe's caller */
		/* the stack may hold a tracer's trampoline instead */
		if (last_ip && !state.signal &&
		    *(unsigned long *)(state.sp - sizeof(long)) == addr)
			memo_store(last_ip, state.sp - last_sp);
		if (is_call_site(&walk, addr)) {
			memo_store(addr, SITE);
			return addr;
		}
		last_ip = addr;
		last_sp = state.sp;
	}
	return 0;
}

unsigned long kmt_callsite_of_stack(unsigned long ip, unsigned long sp)
{
	unsigned long site = walk_memo(ip, sp), checked;

	if (likely(site && __this_cpu_inc_return(walks) % CHECK_EVERY))
		return site;
	checked = walk_unwinder(ip, sp);
	if (site && checked && site != checked) {
		atomic_long_inc(&mismatches);
		memset(memo, 0, sizeof(memo));
	}
	return checked;
}

unsigned long kmt_callsite_mismatches(void)
{
	return atomic_long_read(&mismatches);
}

#else

/* Deep enough for a tracepoint inside the longest chain of the allocator. */
#define FRAMES 16

unsigned long kmt_callsite_of_stack(unsigned long ip, unsigned long sp)
{
	unsigned long frames[FRAMES];
	struct walk walk = { false };
	unsigned int depth, i;

	depth = stack_trace_save(frames, FRAMES, 1);
	for (i = 0; i < depth; i++)
		if (is_call_site(&walk, frames[i]))
			return frames[i];
	return 0;
}

unsigned long kmt_callsite_mismatches(void)
{
	return 0;
}

#endif

unsigned int kmt_callsite_functions(void)
{
	return count;
}
