/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking at what is live: whether something is, how old it is, which slab cache
 * it is of.
 */
#ifndef KMT_LIVE_H
#define KMT_LIVE_H

#include <linux/types.h>

struct page;
struct seq_file;

/**
 * kmt_live_knows() - whether an address is thought live
 * @ptr: address of an object, or of the first page of several
 *
 * Context: may sleep. For the module's test of itself.
 */
bool kmt_live_knows(const void *ptr);

/**
 * kmt_live_knows_page() - whether a page is thought live
 * @page: the page
 *
 * Context: any. For the module's test of itself.
 */
bool kmt_live_knows_page(struct page *page);

/**
 * kmt_live_knows_slab() - whether a page is known to be one of a slab
 * @page: the page
 *
 * Context: any. For the module's test of itself.
 */
bool kmt_live_knows_slab(struct page *page);

/**
 * kmt_live_oldest() - age of the oldest live object of each tag
 * @ages: gets jiffies for each tag; ULONG_MAX where nothing is known; must
 *	have room for @count
 * @count: kmt_tag_count() + 1
 *
 * Looks through everything that is live.
 *
 * Context: may sleep.
 */
void kmt_live_oldest(unsigned long *ages, u32 count);

/**
 * kmt_live_show_caches() - print rows "cache objects bytes" of what is live
 * @m: where to
 *
 * It is the sum over all tags, to be compared with the kernel's own count in
 * /sys/kernel/slab. Looks through all objects. Caches that the kernel merged are one, under the
 * name of the first of them.
 *
 * Context: may sleep.
 * Return: 0; -ENODATA where accounting has no tables, or the layout is not
 * known; -ENOMEM.
 */
int kmt_live_show_caches(struct seq_file *m);

/**
 * kmt_live_show_caches_size() - how many bytes kmt_live_show_caches() prints at most
 *
 * Context: any.
 */
size_t kmt_live_show_caches_size(void);

#endif /* KMT_LIVE_H */
