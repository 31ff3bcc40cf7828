/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queries about the memory that accounting counts as live: whether an address is live, the
 * age of the oldest object of each tag, and the sums of each slab cache.
 */
#ifndef KMT_LIVE_H
#define KMT_LIVE_H

#include <linux/types.h>

struct page;
struct seq_file;

/**
 * kmt_live_knows() - whether an address counts as live
 * @ptr: address of an object
 *
 * Called by the tests at load (probe/selftest.c).
 *
 * Context: any.
 * Return: true if it does; false also if this CPU's guard (base/guard.h) is held.
 */
bool kmt_live_knows(const void *ptr);

/**
 * kmt_live_knows_page() - whether a page counts as live
 * @page: the page
 *
 * Called by the tests at load (probe/selftest.c).
 *
 * Context: any.
 * Return: whether the page is charged to a tag.
 */
bool kmt_live_knows_page(struct page *page);

/**
 * kmt_live_knows_slab() - whether a page was accounted as a page of a slab
 * @page: the page
 *
 * Called by the tests at load (probe/selftest.c).
 *
 * Context: any; kmt_tables_ready() must be true.
 * Return: whether the page is charged to a call site in the slab allocator.
 */
bool kmt_live_knows_slab(struct page *page);

/**
 * kmt_live_oldest() - age of the oldest live object of each tag
 * @ages: by number of the tag: set to the age in jiffies; ULONG_MAX if the tag has no
 *	live object, or the age is not known
 * @count: number of elements of @ages; kmt_tag_count() + 1 for all tags
 *
 * Visits all live objects and all page frames.
 *
 * Context: may sleep.
 * Return: 0; -EINTR if the task was killed.
 */
int kmt_live_oldest(unsigned long *ages, u32 count);

/**
 * kmt_live_nodes() - live bytes of each tag on each NUMA node
 * @bytes: set; @nodes elements for each tag, by number of the tag
 * @count: number of tags; kmt_tag_count() + 1 for all
 * @nodes: number of nodes
 *
 * Visits all live objects and all page frames. Per-CPU memory is not counted.
 *
 * Context: may sleep.
 * Return: 0; -EINTR if the task was killed.
 */
int kmt_live_nodes(u64 *bytes, u32 count, u32 nodes);

/**
 * kmt_live_cache_index() - find the slab cache of an object without a slot
 * @ptr: its address
 *
 * Context: a function that kmt_object_walk() calls with KMT_OBJECT_NO_CACHE: the bucket of
 * the object is locked.
 * Return: the index of the cache; 0 if it is not known.
 */
u16 kmt_live_cache_index(unsigned long ptr);

/**
 * kmt_live_show_caches() - print a row "cache objects bytes" for each slab cache
 * @m: the file caches_live
 *
 * The figures are sums over all tags. They can be compared with the kernel's own counts in
 * /sys/kernel/slab. Caches that the kernel has merged have one row, under the name of the
 * first of them. Caches without an index are in the row "(other)". Visits all live objects.
 *
 * Context: may sleep.
 * Return: 0; -ENODATA if accounting has no tables, or the layout of caches or slabs is
 * not known; -ENOMEM; -EINTR if the task was killed.
 */
int kmt_live_show_caches(struct seq_file *m);

/**
 * kmt_live_show_caches_size() - upper limit of what kmt_live_show_caches() prints
 *
 * Context: any.
 * Return: bytes.
 */
size_t kmt_live_show_caches_size(void);

#endif /* KMT_LIVE_H */
