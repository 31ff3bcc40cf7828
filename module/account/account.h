/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting as a whole: its tables, what it could not tell, and what can be
 * asked of it. What a probe does of it is in charge.c.
 */
#ifndef KMT_ACCOUNT_H
#define KMT_ACCOUNT_H

#include <linux/mm.h>
#include <linux/types.h>

struct seq_file;

/*
 * What the probes could not tell. Context: a probe.
 */

/**
 * kmt_account_untracked() - there was no room for an allocation
 * @bytes: of it
 * @site: who allocated
 */
void kmt_account_untracked(u64 bytes, unsigned long site);

/**
 * kmt_account_implicit() - what was thought live is allocated again
 * @bytes: of what was thought live
 * @site: who had allocated that
 */
void kmt_account_implicit(u64 bytes, unsigned long site);

/**
 * kmt_account_reaped() - an object was thought live on a page that is freed
 * @bytes: of the object
 * @site: who had allocated it
 */
void kmt_account_reaped(u64 bytes, unsigned long site);

/**
 * kmt_account_unmatched() - what is freed was not known
 * @site: who freed it
 */
void kmt_account_unmatched(unsigned long site);

/**
 * kmt_account_unmatched_pages() - pages that are freed were not known
 * @count: how many
 * @site: who freed them, or 0
 */
void kmt_account_unmatched_pages(unsigned int count, unsigned long site);

/**
 * kmt_account_nested() - something was allocated or freed inside of a probe
 */
void kmt_account_nested(void);

/**
 * kmt_account_knows() - whether an address is thought live
 * @ptr: address of an object, or of the first page of several
 *
 * Context: may sleep. For the module's test of itself.
 */
bool kmt_account_knows(const void *ptr);

/**
 * kmt_account_knows_page() - whether a page is thought live
 * @page: the page
 *
 * Context: any. For the module's test of itself.
 */
bool kmt_account_knows_page(struct page *page);

/**
 * kmt_account_knows_slab() - whether a page is known to be one of a slab
 * @page: the page
 *
 * Context: any. For the module's test of itself.
 */
bool kmt_account_knows_slab(struct page *page);

/**
 * kmt_account_oldest() - age of the oldest live object of each tag
 * @ages: gets jiffies for each tag; ULONG_MAX where nothing is known; must
 *	have room for @count
 * @count: kmt_tag_count() + 1
 *
 * Looks through everything that is live.
 *
 * Context: may sleep.
 */
void kmt_account_oldest(unsigned long *ages, u32 count);

/**
 * kmt_account_show_stats() - print the counters
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_account_show_stats(struct seq_file *m);

/**
 * kmt_account_reset() - forget what is live and what was counted
 *
 * What was live until then is counted as forgotten.
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_account_reset(void);

/**
 * kmt_account_started() - look at what was allocated before the start
 *
 * Context: may sleep; the probes are attached.
 */
void kmt_account_started(void);

/**
 * kmt_account_ready() - whether there are tables to account in
 *
 * Context: any.
 */
bool kmt_account_ready(void);

/**
 * kmt_account_init() - allocate the tables
 *
 * Without memory for them, kmt_account_ready() stays false, and the log says so.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if a parameter makes no sense.
 */
int kmt_account_init(void);

/**
 * kmt_account_exit() - free the tables
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_account_exit(void);

#endif /* KMT_ACCOUNT_H */
