/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called the allocator, where the tracepoint does not say: the events of
 * pages have no caller, and a large kmalloc may name the allocator itself.
 */
#ifndef KMT_CALLSITE_H
#define KMT_CALLSITE_H

#include <linux/types.h>

/**
 * kmt_callsite_init() - look up where the allocator's functions lie
 *
 * Context: may sleep.
 * Return: 0; functions that this kernel does not have are left out.
 */
int kmt_callsite_init(void);

/**
 * kmt_callsite_of_stack() - the first caller outside the allocator
 * @ip: return address of the probe
 * @sp: its canonical frame address: where the stack pointer is once it has
 *	returned
 *
 * Walks up the stack past the tracepoint and the functions of the page and
 * the per-CPU allocator.
 *
 * Context: any, interrupts off.
 * Return: the return address in that caller; 0 where the stack ends first.
 */
unsigned long kmt_callsite_of_stack(unsigned long ip, unsigned long sp);

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
 * within, with a call site in kmalloc(), then with the caller's.
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
