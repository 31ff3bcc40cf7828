/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the caller of an allocator if the tracepoint does not name it: events of pages
 * have no caller, a large kmalloc() may name the allocator itself, and some callers are
 * wrappers, which allocate for their own callers.
 */
#ifndef KMT_CALLSITE_H
#define KMT_CALLSITE_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_callsite_init() - find the functions of the allocators and the wrappers
 *
 * Functions that this kernel does not have are left out.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_callsite_init(void);

/**
 * kmt_callsite_exit() - undo kmt_callsite_init()
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_callsite_exit(void);

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

/**
 * kmt_callsite_of_stack() - find the call site of an event without a caller
 * @ip: return address of the probe
 * @sp: canonical frame address of the probe: the stack pointer after it has returned
 *
 * Walks up the stack past the tracepoint, the functions of the allocators, and the
 * wrappers.
 *
 * Context: any, interrupts off. NMI-safe.
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
 * Context: any.
 */
void kmt_callsite_forget(void);

/**
 * kmt_callsite_is_wrapper() - check whether a call site is in a wrapper
 * @site: return address
 *
 * Context: any, interrupts off.
 */
bool kmt_callsite_is_wrapper(unsigned long site);

/**
 * kmt_callsite_is_slab() - check whether a call site allocates the pages of slabs
 * @site: return address
 *
 * Context: any.
 */
bool kmt_callsite_is_slab(unsigned long site);

/**
 * kmt_callsite_is_inner() - check whether an allocator allocates for its own use
 * @site: return address
 *
 * Also true for the call sites of kmt_callsite_is_slab().
 *
 * Context: any.
 */
bool kmt_callsite_is_inner(unsigned long site);

/**
 * kmt_callsite_set_wrapper() - add or remove a wrapper
 * @name: the function to add; "!" and the function to remove it
 *
 * Adding a wrapper again does nothing.
 *
 * Context: may sleep; waits for a grace period.
 * Return: 0; -ENOENT if the function is not found, or to be removed and no wrapper;
 * -ENOSPC if there are already 512 wrappers; -ENOMEM.
 */
int kmt_callsite_set_wrapper(const char *name);

/**
 * kmt_callsite_clear_wrappers() - remove all wrappers
 *
 * Context: may sleep; waits for a grace period.
 * Return: 0 or -ENOMEM.
 */
int kmt_callsite_clear_wrappers(void);

/**
 * kmt_callsite_show_wrappers() - print the names of the wrappers, one in a line
 * @m: file to print to
 *
 * Context: may sleep.
 */
void kmt_callsite_show_wrappers(struct seq_file *m);

/**
 * kmt_callsite_mismatches() - count walks with a wrong result
 *
 * One walk in 4096 on each CPU is repeated with the unwinder. A mismatch is a different
 * result.
 *
 * Context: any.
 */
unsigned long kmt_callsite_mismatches(void);

/**
 * kmt_callsite_is_kmalloc() - check whether a call site is in kmalloc() itself
 * @call_site: from the tracepoint kmalloc
 *
 * On newer kernels (6.12, but not 6.1), a large kmalloc() of a size that is not constant
 * fires its tracepoint twice: first with a call site in kmalloc(), then with the
 * caller's. Since 6.15, a large kvmalloc() does the same.
 *
 * Context: any.
 */
bool kmt_callsite_is_kmalloc(unsigned long call_site);

/**
 * kmt_callsite_functions() - count the functions of the allocators that were found
 *
 * Context: any.
 */
unsigned int kmt_callsite_functions(void);

#endif /* KMT_CALLSITE_H */
