/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The relay channels that records go into: one buffer for each CPU. One of them
 * is recorded into. Another one is for snapshots; it is allocated when the first
 * snapshot is asked for, and with overwrite=1 together with the first channel.
 *
 * A buffer is only ever written by its own CPU with interrupts off; it is read
 * on that CPU, or while nothing writes. See stream.c for the reading.
 *
 * Notes on locking: kmt_channel_sem guards which channels there are and whether
 * recording is on. Which of the two is which may change at any time while
 * something is recorded (snapshot.c). It is taken before cpus_read_lock(). An
 * open of cpu<n> must not wait for it. An open file keeps the channels as well
 * (stream.h).
 */
#ifndef KMT_CHANNEL_H
#define KMT_CHANNEL_H

#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/rwsem.h>

struct dentry;

/**
 * struct kmt_channel_cpu - what one CPU lost
 * @lost_events: events that were not recorded; written by its CPU, interrupts off
 * @lost_bytes: bytes of their records
 * @dropped_bytes: of these, bytes of the records that found no room
 * @overwritten_bytes: bytes of records that were overwritten before they were read
 */
struct kmt_channel_cpu {
	u64 lost_events;
	u64 lost_bytes;
	u64 dropped_bytes;
	u64 overwritten_bytes;
};

DECLARE_PER_CPU(struct kmt_channel_cpu, kmt_channel_cpu);

extern struct rchan *kmt_channel;	/* that is recorded into; NULL: none yet */
/* its buffers, and bytes in a sub-buffer of either, at hand for the probes */
extern struct rchan_buf *__percpu *kmt_channel_bufs;
extern unsigned long kmt_channel_subbuf_size;
extern struct rchan *kmt_channel_other; /* of the snapshot; NULL: none yet */
extern struct rw_semaphore kmt_channel_sem;
extern bool kmt_channel_overwrite;

/**
 * struct kmt_channels - channels that are not in use
 * @record: to record into
 * @snapshot: for snapshots, or NULL
 */
struct kmt_channels {
	struct rchan *record;
	struct rchan *snapshot;
};

/**
 * kmt_channel_drop() - a record found no room: count it
 * @size: bytes of the record
 *
 * Context: as kmt_channel_reserve().
 */
void kmt_channel_drop(size_t size);

/**
 * kmt_channel_lose() - an event is not recorded: count it
 * @size: bytes that its record has
 *
 * Context: as kmt_channel_reserve().
 */
void kmt_channel_lose(size_t size);

/**
 * kmt_channel_reserve() - room for one record in this CPU's buffer
 * @size: bytes of the record
 *
 * Context: any but NMI inside itself; interrupts off until the record is
 * written, so that no reader sees half of it.
 * Return: where to write; NULL if there is no room: then it is counted.
 */
static __always_inline void *kmt_channel_reserve(size_t size)
{
	struct rchan_buf *buf = __this_cpu_read(*READ_ONCE(kmt_channel_bufs));
	void *room;

	if (unlikely(buf->offset + size > kmt_channel_subbuf_size) &&
	    !relay_switch_subbuf(buf, size)) {
		kmt_channel_drop(size);
		return NULL;
	}
	room = buf->data + buf->offset;
	buf->offset += size;
	return room;
}

/**
 * kmt_channel_init() - make the files, and check the sizes of the parameters
 * @dir: where the files cpu<n> go
 *
 * The buffers are allocated when recording is first switched on, or may be by a
 * trigger, or a snapshot is asked for: until then nothing needs them.
 *
 * Context: may sleep.
 * Return: 0, -EINVAL if the sizes make no sense (the log says why), -ENOMEM.
 */
int kmt_channel_init(struct dentry *dir);

/**
 * kmt_channel_allocate() - allocate the buffers, if there are none
 * @allocated: set to whether there were none before
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0, or -ENOMEM; then error_log and the log say so.
 */
int kmt_channel_allocate(bool *allocated);

/**
 * __kmt_channel_free() - free the buffers, and the snapshot with them
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0, also if there are none; -EBUSY while recording is on or may be
 * switched on by a trigger, or a trigger takes snapshots, or a cpu<n> or
 * snapshot_cpu<n> is open.
 */
int __kmt_channel_free(void);

/**
 * kmt_channel_free() - the same
 *
 * Context: may sleep; kmt_channel_sem not held.
 * Return: as __kmt_channel_free().
 */
int kmt_channel_free(void);

/**
 * kmt_channel_memory() - bytes that the buffers take now
 *
 * Context: may sleep; kmt_channel_sem not held.
 */
u64 kmt_channel_memory(void);

/**
 * kmt_channel_exit() - free the buffers
 *
 * Context: may sleep; no probe runs any more.
 */
void kmt_channel_exit(void);

/**
 * kmt_channel_resize() - replace the buffers by ones of another size
 * @bytes: of each CPU's buffer; rounded up to the smallest that is possible
 *
 * Recording may go on. Records that were not read are dropped.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if a cpu<n> or snapshot_cpu<n> is open; -EINVAL for 0 or a
 * size that is too large (the log says why); -ENOMEM. If it fails, the old
 * buffers stay.
 */
int kmt_channel_resize(u64 bytes);

/**
 * kmt_channel_set_overwrite() - choose what happens when a buffer is full
 * @overwrite: the oldest records are overwritten; else the newest are lost
 *
 * Context: may sleep.
 * Return: as kmt_channel_resize(); -EBUSY also while recording is on or may be
 * switched on by a trigger.
 */
int kmt_channel_set_overwrite(bool overwrite);

/**
 * kmt_channel_open_other() - allocate the channel for snapshots, if there is none
 *
 * Context: may sleep; kmt_channel_sem held for writing.
 * Return: 0; -ENOMEM, also if it would take too much memory (the log says so).
 */
int kmt_channel_open_other(void);

/**
 * kmt_channel_swap() - exchange both channels for others
 * @c: the others; set to those that were in use. Probes and snapshots may use
 *	them for another grace period
 *
 * Context: any; no snapshot is taken meanwhile.
 */
void kmt_channel_swap(struct kmt_channels *c);

/**
 * kmt_channel_exchange() - record into the other channel, emptied
 *
 * Context: any, interrupts off; nobody reads the other one, and its last
 * record was written a grace period ago.
 */
void kmt_channel_exchange(void);

/**
 * kmt_channel_size() - bytes of one CPU's buffer
 *
 * Context: may sleep.
 */
u64 kmt_channel_size(void);

/**
 * kmt_channel_reset_lost() - count losses from zero
 *
 * Context: may sleep; recording is off.
 */
void kmt_channel_reset_lost(void);

/**
 * kmt_channel_lost() - what all CPUs lost together
 * @lost: set to the sums
 *
 * Context: any.
 */
void kmt_channel_lost(struct kmt_channel_cpu *lost);

#endif /* KMT_CHANNEL_H */
