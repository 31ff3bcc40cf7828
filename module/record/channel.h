/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two relay channels. A channel has one buffer for each CPU. Records go into one
 * channel. The other one is for snapshots: it is allocated together with the first one
 * if overwrite=1, else when a snapshot or a trigger first needs it (buffers.h).
 *
 * Only its own CPU writes to a buffer, with interrupts off. Readers run on that CPU, or
 * while nothing is written. See stream.c for reading.
 *
 * Notes on locking: kmt_control_mutex guards all settings: the allocation of the channels,
 * what is attached, filters and triggers. It may be held for many grace periods, so no
 * reader and no open of cpu<n> waits for it. An open file prevents the channels from being
 * replaced (kmt_channel_get()).
 *
 * kmt_channel_sem lets readers read on other CPUs while nothing is recorded. A reader holds
 * it for reading. It is held for writing before recording can start (kmt_mode_quiet()),
 * while the channels are replaced, and after they were exchanged. No writer waits for a grace
 * period. It is taken after kmt_control_mutex, and before cpus_read_lock().
 *
 * kmt_channel_lock guards the roles of the two channels, and the state of the other one.
 * Both may change at any time while something is recorded (snapshot.c). It is taken in
 * any context, also in the middle of an allocation, and therefore under the CPU's guard
 * (guard.h). It is the innermost lock.
 */
#ifndef KMT_CHANNEL_H
#define KMT_CHANNEL_H

#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

/**
 * struct kmt_channel_cpu - losses of one CPU since recording was switched on
 * @lost_events: events that were not recorded
 * @lost_bytes: bytes of their records
 * @dropped_bytes: the part of @lost_bytes for which the buffer had no room
 * @overwritten_bytes: bytes of records that were overwritten before they were read
 *
 * Written by its CPU, with interrupts off; read by any.
 */
struct kmt_channel_cpu {
	u64 lost_events;
	u64 lost_bytes;
	u64 dropped_bytes;
	u64 overwritten_bytes;
};

DECLARE_PER_CPU(struct kmt_channel_cpu, kmt_channel_cpu);

extern struct rchan *kmt_channel;	/* records go into it; NULL: not allocated */
/* for the probes: its buffers, and the bytes of a sub-buffer of either channel */
extern struct rchan_buf *__percpu *kmt_channel_bufs;
extern unsigned long kmt_channel_subbuf_size;
extern bool kmt_channel_overwrite; /* a full buffer overwrites its oldest records */

/*
 * In rchan_buf.offset: the buffer is that of a snapshot. After the channels have been
 * exchanged again, its CPU empties it before its next record. So an exchange takes the same
 * time on a machine with any number of CPUs.
 */
#define KMT_CHANNEL_SEALED (SIZE_MAX / 2)

/*
 * Each sub-buffer begins with the count of events when it was begun. Records have the low half of
 * their numbers, and the oldest one of a CPU may be older than 2^31 events.
 */
#define KMT_CHANNEL_HEADER sizeof(u64)

/* state of the other channel */
enum kmt_channel_state {
	KMT_CHANNEL_EMPTY,
	KMT_CHANNEL_FREEZING,	/* it holds a snapshot that cannot be read yet */
	KMT_CHANNEL_FROZEN,	/* it holds a snapshot */
};

extern struct rchan *kmt_channel_other; /* for snapshots; NULL: not allocated */
extern enum kmt_channel_state kmt_channel_other_state; /* under kmt_channel_lock */

extern arch_spinlock_t kmt_channel_lock;
extern struct mutex kmt_control_mutex;
extern struct rw_semaphore kmt_channel_sem;

/**
 * struct kmt_channels - channels that are not in use
 * @record: channel for records, or NULL
 * @snapshot: channel for snapshots, or NULL
 */
struct kmt_channels {
	struct rchan *record;
	struct rchan *snapshot;
};

/**
 * kmt_channel_drop() - count a record for which the buffer had no room, and report it
 * @size: bytes of the record
 *
 * Context: as kmt_channel_reserve().
 */
void kmt_channel_drop(size_t size);

/**
 * kmt_channel_lose() - count an event inside a probe, which is not recorded
 * @size: bytes that its record would have
 *
 * Context: any, interrupts off. NMI-safe.
 */
void kmt_channel_lose(size_t size);

/**
 * kmt_channel_make_room() - begin the next sub-buffer of this CPU's buffer
 * @buf: the buffer
 * @size: bytes of a record that does not fit in the present sub-buffer
 *
 * Context: as kmt_channel_reserve().
 * Return: false if the buffer has no room.
 */
bool kmt_channel_make_room(struct rchan_buf *buf, size_t size);

