/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks in effect (linux/kmemtrace_tag.h): for each task and level of context, the
 * static tag that allocations are charged to.
 */
#ifndef KMT_SCOPE_H
#define KMT_SCOPE_H

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct kmt_alloc_scope;

#define KMT_SCOPE_LIST_BITS 6

/**
 * struct kmt_scope_list - the hooks in effect of some tasks
 * @lock: guards the list
 * @first: the innermost hook of one of them
 *
 * Each has a cache line of its own, because tasks on different CPUs write them.
 */
struct kmt_scope_list {
	arch_spinlock_t lock;
	struct kmt_alloc_scope *first;
} ____cacheline_aligned_in_smp;

extern struct kmt_scope_list kmt_scope_lists[1 << KMT_SCOPE_LIST_BITS];
extern bool kmt_scope_used; /* a hook has been in effect; see also KMT_MODE_HOOKED */

/* Return: the list of the current task. */
static __always_inline struct kmt_scope_list *kmt_scope_list(void)
{
	return &kmt_scope_lists[hash_ptr(current, KMT_SCOPE_LIST_BITS)];
}

/**
 * kmt_scope_any() - whether a hook may be in effect in this task
 *
 * Takes no lock, and reads nothing that all CPUs write. If a hook of this task is in
 * effect, the task has entered it, so the answer is true.
 *
 * Context: any.
 * Return: also true for a hook of another task, or level of context, in the same list.
 */
static __always_inline bool kmt_scope_any(void)
{
	return unlikely(READ_ONCE(kmt_scope_used)) &&
	       READ_ONCE(kmt_scope_list()->first);
}

/**
 * kmt_scope_site() - the site of the innermost hook in effect
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: address of the static tag; 0 if no hook is in effect in this task and
 * context.
 */
unsigned long kmt_scope_site(void);

#endif /* KMT_SCOPE_H */
