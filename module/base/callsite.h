/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The caller of the allocator, where the tracepoint does not name it: the events of
 * pages have no caller, a large kmalloc may name the allocator itself, and
 * some callers are wrappers that allocate on behalf of others.
 */
#ifndef KMT_CALLSITE_H
#define KMT_CALLSITE_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_callsite_init() - look up where the allocator's functions lie
 *
 * Context: may sleep.
 * Return: 0; functions that this kernel does not have are left out. -ENOMEM.
 */
int kmt_callsite_init(void);

/**
 * kmt_callsite_exit() - forget them
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_callsite_exit(void);

/**
 * struct kmt_callsite - the caller of the allocator
 * @site: the return address in that caller; 0 where the stack ends first
 * @in_pages_bulk: it did so to get pages in bulk; said only while that is
 *	hooked (hook.h)
 */
struct kmt_callsite {
	unsigned long site;
	bool in_pages_bulk;
};

/**
 * kmt_callsite_of_stack() - the first caller outside the allocator
 * @ip: return address of the probe
 * @sp: its canonical frame address: where the stack pointer is once it has
 *	returned
 *
 * Walks up the stack past the tracepoint, the functions of the allocators and
 * the wrappers.
 *
 * Context: any, interrupts off.
 * Return: where it is called from.
 */
struct kmt_callsite kmt_callsite_of_stack(unsigned long ip, unsigned long sp);

/**
 * kmt_callsite_of_caller() - the same, from a function of the allocator
 * @ip: its return address
 * @sp: its canonical frame address
 * @entry: where it is traced, up to 16 bytes from its start on
 *
 * A caller that ends in a tail call leaves no return address. It is found by the
 * call instruction before @ip, unless that is an indirect call.
 *
 * Context: any, preemption disabled.
 * Return: the return address in the first caller that is no wrapper, or the address
 * of the second byte of a caller that made a tail call; @ip if the stack ends first.
 */
unsigned long kmt_callsite_of_caller(unsigned long ip, unsigned long sp,
				     unsigned long entry);

/**
 * kmt_unknown_call_site() - stands for a call site that could not be found
 *
 * Never called: the address of its second byte (as if a call returned there) is
 * the site of allocations that no other site is charged with, and its name says so
 * wherever a site is shown.
 */
void kmt_unknown_call_site(void);

/**
 * kmt_callsite_stack() - the return addresses on the stack
 * @ip: the first
 * @sp: stack pointer of the function that it is in
 * @stack: gets them; if the stack cannot be made out from @ip on, those of our
 *	own functions come first
 * @depth: room in @stack
 *
 * Context: any, interrupts off.
 * Return: how many there are.
 */
unsigned int kmt_callsite_stack(unsigned long ip, unsigned long sp,
				unsigned long *stack, unsigned int depth);

/**
 * kmt_callsite_forget() - forget what was learned of stacks
 *
 * When code came or went.
 *
 * Context: any.
 */
void kmt_callsite_forget(void);

/**
 * kmt_callsite_is_wrapper() - whether a call site is looked through
 * @site: return address
 *
 * Context: any, interrupts off.
 */
bool kmt_callsite_is_wrapper(unsigned long site);

/**
 * kmt_callsite_is_slab() - whether a call site gets the pages of slabs
 * @site: return address
 *
 * Context: any.
 */
bool kmt_callsite_is_slab(unsigned long site);

/**
 * kmt_callsite_is_inner() - whether an allocator allocates for its own needs
 * @site: return address
 *
 * Context: any.
 */
bool kmt_callsite_is_inner(unsigned long site);

/**
 * kmt_callsite_set_wrapper() - look through a function, or no longer
 * @name: the function; with a "!" in front, no longer
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if the kernel has no such function, or it was no wrapper;
 * -ENOSPC if there are too many; -ENOMEM.
 */
int kmt_callsite_set_wrapper(const char *name);

/**
 * kmt_callsite_clear_wrappers() - look through no function
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_callsite_clear_wrappers(void);

/**
 * kmt_callsite_show_wrappers() - list the functions that are looked through
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_callsite_show_wrappers(struct seq_file *m);

/**
 * kmt_callsite_mismatches() - call sites that a check found to be wrong
 *
 * One call site in 4096 is looked for in a second way.
 *
 * Context: any.
 */
unsigned long kmt_callsite_mismatches(void);

/**
 * kmt_callsite_is_kmalloc() - whether a call site is kmalloc() itself
 * @call_site: as the tracepoint kmalloc gave it
 *
 * On newer kernels (6.12 does, 6.1 does not) a large
 * kmalloc() whose size is no constant fires its tracepoint twice: first from
 * within, with a call site in kmalloc(), then with the caller's. So does a large
 * kvmalloc() since 6.15.
 *
 * Context: any.
 */
bool kmt_callsite_is_kmalloc(unsigned long call_site);

/**
 * kmt_callsite_functions() - how many of the allocator's functions were found
 *
 * Context: any.
 */
unsigned int kmt_callsite_functions(void);

#endif /* KMT_CALLSITE_H */
