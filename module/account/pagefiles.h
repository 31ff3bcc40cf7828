/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three binary files in debugfs, whose entries uapi/linux/kmemtrace_pages.h defines:
 * pages has the tag and the age of each page frame, objects the live objects in slabs, and
 * vmalloc the frame that is mapped at each page of the areas of vmalloc() and of modules.
 */
#ifndef KMT_PAGEFILES_H
#define KMT_PAGEFILES_H

struct dentry;

/**
 * kmt_pagefiles_init() - let memory that is unplugged wait for readers of the files
 *
 * Context: module load, before kmt_pagefiles_create().
 * Return: 0 or an error below 0.
 */
int kmt_pagefiles_init(void);

/**
 * kmt_pagefiles_exit() - undo kmt_pagefiles_init()
 *
 * Context: module unload, or failed load. The files were removed.
 */
void kmt_pagefiles_exit(void);

/**
 * kmt_pagefiles_create() - create the files
 * @dir: the module's directory in debugfs; the files are removed with it
 *
 * Context: may sleep.
 * Return: 0 or the error of debugfs, below 0.
 */
int kmt_pagefiles_create(struct dentry *dir);

#endif /* KMT_PAGEFILES_H */
