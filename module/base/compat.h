/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between kernels. The oldest kernel is 6.1. Each entry names the
 * commit that made the difference.
 */
#ifndef KMT_COMPAT_H
#define KMT_COMPAT_H

/* Hooks and walks of the stack depend on the layout of the stack and of registers. */
#ifndef CONFIG_X86_64
#error "kmemtrace works on x86-64 only; build it for a kernel of that machine"
#endif

#include <linux/mmzone.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>

/*
 * The visitor of kallsyms_on_each_symbol() took the module as well until Linux commit
 * 3703bd54cd37 ("kallsyms: Delete an unused parameter related to
 * {module_}kallsyms_on_each_symbol()") (in v6.4).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KMT_SYMBOL_ARGS void *data, const char *name, unsigned long addr
#else
#define KMT_SYMBOL_ARGS                                                        \
	void *data, const char *name, struct module *module, unsigned long addr
#endif

/*
 * Handlers of sysctls take a const table since Linux commit 78eb4ea25cd5
 * ("sysctl: treewide: constify the ctl_table argument of proc_handlers")
 * (in v6.11).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define KMT_CTL_TABLE const struct ctl_table
#else
#define KMT_CTL_TABLE struct ctl_table
#endif

/*
 * register_sysctl() as a macro knows the length of a table, and treats an empty entry
 * at its end as an error (v6.6, v6.11). As a function, it needs that entry.
 */
#ifdef register_sysctl
#define KMT_SYSCTL_END
#else
#define KMT_SYSCTL_END { }
#endif

/*
 * The bulk allocation of pages could return pages in a list or in an array. Since Linux
 * commit c8b979530f27 ("mm: alloc_pages_bulk_noprof: drop page_list argument") (in
 * v6.14), it only takes an array, and its name has lost "_array".
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define KMT_PAGES_BULK_LIST_ARG	 -1
#define KMT_PAGES_BULK_ARRAY_ARG 4
#define kmt_alloc_pages_bulk	 alloc_pages_bulk
#else
#define KMT_PAGES_BULK_LIST_ARG	 4
#define KMT_PAGES_BULK_ARRAY_ARG 5
#define kmt_alloc_pages_bulk	 alloc_pages_bulk_array
#endif

/*
 * kvmalloc() called kmalloc() before v6.15, and was the call site of that kmalloc().
 * Since v6.15 ("slab: Adjust placement of __kvmalloc_node_noprof"), the code of kmalloc()
 * is inlined in it. A large kvmalloc() then fires the tracepoint twice, first with a call
 * site in itself.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define KMT_KVMALLOC_FUNCTIONS(X) X("__kvmalloc_node_noprof")
#else
#define KMT_KVMALLOC_FUNCTIONS(X)
#endif

/*
 * Compaction splits the pages that it takes from the free lists into single pages before
 * v6.9. Since v6.9 ("mm/compaction: enable compacting >0 order folios"), it has a list
 * for each order, and another function gives pages back to the free lists.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define KMT_COMPACTION_LISTS   NR_PAGE_ORDERS
#define KMT_COMPACTION_RELEASE "release_free_list"
#else
#define KMT_COMPACTION_LISTS   1
#define KMT_COMPACTION_RELEASE "release_freepages"
#endif

/*
 * The bulk allocation of objects allocates all or none. It returned the number of objects
 * until Linux commit 6bb0009862c5 ("mm/slab: improve kmem_cache_alloc_bulk") (in v7.2).
 * Since then it returns a bool, for which only 8 bits of the register are valid.
 */
#define kmt_bulk_was_allocated(returned)                                       \
	(sizeof(kmem_cache_alloc_bulk(NULL, 0, 0, NULL)) == sizeof(bool) ?     \
		 (u8)(returned) :                                              \
		 (int)(returned))

/*
 * Pages that are not on an LRU list, but that their driver can move, had a mark in
 * page->mapping until Linux commit 84caf98838a3 ("mm: convert "movable" flag in
 * page->mapping to a page flag") (in v6.17). @page is the head of a compound page.
 */
#ifdef PAGE_MAPPING_MOVABLE
#define kmt_page_is_movable(page) __PageMovable(page)
#else
#define kmt_page_is_movable(page) page_has_movable_ops(page)
#endif

