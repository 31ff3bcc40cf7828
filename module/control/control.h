/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text files of debugfs/kmemtrace/, but for the streams.
 */
#ifndef KMT_CONTROL_H
#define KMT_CONTROL_H

struct dentry;

/**
 * kmt_control_create_dir() - make debugfs/kmemtrace
 *
 * Context: may sleep.
 * Return: the directory, or an ERR_PTR(); -EEXIST if it is there already.
 */
struct dentry *kmt_control_create_dir(void);

/**
 * kmt_control_init() - make the files
 * @dir: where to; removing it removes them
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_control_init(struct dentry *dir);

#endif /* KMT_CONTROL_H */
