/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The relay channels that records go into: one buffer for each CPU. One of them
 * is recorded into. Another one is for snapshots; it is allocated when the first
 * snapshot is asked for, and with overwrite=1 together with the first channel
 * (buffers.h).
 *
 * A buffer is only ever written by its own CPU with interrupts off; it is read
 * on that CPU, or while nothing writes. See stream.c for the reading.
 *
 * Notes on locking: kmt_channel_sem guards which channels there are, and whether
 * recording is on. It is taken before cpus_read_lock(). An open of cpu<n> must
 * not wait for it. An open file keeps the channels as well (kmt_channel_get()).
 *
 * kmt_channel_lock guards which of the two channels is which, and what the other
 * one holds. Both may change at any time while something is recorded
 * (snapshot.c). It is taken in any context, also in the middle of an allocation.
 * It is the innermost lock.
 */
#ifndef KMT_CHANNEL_H
#define KMT_CHANNEL_H

#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

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
extern bool kmt_channel_overwrite; /* the oldest records, when a buffer is full */

/* what the other channel holds */
enum kmt_channel_state {
	KMT_CHANNEL_EMPTY,
	KMT_CHANNEL_FREEZING,	/* a snapshot that cannot be read yet */
	KMT_CHANNEL_FROZEN,	/* a snapshot */
};

extern struct rchan *kmt_channel_other; /* of the snapshot; NULL: none yet */
extern enum kmt_channel_state kmt_channel_other_state; /* under kmt_channel_lock */

extern raw_spinlock_t kmt_channel_lock;
extern struct rw_semaphore kmt_channel_sem;

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
 * kmt_channel_get() - a file of the channels is opened: keep them
 *
 * Context: any; kmt_channel_put() is due if it succeeds.
 * Return: false if the channels are claimed.
 */
bool kmt_channel_get(void);

/**
 * kmt_channel_put() - the file is closed
 *
 * Context: any.
 */
void kmt_channel_put(void);

/**
 * kmt_channel_claim() - keep the files from being opened
 *
 * They are so until kmt_channel_release() is first called, as the last step of
 * loading: an open file would keep its module where loading fails.
 *
 * Context: any; kmt_channel_release() is due if it succeeds.
 * Return: false if one is open.
 */
bool kmt_channel_claim(void);

/**
 * kmt_channel_release() - let them be opened (again)
 *
 * Context: any.
 */
void kmt_channel_release(void);

/**
 * kmt_channel_swap() - exchange both channels for others
 * @c: the others, of which none holds a snapshot; set to those that were in use.
 *	Probes and snapshots may use them for another grace period
 *
 * Context: kmt_channel_sem held for writing, or no probe runs any more; no
 * snapshot_cpu<n> is open.
 */
void kmt_channel_swap(struct kmt_channels *c);

/**
 * kmt_channel_exchange() - record into the other channel, emptied
 *
 * Context: any, interrupts off; kmt_channel_lock held. The other one has no
 * reader, and its last record was written a grace period ago.
 */
void kmt_channel_exchange(void);

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
