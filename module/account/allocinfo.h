/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that show live memory by code tag: /proc/allocinfo in mainline's format,
 * and debugfs/kmemtrace/tags with additional figures.
 */
#ifndef KMT_ALLOCINFO_H
#define KMT_ALLOCINFO_H

struct dentry;

/**
 * kmt_allocinfo_init() - create the file in /proc
 *
 * Creates /proc/allocinfo; on a kernel that has this file itself (memory allocation
 * profiling), /proc/kmemtrace/allocinfo.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_allocinfo_init(void);

/**
 * kmt_allocinfo_exit() - remove the file in /proc
 *
 * Context: may sleep.
 */
void kmt_allocinfo_exit(void);

/**
 * kmt_allocinfo_create_tags() - create the file tags
 * @dir: debugfs/kmemtrace; the file is removed with it
 *
 * Context: may sleep.
 * Return: 0 or an error of debugfs.
 */
int kmt_allocinfo_create_tags(struct dentry *dir);

#endif /* KMT_ALLOCINFO_H */
