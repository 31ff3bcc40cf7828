/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between kernels. The floor is 6.1. Each entry names the
 * change that made the difference.
 */
#ifndef KMT_COMPAT_H
#define KMT_COMPAT_H

/* The layout of the stack that hooks find, and how to walk it. */
#ifndef CONFIG_X86_64
#error "kmemtrace works on x86-64 only; build it for a kernel of that machine"
#endif

#include <linux/mmzone.h>
#include <linux/version.h>

/*
 * rchan_callbacks.subbuf_start lost its last argument, prev_padding, with
 * Linux commit 2489e958129f ("relayfs: abolish prev_padding") (in v6.17).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define KMT_SUBBUF_START_ARGS                                                  \
	struct rchan_buf *buf, void *subbuf, void *prev_subbuf
#else
#define KMT_SUBBUF_START_ARGS                                                  \
	struct rchan_buf *buf, void *subbuf, void *prev_subbuf,                \
		size_t prev_padding
#endif

/*
 * Handlers of sysctls get a const table since Linux commit 78eb4ea25cd5
 * ("sysctl: treewide: constify the ctl_table argument of proc_handlers")
 * (in v6.11).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define KMT_CTL_TABLE const struct ctl_table
#else
#define KMT_CTL_TABLE struct ctl_table
#endif

/*
 * register_sysctl() became a macro that knows how long a table is, and takes
 * an empty entry at its end for an error (v6.6, v6.11); as a function it needs
 * one.
 */
#ifdef register_sysctl
#define KMT_SYSCTL_END
#else
#define KMT_SYSCTL_END { }
#endif

/*
 * The bulk allocation of pages gives them in an array alone since Linux commit
 * c8b979530f27 ("mm: alloc_pages_bulk_noprof: drop page_list argument"), and
 * lost "_array" in its name with it (in v6.14). Before, it could put them on a
 * list.
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
 * kvmalloc() has the innards of kmalloc() inlined since v6.15 ("slab: Adjust
 * placement of __kvmalloc_node_noprof"), and fires the tracepoint of a large one
 * twice like that: first with a call site in itself. Before, it called kmalloc(),
 * for which it is the caller.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define KMT_KVMALLOC_FUNCTIONS(X) X("__kvmalloc_node_noprof")
#else
#define KMT_KVMALLOC_FUNCTIONS(X)
#endif

/*
 * What compaction takes from the free lists is in a list for each order since
 * v6.9 ("mm/compaction: enable compacting >0 order folios"), and what gives it
 * back got another name. Before, it was split into single pages.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define KMT_COMPACTION_LISTS   NR_PAGE_ORDERS
#define KMT_COMPACTION_RELEASE "release_free_list"
#else
#define KMT_COMPACTION_LISTS   1
#define KMT_COMPACTION_RELEASE "release_freepages"
#endif

/*
 * The bulk allocation of objects gives all or none. How many it gave it said
 * itself until Linux commit 6bb0009862c5 ("mm/slab: improve
 * kmem_cache_alloc_bulk") (in v7.2); then came a bool, of which the register
 * that it is returned in has 8 bits.
 */
#define kmt_bulk_was_allocated(returned)                                       \
	(sizeof(kmem_cache_alloc_bulk(NULL, 0, 0, NULL)) == sizeof(bool) ?     \
		 (u8)(returned) :                                              \
		 (int)(returned))

/*
 * Pages that are not of the LRU but that their driver can move were marked in
 * their mapping until Linux commit 84caf98838a3 ("mm: convert "movable" flag in
 * page->mapping to a page flag") (in v6.17). Of the head of a compound page.
 */
#ifdef PAGE_MAPPING_MOVABLE
#define kmt_page_is_movable(page) __PageMovable(page)
#else
#define kmt_page_is_movable(page) page_has_movable_ops(page)
#endif

/*
 * That a pageblock is isolated is a bit of its own, beside its migratetype, since
 * Linux commit e904bce2d9d4 ("mm/page_isolation: make page isolation a standalone
 * bit") (in v6.17). Of the bits that the kernel keeps for a pageblock.
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
 * Each kind of a module's memory has a place of its own since Linux commit
 * ac3b43283923 ("module: replace module_layout with module_memory") (in v6.4).
 * Of a module's code, and of the part that is freed after initialisation.
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
 * The page tables of the kernel, which only built-in code can name. On x86 those
 * of every process have all of vmalloc()'s and modules' in them.
 */
#define kmt_kernel_pgd(addr) pgd_offset(current->active_mm, addr)

/* sparse 0.6.4 does not know this builtin of gcc and clang. */
#ifdef __CHECKER__
#define __builtin_dwarf_cfa() ((void *)0)
#endif

#endif /* KMT_COMPAT_H */
