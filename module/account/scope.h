/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks in effect (linux/kmemtrace_tag.h): which task, in which context, has
 * its allocations charged to a static tag.
 */
#ifndef KMT_SCOPE_H
#define KMT_SCOPE_H

#include <linux/atomic.h>
#include <linux/types.h>

extern atomic_t kmt_scopes;

/**
 * kmt_scope_any() - whether any hook at all is in effect
 *
 * Context: any.
 */
static __always_inline bool kmt_scope_any(void)
{
	return atomic_read(&kmt_scopes);
}

/**
 * kmt_scope_site() - the site that the innermost hook charges
 *
 * Context: a probe.
 * Return: the address of the tag; 0 if no hook is in effect here.
 */
unsigned long kmt_scope_site(void);

#endif /* KMT_SCOPE_H */
