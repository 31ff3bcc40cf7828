/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files cpu<n> and snapshot_cpu<n>: reading the records of one CPU.
 */
#ifndef KMT_STREAM_H
#define KMT_STREAM_H

#include <linux/types.h>

struct dentry;

/**
 * kmt_stream_create_files() - make cpu<n> and snapshot_cpu<n> of one CPU
 * @cpu: number of the CPU
 * @parent: where they go
 *
 * They stay until the module goes; where they are already, nothing is done.
 *
 * Context: may sleep; cpus_read_lock() held, or from CPU hotplug.
 * Return: 0 or an error.
 */
int kmt_stream_create_files(unsigned int cpu, struct dentry *parent);

/**
 * kmt_stream_init() - prepare the streams of all CPUs
 *
 * Context: may sleep; before there is a channel.
 * Return: 0, or -ENOMEM.
 */
int kmt_stream_init(void);

/**
 * kmt_stream_exit() - wait until no reader is being woken; undo kmt_stream_init()
 *
 * Context: may sleep; there is no channel any more, and no file can be opened.
 */
void kmt_stream_exit(void);

/**
 * kmt_stream_wake() - a sub-buffer is filled: wake the readers that poll
 * @cpu: whose
 *
 * Context: any; a full memory barrier since the sub-buffer was counted as
 * produced.
 */
void kmt_stream_wake(int cpu);

/**
 * kmt_stream_wake_all() - recording was switched off: wake all readers that poll
 *
 * Context: may sleep; a grace period since then.
 */
void kmt_stream_wake_all(void);

/**
 * kmt_stream_claim() - keep the files from being opened
 *
 * Context: any; kmt_stream_release() is due if it succeeds.
 * Return: false if somebody has one open.
 */
bool kmt_stream_claim(void);

/**
 * kmt_stream_release() - let them be opened (again)
 *
 * Context: any; also once, as the last step of loading: who has a file open would
 * keep it where loading fails.
 */
void kmt_stream_release(void);

#endif /* KMT_STREAM_H */
