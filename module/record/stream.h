/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files cpu<n> and snapshot_cpu<n>: reading the records of one CPU.
 */
#ifndef KMT_STREAM_H
#define KMT_STREAM_H

struct dentry;

/**
 * kmt_stream_init() - create the files of CPUs that are online, or come online later
 * @dir: directory of the files
 *
 * The files stay until the module is unloaded, also if their CPU goes offline. If there is no
 * memory for the files of a CPU, they are created later.
 *
 * Context: may sleep; before a channel is allocated.
 * Return: 0 or -errno.
 */
int kmt_stream_init(struct dentry *dir);

/**
 * kmt_stream_exit() - undo kmt_stream_init()
 *
 * The files are removed later, together with their directory.
 *
 * Context: may sleep; no file can be opened any more.
 */
void kmt_stream_exit(void);

#endif /* KMT_STREAM_H */
