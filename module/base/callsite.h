/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the caller of an allocator if the tracepoint does not name it: events of pages
 * have no caller, a large kmalloc() may name the allocator itself, and some callers are
 * wrappers, which allocate for their own callers.
 */
#ifndef KMT_CALLSITE_H
#define KMT_CALLSITE_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct kmt_callsite - a call site, as found on the stack
 * @site: the return address in the first function that is neither allocator nor
 *	wrapper; 0 if the stack ends before
 * @in_pages_bulk: the call site called the bulk allocation of pages; only known while
 *	that function is hooked (hook.h), else false
 */
struct kmt_callsite {
	unsigned long site;
	bool in_pages_bulk;
};

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

/* see callsite.c: frames of the functions of the allocators, and call sites */
#define KMT_CALLSITE_BITS	 12
#define KMT_CALLSITE_CHECK_EVERY 4096 /* walks; a power of two */
/* instead of a distance: the walk ends. Special distances are beyond the end of a page. */
#define KMT_CALLSITE_END	 0xffffffffu

extern u64 kmt_callsite_entries[1 << KMT_CALLSITE_BITS];
DECLARE_PER_CPU(u32, kmt_callsite_walks);

/* Return: whether the walk with this number is repeated with the unwinder. */
static __always_inline bool kmt_callsite_is_checked(u32 number)
{
	return !(number % KMT_CALLSITE_CHECK_EVERY);
}

/**
 * kmt_callsite_simple() - find the call site of an event, in the common case
 * @ip: as for kmt_callsite_of_stack()
 * @sp: as for kmt_callsite_of_stack()
 * @site: set to the call site, which has not called the bulk allocation of pages
 *
 * It is a common case if all frames are in their slots, have one distance each, and are
 * in one page.
 *
 * Context: any. NMI-safe.
 * Return: false if kmt_callsite_of_stack() must be called.
 */
static __always_inline bool kmt_callsite_simple(unsigned long ip,
						unsigned long sp,
						unsigned long *site)
{
	/* not the end of the page: the stack of CPU 0's idle task is in the topmost 2 GiB */
	unsigned long room = PAGE_ALIGN(sp) - sp;
	u64 entry;

	for (;;) {
		entry = READ_ONCE(kmt_callsite_entries[hash_32(
			(u32)ip, KMT_CALLSITE_BITS)]);
		/* the key is the low half of an address in the topmost 2 GiB */
		if (unlikely((s32)entry != (long)ip))
			return false;
		if (entry >> 32 >= room)
			break;
		room -= entry >> 32;
		sp += entry >> 32;
		ip = READ_ONCE_NOCHECK(*(unsigned long *)(sp - sizeof(long)));
	}
	if (unlikely((u32)(entry >> 32) != KMT_CALLSITE_END ||
		     kmt_callsite_is_checked(
			     this_cpu_read(kmt_callsite_walks))))
		return false;
	this_cpu_inc(kmt_callsite_walks);
	*site = ip;
	return true;
}

#else

static inline bool kmt_callsite_simple(unsigned long ip, unsigned long sp,
				       unsigned long *site)
{
	return false;
}

#endif

/**
 * kmt_callsite_of_stack() - find the call site of an event without a caller
 * @ip: return address of the probe
 * @sp: canonical frame address of the probe: the stack pointer after it has returned
 *
 * Walks up the stack past the tracepoint, the functions of the allocators, and the
 * wrappers.
 *
 * Context: any, preemption disabled. NMI-safe.
 * Return: the call site.
 */
struct kmt_callsite kmt_callsite_of_stack(unsigned long ip, unsigned long sp);

/**
 * kmt_callsite_of_caller() - find the call site from a function of an allocator
 * @ip: return address of the function
 * @sp: canonical frame address of the function
 * @entry: address where the function is traced, less than 16 bytes after its start
 *
 * A caller that ends in a tail call leaves no return address on the stack. The call
 * instruction before @ip shows it, except for an indirect call.
 *
 * Context: any, preemption disabled.
 * Return: the return address in the first caller that is no wrapper; the address of the
 * second byte of a caller that made a tail call; @ip if the stack ends before.
 */
unsigned long kmt_callsite_of_caller(unsigned long ip, unsigned long sp,
				     unsigned long entry);

/**
 * kmt_unknown_call_site() - stands for unknown call sites
 *
 * Never called. Allocations without a call site are charged to the address of its second
 * byte, as if a call returned there. Files that show sites then show this name.
 */
void kmt_unknown_call_site(void);

/**
 * kmt_callsite_stack() - get the stack trace
 * @ip: the first return address
 * @sp: canonical frame address of the function that returns to @ip
 * @stack: set to the return addresses, from @ip on. If the stack cannot be walked from
 *	@ip on, those of the module's own functions come first
 * @depth: size of @stack
 *
 * Context: any, interrupts off. NMI-safe.
 * Return: number of return addresses.
 */
unsigned int kmt_callsite_stack(unsigned long ip, unsigned long sp,
				unsigned long *stack, unsigned int depth);

/**
 * kmt_callsite_forget() - forget all frame sizes learned from the unwinder
 *
 * Call it when code was loaded or unloaded, because an address may then belong to other
 * code.
 *
 * Context: any, but too slow for a probe.
 */
void kmt_callsite_forget(void);

/**
 * kmt_callsite_exit() - wait until no worker forgets frame sizes
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_callsite_exit(void);

/**
 * kmt_callsite_mismatches() - count walks with a wrong result
 *
 * One walk in 4096 on each CPU is repeated with the unwinder. A mismatch is a different
 * result. A worker then forgets all frame sizes.
 *
 * Context: any.
 */
unsigned long kmt_callsite_mismatches(void);

#endif /* KMT_CALLSITE_H */
