/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks on functions that allocate or free without a tracepoint: several
 * objects or pages at once, and pages whose content moves.
 *
 * On entry ftrace calls us; where the result is wanted, a kretprobe.
 */
#ifndef KMT_HOOK_H
#define KMT_HOOK_H

#include <linux/types.h>

struct module;
struct seq_file;

/**
 * enum kmt_hook - what can be hooked
 * @KMT_HOOK_FREE_BULK: kmem_cache_free_bulk(), which kfree_bulk() and the
 *	batches of kfree_rcu() end in
 * @KMT_HOOK_FREE_SHEAF: __kfree_rcu_sheaf(), in which kfree_rcu() of one object
 *	ends since v6.18
 * @KMT_HOOK_ALLOC_BULK: kmem_cache_alloc_bulk()
 * @KMT_HOOK_PAGES_BULK: alloc_pages_bulk_*()
 * @KMT_HOOK_MIGRATE: folio_migrate_flags()
 * @KMT_HOOK_MIGRATE_ZSMALLOC: zs_page_migrate(), which may be in a module;
 *	pages of a driver migrate without folio_migrate_flags()
 * @KMT_HOOK_MIGRATE_BALLOON: balloon_page_migrate()
 * @KMT_HOOK_COMPACT_FREE: compaction_free(), where compaction gives up a page
 *	that it took from the free lists to migrate another one to
 * @KMT_HOOK_COMPACT_RELEASE: what gives back those of them that it did not use
 * @KMT_HOOKS: how many there are
 */
enum kmt_hook {
	KMT_HOOK_FREE_BULK,
	KMT_HOOK_FREE_SHEAF,
	KMT_HOOK_ALLOC_BULK,
	KMT_HOOK_PAGES_BULK,
	KMT_HOOK_MIGRATE,
	KMT_HOOK_MIGRATE_ZSMALLOC,
	KMT_HOOK_MIGRATE_BALLOON,
	KMT_HOOK_COMPACT_FREE,
	KMT_HOOK_COMPACT_RELEASE,
	KMT_HOOKS
};

/**
 * kmt_hook_attach() - call the probe of a hook from now on
 * @hook: which
 *
 * Context: may sleep.
 * Return: 0, also if it is attached; -ENOENT if the kernel lacks the function;
 * an error of ftrace or kprobes.
 */
int kmt_hook_attach(enum kmt_hook hook);

/**
 * kmt_hook_detach() - do so no longer
 * @hook: which; may be detached
 *
 * When this returns its probe does not run any more.
 *
 * Context: may sleep.
 */
void kmt_hook_detach(enum kmt_hook hook);

/**
 * kmt_hook_detach_module() - detach what is hooked in a module that goes
 * @module: the module
 *
 * Context: may sleep.
 */
void kmt_hook_detach_module(const struct module *module);

/**
 * kmt_hook_exit() - free what ftrace keeps for the hooks
 *
 * Context: may sleep; all are detached, for good.
 */
void kmt_hook_exit(void);

/**
 * kmt_hook_attached() - whether a hook is attached
 * @hook: which
 *
 * Context: any.
 */
bool kmt_hook_attached(enum kmt_hook hook);

/**
 * kmt_hook_missed() - calls that could not be seen
 *
 * Context: any.
 * Return: of allocations, since their hook was attached.
 */
u64 kmt_hook_missed(void);

#endif /* KMT_HOOK_H */
