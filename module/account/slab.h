/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is live in each slab cache: the sum over all tags, to be held against
 * the kernel's own count in /sys/kernel/slab.
 */
#ifndef KMT_SLAB_H
#define KMT_SLAB_H

#include <linux/types.h>

struct page;
struct seq_file;

/* Slabs are of at most so many pages; see slub_max_order. */
#define KMT_SLAB_ORDER_MAX 3u

/**
 * kmt_slab_init() - find out where a slab says which cache it is of
 *
 * Context: may sleep. After kmt_cache_init().
 * Return: 0, also if it cannot be found out; or -ENOMEM.
 */
int kmt_slab_init(void);

/**
 * kmt_slab_distance() - from one object to the next in a slab
 * @page: its first page
 * @bytes: of all its pages
 *
 * When a slab is freed, the allocator has not yet put anything in place of the
 * pointer to the cache. One that goes meanwhile does no harm.
 *
 * Context: any.
 * Return: bytes; 0 if it cannot be told, or objects do not begin at the start
 * of the slab (slub_debug).
 */
unsigned int kmt_slab_distance(struct page *page, unsigned long bytes);

/**
 * kmt_slab_show() - print rows "cache objects bytes" of what is live
 * @m: where to
 *
 * Looks through all objects. Caches that the kernel merged are one, under the
 * name of the first of them.
 *
 * Context: may sleep.
 * Return: 0; -ENODATA where accounting has no tables, or the layout is not
 * known; -ENOMEM.
 */
int kmt_slab_show(struct seq_file *m);

/**
 * kmt_slab_show_size() - how many bytes kmt_slab_show() prints at most
 *
 * Context: any.
 */
size_t kmt_slab_show_size(void);

#endif /* KMT_SLAB_H */