/*
 * A page of a page_pool counts its parts in a member of its own, which has another name since
 * Linux commit 0a149ab78ee2 ("page_pool: transition to reference count management after page
 * draining") (in v6.8). Since v6.16, and in later releases of v6.12, the mark also contains
 * a number of the page, which PP_MAGIC_MASK leaves out.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define kmt_page_pool_parts(page) atomic_long_read(&(page)->pp_ref_count)
#else
#define kmt_page_pool_parts(page) atomic_long_read(&(page)->pp_frag_count)
#endif
#ifdef PP_MAGIC_MASK
#define kmt_page_is_of_pool(page) (((page)->pp_magic & PP_MAGIC_MASK) == PP_SIGNATURE)
#else
#define kmt_page_is_of_pool(page) (((page)->pp_magic & ~3ul) == PP_SIGNATURE)
#endif

/*
 * Newer kernels mark the pages of a large kmalloc() (PageLargeKmalloc()). v6.12 did not, and
 * v6.16 does.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define kmt_page_is_large_kmalloc(page) PageLargeKmalloc(page)
#else
#define kmt_page_is_large_kmalloc(page) false
#endif

/* v6.18 has another name for the workqueue that is not bound to a CPU, and warns about the old. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define kmt_unbound_wq system_dfl_wq
#else
#define kmt_unbound_wq system_unbound_wq
#endif

/*
 * Shrinkers are allocated since Linux commit c42d50aefd17 ("mm: shrinker: add infrastructure for
 * dynamically allocating shrinker") (in v6.7). kmt_shrinker_free() accepts NULL, and a shrinker
 * that is not registered.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define kmt_shrinker_alloc(flags, name)	 shrinker_alloc(flags, name)
#define kmt_shrinker_register(s, name)	 ({ shrinker_register(s); 0; })
#define kmt_shrinker_free(s)		 shrinker_free(s)
#else
static inline struct shrinker *kmt_shrinker_alloc(unsigned int flags, const char *name)
{
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s) {
		s->flags = flags;
		s->seeks = DEFAULT_SEEKS;
	}
	return s;
}

#define kmt_shrinker_register(s, name) register_shrinker(s, name)

static inline void kmt_shrinker_free(struct shrinker *s)
{
	if (s)
		unregister_shrinker(s);
	kfree(s);
}
#endif

/*
 * Confidential guests accept memory when it is needed. Until then, it is in blocks of the
 * highest order (PageUnaccepted(), since v6.12).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define kmt_page_is_unaccepted(page) PageUnaccepted(page)
#else
#define kmt_page_is_unaccepted(page) false
#endif

/*
 * The highest order of a free block; MAX_ORDER was one more until Linux commit 23baf831a32c
 * ("mm, treewide: redefine MAX_ORDER sanely") (in v6.4), and then became MAX_PAGE_ORDER.
 */
#ifdef MAX_PAGE_ORDER
#define KMT_ORDER_MAX MAX_PAGE_ORDER
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KMT_ORDER_MAX MAX_ORDER
#else
#define KMT_ORDER_MAX (MAX_ORDER - 1)
#endif

/*
 * The lock of the free pages that a CPU keeps: an interrupt waited for it until Linux commit
 * 574907741599 ("mm/page_alloc: leave IRQs enabled for per-cpu page allocations") (in v6.2).
 * Since then, interrupts only try to take it, on a kernel for several CPUs. The lock is held by
 * another task for a moment only, so the caller may try again.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && defined(CONFIG_SMP)
#define kmt_pcp_trylock(pcp, flags)                                            \
	({ (flags) = 0; spin_trylock(&(pcp)->lock); })
#define kmt_pcp_unlock(pcp, flags)                                             \
	do { (void)(flags); spin_unlock(&(pcp)->lock); } while (0)
#else
#define kmt_pcp_trylock(pcp, flags) spin_trylock_irqsave(&(pcp)->lock, flags)
#define kmt_pcp_unlock(pcp, flags)                                             \
	spin_unlock_irqrestore(&(pcp)->lock, flags)
#endif

/*
 * A pageblock has a separate bit for isolation, beside its migratetype, since Linux
 * commit e904bce2d9d4 ("mm/page_isolation: make page isolation a standalone bit") (in
 * v6.17). @bits are the bits that the kernel keeps for a pageblock.
 */
#ifdef PB_migratetype_bits
#define kmt_migratetype(bits) ((bits) & GENMASK(PB_migratetype_bits - 1, 0))
#elif defined(CONFIG_MEMORY_ISOLATION)
#define kmt_migratetype(bits)                                                  \
	((bits) & PAGEBLOCK_ISO_MASK ? MIGRATE_ISOLATE :                       \
				       (bits) & PAGEBLOCK_MIGRATETYPE_MASK)
#else
#define kmt_migratetype(bits) ((bits) & PAGEBLOCK_MIGRATETYPE_MASK)
#endif

/*
 * A struct module describes each kind of its memory separately since Linux commit
 * ac3b43283923 ("module: replace module_layout with module_memory") (in v6.4). These
 * macros return the code of a module, and the code that is freed after initialisation.
 */
#ifdef mod_mem_type_is_init
#define kmt_module_text(m)	     ((m)->mem[MOD_TEXT].base)
#define kmt_module_text_size(m)	     ((m)->mem[MOD_TEXT].size)
#define kmt_module_init_text(m)	     ((m)->mem[MOD_INIT_TEXT].base)
#define kmt_module_init_text_size(m) ((m)->mem[MOD_INIT_TEXT].size)
#else
#define kmt_module_text(m)	     ((m)->core_layout.base)
#define kmt_module_text_size(m)	     ((m)->core_layout.text_size)
#define kmt_module_init_text(m)	     ((m)->init_layout.base)
#define kmt_module_init_text_size(m) ((m)->init_layout.text_size)
#endif

/*
 * Tracepoints called their probes with preemption disabled. Since v6.19, they do not
 * ("tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast").
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define kmt_probe_pin()	  preempt_disable_notrace()
#define kmt_probe_unpin() preempt_enable_notrace()
#else
#define kmt_probe_pin()	  ((void)0)
#define kmt_probe_unpin() ((void)0)
#endif

/*
 * Only built-in code can use init_mm. On x86, the page tables of each process contain
 * those of the kernel for the ranges of vmalloc() and of modules.
 */
#define kmt_kernel_pgd(addr) pgd_offset(current->active_mm, addr)

/* sparse 0.6.4 does not know this builtin of gcc and clang. */
#ifdef __CHECKER__
#define __builtin_dwarf_cfa() ((void *)0)
#endif

#endif /* KMT_COMPAT_H */