/**
 * kmt_channel_reserve() - reserve space for a record in this CPU's buffer
 * @size: bytes of the record
 *
 * Context: any, interrupts off until the record is written, so that readers see whole
 * records only; the caller holds the CPU's guard, so that an NMI does not reserve space
 * meanwhile.
 * Return: address of the space; NULL if there is none: then the loss is counted.
 */
static __always_inline void *kmt_channel_reserve(size_t size)
{
	struct rchan_buf *buf = __this_cpu_read(*READ_ONCE(kmt_channel_bufs));
	void *room;

	if (unlikely(buf->offset + size > kmt_channel_subbuf_size) &&
	    !kmt_channel_make_room(buf, size)) {
		kmt_channel_drop(size);
		return NULL;
	}
	room = buf->data + buf->offset;
	buf->offset += size;
	return room;
}

/**
 * kmt_channel_reserve_simply() - reserve space for a record in the present sub-buffer
 * @size: bytes of the record
 * @room: set to the address of the space
 *
 * Context: as kmt_channel_reserve().
 * Return: false if the sub-buffer has no room.
 */
static __always_inline bool kmt_channel_reserve_simply(size_t size, void **room)
{
	struct rchan_buf *buf = __this_cpu_read(*READ_ONCE(kmt_channel_bufs));
	size_t offset = buf->offset;

	if (unlikely(offset + size > kmt_channel_subbuf_size))
		return false;
	buf->offset = offset + size;
	*room = buf->data + offset;
	return true;
}

/* Bytes at the start of the oldest sub-buffer that are not records, or were read. */
static inline size_t kmt_channel_consumed(const struct rchan_buf *buf)
{
	return max(READ_ONCE(buf->bytes_consumed), KMT_CHANNEL_HEADER);
}

/**
 * kmt_channel_has_records() - whether a buffer has records that were not read
 * @buf: the buffer
 * @partly: a sub-buffer that is not full counts as well
 *
 * Context: any; the buffer is not freed meanwhile.
 */
bool kmt_channel_has_records(const struct rchan_buf *buf, bool partly);

/**
 * kmt_channel_show_starts() - print the start of the oldest sub-buffer of each CPU
 * @channel: kmt_channel or kmt_channel_other
 * @m: gets a line "start_number.cpu<n> COUNT" for each CPU with records that were not read
 *
 * Context: any.
 */
void kmt_channel_show_starts(struct rchan *const *channel, struct seq_file *m);

/**
 * kmt_channel_get() - keep the channels, for an open file
 *
 * Context: any; on success, the caller calls kmt_channel_put() later.
 * Return: false if the channels are claimed.
 */
bool kmt_channel_get(void);

/**
 * kmt_channel_put() - undo kmt_channel_get()
 *
 * Context: any.
 */
void kmt_channel_put(void);

/**
 * kmt_channel_claim() - prevent files of the channels from being opened
 *
 * The channels are also claimed while the module is being loaded, because an open file
 * would keep the module if loading fails. The last step of loading calls
 * kmt_channel_release().
 *
 * Context: any; on success, the caller calls kmt_channel_release() later.
 * Return: false if a file is open, or the channels are claimed.
 */
bool kmt_channel_claim(void);

/**
 * kmt_channel_release() - undo kmt_channel_claim()
 *
 * Context: any.
 */
void kmt_channel_release(void);

/**
 * kmt_channel_swap() - replace both channels
 * @c: the new channels, without a snapshot; set to the replaced ones. Probes and
 *	snapshots may use these until a grace period has passed
 *
 * Context: may sleep; kmt_control_mutex held, or no probe runs any more; no
 * snapshot_cpu<n> is open.
 */
void kmt_channel_swap(struct kmt_channels *c);

/**
 * kmt_channel_exchange() - exchange the two channels
 *
 * Context: any; kmt_channel_lock held. The other channel is allocated
 * and has no reader, and is sealed, or nothing was recorded in it.
 */
void kmt_channel_exchange(void);

/**
 * kmt_channel_seal() - make the other channel a snapshot that can be read
 *
 * Context: may sleep; kmt_channel_sem held for writing. The state of the other channel is
 * KMT_CHANNEL_FREEZING, and a grace period has passed since its last record.
 */
void kmt_channel_seal(void);

/**
 * kmt_channel_reset_lost() - set the losses of all CPUs to zero
 *
 * Context: recording is off, and no probe writes a record.
 */
void kmt_channel_reset_lost(void);

/**
 * kmt_channel_lost() - get the losses of all CPUs
 * @lost: set to the sums
 *
 * Context: any.
 */
void kmt_channel_lost(struct kmt_channel_cpu *lost);

#endif /* KMT_CHANNEL_H */
