/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that show what is live by code tag: /proc/allocinfo, in mainline's
 * text, and debugfs/kmemtrace/tags, with what mainline does not know.
 */
#ifndef KMT_ALLOCINFO_H
#define KMT_ALLOCINFO_H

struct dentry;

/**
 * kmt_allocinfo_init() - make the file in /proc
 *
 * On a kernel with an allocinfo of its own ours is in /proc/kmemtrace.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_allocinfo_init(void);

/**
 * kmt_allocinfo_exit() - remove it
 *
 * Context: may sleep.
 */
void kmt_allocinfo_exit(void);

/**
 * kmt_allocinfo_create_tags() - make the file tags
 * @dir: debugfs/kmemtrace; the file goes with it
 *
 * Context: may sleep.
 * Return: 0 or an error of debugfs.
 */
int kmt_allocinfo_create_tags(struct dentry *dir);

#endif /* KMT_ALLOCINFO_H */
