/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of debugfs/kmemtrace/, except the streams (stream.h).
 */
#ifndef KMT_CONTROL_H
#define KMT_CONTROL_H

struct dentry;

/**
 * kmt_control_create_dir() - create the directory debugfs/kmemtrace
 *
 * Logs an error, and that there is no debugfs.
 *
 * Context: may sleep.
 * Return: the directory, NULL if the kernel has no debugfs, or an ERR_PTR(); -EEXIST if it
 * exists already.
 */
struct dentry *kmt_control_create_dir(void);

/**
 * kmt_control_init() - create the files
 * @dir: the directory to create them in; its removal removes them
 *
 * Context: may sleep.
 * Return: 0, or an error of debugfs.
 */
int kmt_control_init(struct dentry *dir);

#endif /* KMT_CONTROL_H */
