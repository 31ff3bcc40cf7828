/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary files pages, objects and vmalloc: the caller that allocated each page
 * frame, the objects on it, and what the kernel has mapped (uapi/linux/kmemtrace_pages.h).
 */
#ifndef KMT_PAGEFILES_H
#define KMT_PAGEFILES_H

struct dentry;

/**
 * kmt_pagefiles_create() - make the files
 * @dir: where they go
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_pagefiles_create(struct dentry *dir);

#endif /* KMT_PAGEFILES_H */
