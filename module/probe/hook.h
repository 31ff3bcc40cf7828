/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks on functions of the kernel that allocate, free or move memory without a
 * tracepoint: bulk operations, page migration and compaction.
 *
 * A hook on the entry of a function uses ftrace. A hook that needs the return value
 * uses a kretprobe.
 */
#ifndef KMT_HOOK_H
#define KMT_HOOK_H

#include <linux/types.h>

struct module;
struct seq_file;

/**
 * enum kmt_hook - the hooks, by the function that each one is attached to
 * @KMT_HOOK_FREE_BULK: kmem_cache_free_bulk(); kfree_bulk() and the batches of
 *	kfree_rcu() call it
 * @KMT_HOOK_FREE_SHEAF: __kfree_rcu_sheaf(); kfree_rcu() of one object calls it
 *	since v6.18
 * @KMT_HOOK_ALLOC_BULK: kmem_cache_alloc_bulk()
 * @KMT_HOOK_PAGES_BULK: alloc_pages_bulk_*()
 * @KMT_HOOK_MIGRATE: folio_migrate_flags()
 * @KMT_HOOK_MIGRATE_ZSMALLOC: zs_page_migrate(), which may be in a module. Pages of
 *	a driver migrate without folio_migrate_flags()
 * @KMT_HOOK_MIGRATE_BALLOON: balloon_page_migrate()
 * @KMT_HOOK_COMPACT_FREE: compaction_free(), in which compaction gives up one
 *	migration target that it had taken from the free lists
 * @KMT_HOOK_COMPACT_RELEASE: KMT_COMPACTION_RELEASE (compat.h), which frees all
 *	migration targets that compaction did not use
 * @KMT_HOOK_CACHE_RELEASE: slab_kmem_cache_release(), which frees a struct kmem_cache
 * @KMT_HOOKS: number of hooks
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
	KMT_HOOK_CACHE_RELEASE,
	KMT_HOOKS
};

/**
 * kmt_hook_init() - find the functions of the kernel that hooks are attached to
 *
 * Context: loading of the module; after kmt_allocators_init().
 * Return: 0, also if the kernel lacks some of the functions.
 */
int kmt_hook_init(void);

/**
 * kmt_hook_attach() - attach hooks
 * @hooks: mask of the hooks, by number; those that are attached stay so
 *
 * A hook is left out if the kernel lacks its function, or if ftrace or kprobes refuse it.
 *
 * Context: may sleep; under kmt_event_lock().
 * Return: 0; -ENOMEM, after which some of the hooks may be attached.
 */
int kmt_hook_attach(u32 hooks);

/**
 * kmt_hook_detach() - detach hooks
 * @hooks: mask of the hooks, by number; they may be detached already
 *
 * When this returns, the handlers of these hooks no longer run on any CPU.
 *
 * Context: may sleep; under kmt_event_lock().
 */
void kmt_hook_detach(u32 hooks);

/**
 * kmt_hook_detach_module() - detach the hooks on functions of a module
 * @module: the module, which is being unloaded
 *
 * Context: may sleep; under kmt_event_lock().
 */
void kmt_hook_detach_module(const struct module *module);

/**
 * kmt_hook_exit() - free the memory that ftrace keeps for the hooks
 *
 * Context: may sleep; all hooks are detached and will not be attached again.
 */
void kmt_hook_exit(void);

/**
 * kmt_hook_attached() - whether a hook is attached
 * @hook: the hook
 *
 * Context: any.
 */
bool kmt_hook_attached(enum kmt_hook hook);

/**
 * kmt_hook_lacking() - whether there was no function to attach a hook on return to
 * @hook: the hook
 *
 * Context: any.
 */
bool kmt_hook_lacking(enum kmt_hook hook);

/**
 * kmt_hook_missed() - number of calls that hooks missed
 *
 * Context: any.
 * Return: the calls that attached kretprobes missed since they were attached, plus
 * the bulk allocations of pages since load that the module may have seen in part only.
 */
u64 kmt_hook_missed(void);

#endif /* KMT_HOOK_H */
