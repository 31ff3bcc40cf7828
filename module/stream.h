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
 * @name: "cpu" and the number
 * @parent: where they go
 *
 * Context: may sleep; also from CPU hotplug.
 * Return: cpu<n>, or NULL.
 */
struct dentry *kmt_stream_create_files(const char *name, struct dentry *parent);

/**
 * kmt_stream_remove_files() - remove them
 * @dentry: from kmt_stream_create_files(), or NULL
 *
 * Context: may sleep.
 */
void kmt_stream_remove_files(struct dentry *dentry);

/**
 * kmt_stream_reset() - read every CPU's new buffer from its start
 *
 * Context: no cpu<n> is open.
 */
void kmt_stream_reset(void);

/**
 * kmt_stream_any_open() - whether somebody has one of the files open
 *
 * Context: kmt_channel_sem held for writing; no further one is opened while
 * it is.
 */
bool kmt_stream_any_open(void);

#endif /* KMT_STREAM_H */
