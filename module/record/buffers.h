/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the channels: its size, and when it is allocated and freed.
 *
 * The buffers are allocated when they are first needed: when recording is switched on, a
 * trigger is set that may switch it on, or a snapshot is requested.
 */
#ifndef KMT_BUFFERS_H
#define KMT_BUFFERS_H

#include <linux/types.h>

struct kmt_channel;

/**
 * kmt_buffers_allocate() - allocate the buffers, unless they are allocated
 * @allocated: set to true if this call has allocated them
 *
 * With overwrite=1, the channel for snapshots is allocated as well.
 *
 * Context: may sleep; kmt_control_mutex held.
 * Return: 0; -ENOMEM, with a message in error_log and in the kernel log.
 */
int kmt_buffers_allocate(bool *allocated);

/**
 * __kmt_buffers_free() - free the buffers and the snapshot
 *
 * Context: may sleep; kmt_control_mutex held.
 * Return: 0, also if no buffers are allocated; -EBUSY while recording is on, a trigger
 * may switch it on, a trigger takes snapshots, or a cpu<n> or snapshot_cpu<n> is open.
 */
int __kmt_buffers_free(void);

/**
 * kmt_buffers_free() - take kmt_control_mutex, and call __kmt_buffers_free()
 *
 * Context: may sleep; kmt_control_mutex not held.
 * Return: as __kmt_buffers_free().
 */
int kmt_buffers_free(void);

/**
 * kmt_buffers_memory() - get the memory that the buffers of all CPUs take now
 *
 * Context: may sleep.
 * Return: bytes.
 */
u64 kmt_buffers_memory(void);

/**
 * kmt_buffers_resize() - set the size of the buffers
 * @bytes: size of each CPU's buffer; rounded up to the next possible size
 *
 * Recording may be on. Records that were not read are dropped, and so is the snapshot.
 * If no buffers are allocated, only the size is set.
 *
 * Context: may sleep; kmt_control_mutex not held.
 * Return: 0; -EBUSY if a cpu<n> or snapshot_cpu<n> is open; -EINVAL for 0 or a size that
 * is too large, with a message in the kernel log; -ENOMEM. On failure, the old buffers
 * stay.
 */
int kmt_buffers_resize(u64 bytes);

/**
 * kmt_buffers_set_overwrite() - set whether a full buffer overwrites its oldest records
 * @overwrite: true: overwrite the oldest records; false: lose new ones
 *
 * If this is a change, records that were not read are dropped, and so is the snapshot.
 *
 * Context: may sleep; kmt_control_mutex not held.
 * Return: as kmt_buffers_resize(); -EBUSY also while recording is on, or a trigger may
 * switch it on.
 */
int kmt_buffers_set_overwrite(bool overwrite);

/**
 * kmt_buffers_set_timed() - set whether events are ordered by time
 * @on: true: by time; false: by sequence number
 *
 * If this is a change, records that were not read are dropped, and so is the snapshot.
 *
 * Context: may sleep; kmt_control_mutex not held.
 * Return: as kmt_buffers_set_overwrite(); -ENODEV if the kernel does not trust the time
 * stamp counter.
 */
int kmt_buffers_set_timed(bool on);

/**
 * kmt_buffers_open_other() - allocate the channel for snapshots, unless it is allocated
 *
 * Also allocates the other buffers, if they are not.
 *
 * Context: may sleep; kmt_control_mutex held.
 * Return: 0; -ENOMEM. If the sizes are too large for two channels, the kernel log says
 * so.
 */
int kmt_buffers_open_other(void);

/**
 * kmt_buffers_get_other() - keep the channel for snapshots, for a trigger
 *
 * Context: may sleep; kmt_control_mutex held.
 * Return: 0: the channel is allocated until kmt_buffers_put_other(); else as
 * kmt_buffers_open_other().
 */
int kmt_buffers_get_other(void);

/**
 * kmt_buffers_put_other() - undo kmt_buffers_get_other()
 *
 * The channel stays allocated.
 *
 * Context: kmt_control_mutex held.
 */
void kmt_buffers_put_other(void);

/**
 * kmt_buffers_other_is_held() - check whether a trigger keeps the channel for snapshots
 *
 * Context: kmt_control_mutex held.
 */
bool kmt_buffers_other_is_held(void);

/**
 * kmt_buffers_size() - get the size of one CPU's buffer
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_buffers_size(void);

/**
 * kmt_buffers_close() - free a channel
 * @channel: a channel that no probe and no reader uses any more; or NULL
 *
 * Context: may sleep.
 */
void kmt_buffers_close(struct kmt_channel *channel);

/**
 * kmt_buffers_init() - choose and check the sizes
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if a parameter is out of range, with a message in the kernel log.
 */
int kmt_buffers_init(void);

/**
 * kmt_buffers_prepare() - let a CPU have buffers
 * @cpu: the CPU, which has files
 *
 * If there is no memory for its buffers, a worker tries again later. The log says so.
 *
 * Context: may sleep; the CPU comes online, or cpus_read_lock() is held.
 */
void kmt_buffers_prepare(unsigned int cpu);

/**
 * kmt_buffers_exit() - free the buffers
 *
 * Context: may sleep; no probe runs any more.
 */
void kmt_buffers_exit(void);

#endif /* KMT_BUFFERS_H */
