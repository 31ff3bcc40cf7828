/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queries about live memory: whether an address is live, and the age and slab cache of
 * live objects.
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
 * For the tests at load.
 *
 * Context: any.
 * Return: whether it does; false also if this CPU's guard is taken.
 */
bool kmt_live_knows(const void *ptr);

/**
 * kmt_live_knows_page() - whether a page counts as live
 * @page: the page
 *
 * For the tests at load.
 *
 * Context: any.
 * Return: whether the page is charged to a tag.
 */
bool kmt_live_knows_page(struct page *page);

/**
 * kmt_live_knows_slab() - whether a page was accounted as a page of a slab
 * @page: the page
 *
 * For the tests at load.
 *
 * Context: any; kmt_tables_ready().
 * Return: whether the page is charged to a site that allocates slabs.
 */
bool kmt_live_knows_slab(struct page *page);

/**
 * kmt_live_oldest() - age of the oldest live object of each tag
 * @ages: set to jiffies for each tag; ULONG_MAX if nothing is live or the age is not
 *	known
 * @count: entries in @ages; kmt_tag_count() + 1 covers all tags
 *
 * Visits all live objects and all frames.
 *
 * Context: may sleep.
 */
void kmt_live_oldest(unsigned long *ages, u32 count);

/**
 * kmt_live_show_caches() - print a row "cache objects bytes" for each slab cache
 * @m: where to
 *
 * The figures are sums over all tags, to be compared with the kernel's own counts in
 * /sys/kernel/slab. Merged caches have one row, under the name of the first of them.
 * Visits all live objects.
 *
 * Context: may sleep.
 * Return: 0; -ENODATA if accounting has no tables, or the layout of caches or slabs is
 * not known; -ENOMEM.
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
