/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the kernel that allocate memory for their callers: the allocators, and
 * wrappers around them. A call site is the first caller outside of them.
 */
#ifndef KMT_BASE_ALLOCATORS_H
#define KMT_BASE_ALLOCATORS_H

#include <linux/bits.h>
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

/* kinds of functions */
#define KMT_FUNCTION_KMALLOC	BIT(0) /* kmalloc() itself */
#define KMT_FUNCTION_ALLOCATOR	BIT(1)
#define KMT_FUNCTION_SLAB	BIT(2) /* allocates the pages of slabs */
#define KMT_FUNCTION_INNER	BIT(3) /* allocates for the allocator's own use */
#define KMT_FUNCTION_PAGES_BULK BIT(4) /* the bulk allocation of pages */
#define KMT_FUNCTION_WRAPPER	BIT(5)
#define KMT_FUNCTION_BACKING	BIT(6) /* what it allocates backs or describes other objects */
#define KMT_FUNCTION_HOOKED	BIT(7) /* see kmt_allocators_hooked() */

/**
 * kmt_site_kinds() - get the kinds of the function that contains a call site
 * @site: return address
 *
 * Context: any.
 * Return: mask of KMT_FUNCTION_*, without KMT_FUNCTION_WRAPPER and KMT_FUNCTION_HOOKED. Where a site is SLAB, it
 * is also INNER.
 */
u32 kmt_site_kinds(unsigned long site);

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
static inline bool kmt_site_is_kmalloc(unsigned long call_site)
{
	return kmt_site_kinds(call_site) & KMT_FUNCTION_KMALLOC;
}

/**
 * kmt_site_is_slab() - check whether a call site allocates the pages of slabs
 * @site: return address
 *
 * Context: any.
 */
static inline bool kmt_site_is_slab(unsigned long site)
{
	return kmt_site_kinds(site) & KMT_FUNCTION_SLAB;
}

/**
 * kmt_site_is_wrapper() - check whether a call site is in a wrapper
 * @site: return address
 *
 * Context: any, interrupts or preemption off.
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
 * kmt_allocators_hooked() - find a function whose arguments a hook can read
 * @name: one of KMT_HOOKED_FUNCTIONS
 *
 * A clone of link time optimisation (NAME.llvm.1234, NAME.lto_priv.0) has the arguments of its
 * source, and is found as well.
 *
 * Context: any.
 * Return: its address; 0 if the kernel itself has no such function, or several.
 */
unsigned long kmt_allocators_hooked(const char *name);

/**
 * kmt_allocators_show_missing() - print the names of lib/kmt_allocators.h that the kernel
 * does not have, as a line of stats
 * @m: file to print to
 *
 * A name of KMT_HOOKED_FUNCTIONS is also among them if there are clones with other arguments, whose
 * calls a hook misses. Names of other releases of the kernel are always among them.
 *
 * Context: may sleep.
 */
void kmt_allocators_show_missing(struct seq_file *m);

/**
 * kmt_allocators_count() - count the functions of the allocators that were found
 *
 * Context: any.
 */
unsigned int kmt_allocators_count(void);

#endif /* KMT_BASE_ALLOCATORS_H */
