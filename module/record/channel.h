/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two channels. A channel has one buffer for each CPU, which consists of sub-buffers.
 * Records go into one channel. The other one is for snapshots: it is allocated together with
 * the first one if overwrite=1, else when a snapshot or a trigger first needs it (buffers.h).
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

/**
 * struct kmt_subbuf - start of a sub-buffer
 * @start_number: count of events when it was begun. Records have the low half of their
 *	numbers, and the oldest one of a CPU may be older than 2^31 events
 * @end: bytes in use, this structure included; set when the sub-buffer is full
 */
struct kmt_subbuf {
	u64 start_number;
	u64 end;
};

/**
 * struct kmt_buffer - the buffer of one CPU in one channel
 * @data: the sub-buffer that is being filled
 * @offset: bytes of it that are in use; KMT_BUFFER_UNBEGUN or KMT_BUFFER_SEALED: none is
 *	being filled
 * @size: bytes of a sub-buffer
 * @start: the sub-buffers; NULL: there was no memory for them yet
 * @filled: number of sub-buffers that are full, or were
 * @consumed: number of these that were read or overwritten
 * @read: bytes of the oldest other sub-buffer that were read
 */
struct kmt_buffer {
	char *data;
	size_t offset;
	size_t size;
	char *start;
	size_t filled;
	size_t consumed;
	size_t read;
} ____cacheline_aligned_in_smp;

/* the next record begins a sub-buffer */
#define KMT_BUFFER_UNBEGUN (SIZE_MAX / 4)
/*
 * The buffer is new, or that of a snapshot. Its CPU empties it before its next record. So to
 * exchange the channels takes the same time on a machine with any number of CPUs.
 */
#define KMT_BUFFER_SEALED (SIZE_MAX / 2)

/**
 * struct kmt_channel - a channel
 * @buffers: of the possible CPUs; those that were never online have no memory
 * @link: in the list of all channels (buffers.c)
 */
struct kmt_channel {
	struct kmt_buffer __percpu *buffers;
	struct list_head link;
};

extern struct kmt_channel *kmt_channel; /* records go into it; NULL: not allocated */
extern struct kmt_buffer __percpu *kmt_channel_buffers; /* its buffers, for the probes */
extern unsigned long kmt_channel_subbufs; /* sub-buffers of each buffer */
extern unsigned long kmt_channel_subbuf_size; /* bytes of each, in new channels */
extern bool kmt_channel_overwrite; /* a full buffer overwrites its oldest records */

/* state of the other channel */
enum kmt_channel_state {
	KMT_CHANNEL_EMPTY,
	KMT_CHANNEL_FREEZING,	/* it holds a snapshot that cannot be read yet */
	KMT_CHANNEL_FROZEN,	/* it holds a snapshot */
};

extern struct kmt_channel *kmt_channel_other; /* for snapshots; NULL: not allocated */
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
	struct kmt_channel *record;
	struct kmt_channel *snapshot;
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
 * Return: false if the buffer has no room, or no memory.
 */
bool kmt_channel_make_room(struct kmt_buffer *buf, size_t size);

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
	struct kmt_buffer *buf = this_cpu_ptr(READ_ONCE(kmt_channel_buffers));
	void *room;

	if (unlikely(buf->offset + size > buf->size) &&
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
	struct kmt_buffer *buf = this_cpu_ptr(READ_ONCE(kmt_channel_buffers));
	size_t offset = buf->offset;

	if (unlikely(offset + size > buf->size))
		return false;
	buf->offset = offset + size;
	*room = buf->data + offset;
	return true;
}

/**
 * kmt_channel_buffer() - get the buffer of a CPU
 * @channel: the channel, which is not freed meanwhile; or NULL
 * @cpu: the CPU
 *
 * Context: any.
 * Return: NULL if it has no memory.
 */
static inline struct kmt_buffer *kmt_channel_buffer(struct kmt_channel *channel, int cpu)
{
	struct kmt_buffer *buf;

	if (!channel)
		return NULL;
	buf = per_cpu_ptr(channel->buffers, cpu);
	return smp_load_acquire(&buf->start) ? buf : NULL;
}

/**
 * kmt_channel_readable() - get the buffer of a CPU, if it is not that of an old snapshot
 * @channel: kmt_channel or kmt_channel_other, which is not freed meanwhile
 * @snapshot: it is kmt_channel_other
 * @cpu: the CPU
 *
 * A snapshot that was not read is lost when its buffers are used again.
 *
 * Context: any.
 * Return: NULL if it has no memory, or is in kmt_channel and has not recorded since the
 * last snapshot.
 */
struct kmt_buffer *kmt_channel_readable(struct kmt_channel *channel, bool snapshot,
					int cpu);

/* Return: sub-buffer number @number of those that the buffer has had. */
static inline struct kmt_subbuf *kmt_channel_subbuf(const struct kmt_buffer *buf,
						    size_t number)
{
	return (void *)(buf->start + number % kmt_channel_subbufs * buf->size);
}

/* Bytes at the start of the oldest sub-buffer that are not records, or were read. */
static inline size_t kmt_channel_read_bytes(const struct kmt_buffer *buf)
{
	return max(READ_ONCE(buf->read), sizeof(struct kmt_subbuf));
}

/**
 * kmt_channel_has_records() - whether a buffer has records that were not read
 * @buf: the buffer
 * @partly: a sub-buffer that is not full counts as well
 *
 * Context: any; the buffer is not freed meanwhile.
 */
bool kmt_channel_has_records(const struct kmt_buffer *buf, bool partly);

/**
 * kmt_channel_show_starts() - print the start of the oldest sub-buffer of each CPU
 * @channel: kmt_channel or kmt_channel_other
 * @m: gets a line "start_number.cpu<n> COUNT" for each CPU with records that were not read
 *
 * Context: any.
 */
void kmt_channel_show_starts(struct kmt_channel *const *channel, struct seq_file *m);

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
