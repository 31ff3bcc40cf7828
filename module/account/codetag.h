/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The location of a site: file, line and function if they are known, from the file
 * codetags or from another module's static tags; else the symbol.
 */
#ifndef KMT_CODETAG_H
#define KMT_CODETAG_H

#include <linux/types.h>

struct seq_file;
struct kmt_alloc_tag;

/* space for any text of kmt_codetag_describe() */
#define KMT_CODETAG_TEXT 512

/**
 * kmt_codetag_describe() - get the location of a site
 * @site: its address
 * @text: set to "file:line func:function", with " [module]" before " func:" if the site
 *	is in a module; if file and line are not known, to "function+offset:0
 *	func:function"; for a site of earlier.h, to "earlier/WHAT:0 func:NAME"
 * @size: size of @text; KMT_CODETAG_TEXT is enough
 *
 * Context: may sleep.
 */
void kmt_codetag_describe(unsigned long site, char *text, size_t size);

/**
 * kmt_codetag_changed() - tell that a site may have another location
 *
 * Called after rows were written or cleared, and after a module was loaded or unloaded,
 * whose static tags then have been added or removed.
 *
 * Context: any.
 */
void kmt_codetag_changed(void);

/**
 * kmt_codetag_changes() - how often kmt_codetag_changed() was called
 *
 * While this number is the one from before a call of kmt_codetag_describe(), its text is
 * right. This does not hold for code that comes and goes without a module: [bpf] and
 * [__builtin__...].
 *
 * Context: any.
 */
unsigned int kmt_codetag_changes(void);

/**
 * kmt_codetag_next() - iterate over the sites with a known file and line
 * @site: the previous site; 0 for the first
 *
 * Context: may sleep.
 * Return: the site with the next higher address; 0 at the end.
 */
unsigned long kmt_codetag_next(unsigned long site);

/**
 * kmt_codetag_add_client() - add a static tag
 * @tag: tag of a module that is being loaded
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_codetag_add_client(const struct kmt_alloc_tag *tag);

/**
 * kmt_codetag_is_client() - whether a site is a static tag of a module
 * @site: its address
 *
 * Context: may sleep.
 */
bool kmt_codetag_is_client(unsigned long site);

/**
 * kmt_codetag_remove() - remove sites
 * @contains: returns whether to remove a site
 * @arg: passed to @contains
 *
 * Context: may sleep. @contains is called with codetag_sem held.
 */
void kmt_codetag_remove(bool (*contains)(unsigned long site, const void *arg),
			const void *arg);

/**
 * kmt_codetag_write() - add rows "address file:line function"
 * @text: one row for each line; empty lines and lines that begin with # are skipped;
 *	the text is changed
 *
 * A row replaces an older one of the same address.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL at the first malformed row; -ENOMEM. The rows before the error
 * stay.
 */
int kmt_codetag_write(char *text);

/**
 * kmt_codetag_clear() - remove all written rows
 *
 * Static tags of modules stay.
 *
 * Context: may sleep.
 */
void kmt_codetag_clear(void);

/**
 * kmt_codetag_show() - print the written rows
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_codetag_show(struct seq_file *m);

/**
 * kmt_codetag_show_size() - upper limit of what kmt_codetag_show() prints
 *
 * Context: any.
 * Return: bytes.
 */
size_t kmt_codetag_show_size(void);

/**
 * kmt_codetag_count() - number of sites with a known file and line
 *
 * Context: any.
 * Return: the number, static tags included.
 */
unsigned int kmt_codetag_count(void);

/**
 * kmt_codetag_exit() - remove all sites
 *
 * Context: may sleep.
 */
void kmt_codetag_exit(void);

#endif /* KMT_CODETAG_H */
