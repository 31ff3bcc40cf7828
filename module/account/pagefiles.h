/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary files pages, objects and vmalloc: the tag of each page frame, the objects
 * on it, and the frames that the kernel has mapped (uapi/linux/kmemtrace_pages.h).
 */
#ifndef KMT_PAGEFILES_H
#define KMT_PAGEFILES_H

struct dentry;

/**
 * kmt_pagefiles_create() - create the files
 * @dir: directory of debugfs; the files are removed with it
 *
 * Context: may sleep.
 * Return: 0 or an error of debugfs.
 */
int kmt_pagefiles_create(struct dentry *dir);

#endif /* KMT_PAGEFILES_H */
