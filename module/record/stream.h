/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files cpu<n> and snapshot_cpu<n>: reading the records of one CPU.
 */
#ifndef KMT_STREAM_H
#define KMT_STREAM_H

struct dentry;

/**
 * kmt_stream_init() - make the files of the CPUs that are online, or come online
 * @dir: where they go
 *
 * They stay until the module goes, also when their CPU goes offline.
 *
 * Context: may sleep; before there is a channel.
 * Return: 0 or an error.
 */
int kmt_stream_init(struct dentry *dir);

/**
 * kmt_stream_exit() - undo kmt_stream_init()
 *
 * Context: may sleep; no file can be opened any more.
 */
void kmt_stream_exit(void);

#endif /* KMT_STREAM_H */
