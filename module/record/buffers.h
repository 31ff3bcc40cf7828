/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the channels: how much, when it is allocated and freed, and what
 * happens when it is full.
 *
 * The buffers are allocated when recording is first switched on, or may be by a
 * trigger, or a snapshot is asked for: until then nothing needs them.
 */
#ifndef KMT_BUFFERS_H
#define KMT_BUFFERS_H

#include <linux/types.h>

struct dentry;

/**
 * kmt_buffers_allocate() - allocate the buffers, if there are none
 * @allocated: set to whether there were none before
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0, or -ENOMEM; then error_log and the log say so.
 */
int kmt_buffers_allocate(bool *allocated);

/**
 * __kmt_buffers_free() - free the buffers, and the snapshot with them
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0, also if there are none; -EBUSY while recording is on or may be
 * switched on by a trigger, or a trigger takes snapshots, or a cpu<n> or
 * snapshot_cpu<n> is open.
 */
int __kmt_buffers_free(void);

/**
 * kmt_buffers_free() - the same
 *
 * Context: may sleep; kmt_channel_sem not held.
 * Return: as __kmt_buffers_free().
 */
int kmt_buffers_free(void);

/**
 * kmt_buffers_memory() - bytes that the buffers take now
 *
 * Context: may sleep; kmt_channel_sem not held.
 */
u64 kmt_buffers_memory(void);

/**
 * kmt_buffers_resize() - replace the buffers by ones of another size
 * @bytes: of each CPU's buffer; rounded up to the smallest that is possible
 *
 * Recording may go on. Records that were not read are dropped.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if a cpu<n> or snapshot_cpu<n> is open; -EINVAL for 0 or a
 * size that is too large (the log says why); -ENOMEM. If it fails, the old
 * buffers stay.
 */
int kmt_buffers_resize(u64 bytes);

/**
 * kmt_buffers_set_overwrite() - choose what happens when a buffer is full
 * @overwrite: the oldest records are overwritten; else the newest are lost
 *
 * Context: may sleep.
 * Return: as kmt_buffers_resize(); -EBUSY also while recording is on or may be
 * switched on by a trigger.
 */
int kmt_buffers_set_overwrite(bool overwrite);

/**
 * kmt_buffers_open_other() - allocate the channel for snapshots, if there is none
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0; -ENOMEM, also if it would take too much memory (the log says so).
 */
int kmt_buffers_open_other(void);

/**
 * kmt_buffers_get_other() - a trigger that takes snapshots comes
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0, and the channel for snapshots stays until kmt_buffers_put_other();
 * what kmt_buffers_open_other() returns.
 */
int kmt_buffers_get_other(void);

/**
 * kmt_buffers_put_other() - such a trigger goes
 *
 * Context: kmt_channel_sem held for writing.
 */
void kmt_buffers_put_other(void);

/**
 * kmt_buffers_other_is_held() - whether there are such triggers
 *
 * Context: kmt_channel_sem held.
 */
bool kmt_buffers_other_is_held(void);

/**
 * kmt_buffers_size() - bytes of one CPU's buffer
 *
 * Context: may sleep.
 */
u64 kmt_buffers_size(void);

/**
 * kmt_buffers_init() - choose and check the sizes
 * @dir: any directory of debugfs
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if the parameters make no sense (the log says why).
 */
int kmt_buffers_init(struct dentry *dir);

/**
 * kmt_buffers_exit() - free the buffers
 *
 * Context: may sleep; no probe runs any more.
 */
void kmt_buffers_exit(void);

#endif /* KMT_BUFFERS_H */
