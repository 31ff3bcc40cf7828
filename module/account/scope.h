/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks in effect (linux/kmemtrace_tag.h): for each task and level of context, the
 * static tag that allocations are charged to.
 */
#ifndef KMT_SCOPE_H
#define KMT_SCOPE_H

#include <linux/atomic.h>
#include <linux/types.h>

extern atomic_t kmt_scopes;

/**
 * kmt_scope_any() - whether any hook is in effect, in any task
 *
 * Context: any.
 */
static __always_inline bool kmt_scope_any(void)
{
	return atomic_read(&kmt_scopes);
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
