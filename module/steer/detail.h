/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file detail: rules that look at a site in detail when its live memory, or the growth
 * of it, exceeds a number of bytes. For a bounded time and number of allocations, a histogram
 * counts the allocations of this site by call path, thread, cgroup and node.
 * Other sites cost nothing more: a worker compares the figures, and an armed site is one
 * that accounting does not find in the short way (kmt_tag_arm()).
 */
#ifndef KMT_MODULE_DETAIL_H
#define KMT_MODULE_DETAIL_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_detail_write() - add or remove a rule (kmt_detail.h)
 * @text: what was written; white space around it is removed
 *
 * Context: may sleep.
 * Return: 0; -EINVAL, -EEXIST, -ENOENT, -ENOSPC, -EOPNOTSUPP (there is no accounting) or
 * -ENOMEM, with the reason in the error log.
 */
int kmt_detail_write(char *text);

/** kmt_detail_clear() - remove all rules and what they have found; context: may sleep */
void kmt_detail_clear(void);

/** kmt_detail_exit() - kmt_detail_clear(), at the end: no rule can be written any more */
void kmt_detail_exit(void);

/**
 * kmt_detail_show() - print the rules, and what they have found
 * @m: where to
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_detail_show(struct seq_file *m);

/** kmt_detail_show_size() - estimate the bytes that kmt_detail_show() prints; may sleep */
size_t kmt_detail_show_size(void);

#endif /* KMT_MODULE_DETAIL_H */
