/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the kernel that allocate memory for their callers: the allocators, and
 * wrappers around them. A call site is the first caller outside of them.
 */
#ifndef KMT_BASE_ALLOCATORS_H
#define KMT_BASE_ALLOCATORS_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_allocators_init() - find the functions of the allocators and the wrappers
 *
 * Functions that this kernel does not have are left out.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_allocators_init(void);

/**
 * kmt_allocators_exit() - undo kmt_allocators_init()
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_allocators_exit(void);

/**
 * kmt_site_is_allocator() - check whether a call site is in an allocator
 * @site: return address
 *
 * Context: any.
 */
bool kmt_site_is_allocator(unsigned long site);

/**
 * kmt_site_is_pages_bulk() - check whether a call site is in the bulk allocation of pages
 * @site: return address
 *
 * Context: any.
 */
bool kmt_site_is_pages_bulk(unsigned long site);

/**
 * kmt_site_is_kmalloc() - check whether a call site is in kmalloc() itself
 * @call_site: from the tracepoint kmalloc
 *
 * On newer kernels (6.12, but not 6.1), a large kmalloc() of a size that is not constant
 * fires its tracepoint twice: first with a call site in kmalloc(), then with the
 * caller's. Since 6.15, a large kvmalloc() does the same.
 *
 * Context: any.
 */
bool kmt_site_is_kmalloc(unsigned long call_site);

/**
 * kmt_site_is_slab() - check whether a call site allocates the pages of slabs
 * @site: return address
 *
 * Context: any.
 */
bool kmt_site_is_slab(unsigned long site);

/**
 * kmt_site_is_inner() - check whether an allocator allocates for its own use
 * @site: return address
 *
 * Also true for the call sites of kmt_site_is_slab().
 *
 * Context: any.
 */
bool kmt_site_is_inner(unsigned long site);

/**
 * kmt_site_is_wrapper() - check whether a call site is in a wrapper
 * @site: return address
 *
 * Context: any, interrupts off.
 */
bool kmt_site_is_wrapper(unsigned long site);

/**
 * kmt_wrapper_set() - add or remove a wrapper
 * @name: the function to add; "!" and the function to remove it
 *
 * Adding a wrapper again does nothing. Call kmt_callsite_forget() after one or more
 * changes.
 *
 * Context: may sleep; waits for a grace period.
 * Return: 0; -ENOENT if the function is not found, or to be removed and no wrapper;
 * -ENOSPC if there are already 512 wrappers; -ENOMEM.
 */
int kmt_wrapper_set(const char *name);

/**
 * kmt_wrappers_clear() - remove all wrappers
 *
 * Call kmt_callsite_forget() afterwards.
 *
 * Context: may sleep; waits for a grace period.
 * Return: 0 or -ENOMEM.
 */
int kmt_wrappers_clear(void);

/**
 * kmt_wrappers_show() - print the names of the wrappers, one in a line
 * @m: file to print to
 *
 * Context: may sleep.
 */
void kmt_wrappers_show(struct seq_file *m);

/**
 * kmt_allocators_count() - count the functions of the allocators that were found
 *
 * Context: any.
 */
unsigned int kmt_allocators_count(void);

#endif /* KMT_BASE_ALLOCATORS_H */
