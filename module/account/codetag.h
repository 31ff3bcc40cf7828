/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name of a site: file, line and function where they are known, from the
 * file `codetags` or from another module's static tags; else its symbol.
 */
#ifndef KMT_CODETAG_H
#define KMT_CODETAG_H

#include <linux/types.h>

struct seq_file;
struct kmt_alloc_tag;

/* room for any text of kmt_codetag_describe() */
#define KMT_CODETAG_TEXT 512

/**
 * kmt_codetag_describe() - the text for a site
 * @site: its address
 * @text: gets "file:line func:function", with " [module]" before " func:" if
 *	it is in a module; function and offset in place of file and line where
 *	these are not known
 * @size: of @text; KMT_CODETAG_TEXT is enough
 *
 * Context: may sleep.
 */
void kmt_codetag_describe(unsigned long site, char *text, size_t size);

/**
 * kmt_codetag_next() - go through the sites that have a file and line
 * @site: the last one; 0 begins
 *
 * Context: may sleep.
 * Return: the next higher address; 0 at the end.
 */
unsigned long kmt_codetag_next(unsigned long site);

/**
 * kmt_codetag_add_client() - list a static tag
 * @tag: of a module that is being loaded
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
 * kmt_codetag_remove() - sites are no more
 * @contains: says of a site whether it is one of them
 * @arg: passed to @contains
 *
 * Context: may sleep.
 */
void kmt_codetag_remove(bool (*contains)(unsigned long site, const void *arg),
			const void *arg);

/**
 * kmt_codetag_write() - take rows "address file:line function"
 * @text: one row a line; lines that are empty or begin with # are skipped; it
 *	is written to
 *
 * Context: may sleep.
 * Return: 0; -EINVAL at the first row that is malformed, those before it are
 * kept; -ENOMEM.
 */
int kmt_codetag_write(char *text);

/**
 * kmt_codetag_clear() - forget all rows that were written
 *
 * Context: may sleep.
 */
void kmt_codetag_clear(void);

/**
 * kmt_codetag_show() - print the rows that were written
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_codetag_show(struct seq_file *m);

/**
 * kmt_codetag_show_size() - how many bytes kmt_codetag_show() prints at most
 *
 * Context: any.
 */
size_t kmt_codetag_show_size(void);

/**
 * kmt_codetag_count() - how many sites have a file and line
 *
 * Context: any.
 */
unsigned int kmt_codetag_count(void);

/**
 * kmt_codetag_exit() - forget all rows
 *
 * Context: may sleep.
 */
void kmt_codetag_exit(void);

#endif /* KMT_CODETAG_H */
