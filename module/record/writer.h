/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the records of events.
 */
#ifndef KMT_WRITER_H
#define KMT_WRITER_H

#include <linux/types.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/guard.h"
#include "kmt_compact.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/number.h"

/*
 * For tests of the order "time": the record also gets a number of the counter of all CPUs,
 * instead of the upper half of the call site, in which all bits are 1.
 */
#ifdef KMT_DEBUG
extern bool kmt_writer_both_orders;

static __always_inline u64 kmt_writer_add_number(u64 call_site)
{
	if (!READ_ONCE(kmt_writer_both_orders))
		return call_site;
	return (u64)(u32)kmt_number_take() << 32 | (u32)call_site;
}
#else
static __always_inline u64 kmt_writer_add_number(u64 call_site)
{
	return call_site;
}
#endif

/* Numbers an event in the order "time". */
static __always_inline void kmt_writer_number_timed(struct kmt_event *ev)
{
	ev->seq = kmt_number_take_of_cpu();
	ev->call_site = kmt_writer_add_number(ev->call_site);
}

/**
 * kmt_writer_put_long() - record an allocation that does not fit in a compact record
 * @type_id: KMEMTRACE_TYPE_*
 * @call_site: as in struct kmt_event, and so are the following
 * @ptr: address
 * @bytes_req: bytes requested
 * @bytes_alloc: bytes allocated
 * @gfp_flags: flags
 * @node: NUMA node
 *
 * The values are no struct, so that the caller's need not be in memory.
 *
 * Context: as kmt_writer_put().
 */
void kmt_writer_put_long(u8 type_id, u64 call_site, u64 ptr, u64 bytes_req,
			 u64 bytes_alloc, u32 gfp_flags, s32 node);

/*
 * Numbers an event in the order "time". @size: bytes of its record
 *
 * Return: where to write it, or NULL
 */
static __always_inline void *kmt_writer_start_timed(struct kmt_event *ev,
						    size_t size)
{
	void *room;

	kmt_writer_number_timed(ev);
	room = kmt_channel_reserve(size);
	if (likely(room))
		ev->time = kmt_clock_stamp();
	return room;
}

/* A compact record, without KMT_FEATURES_EXTRA. @size: bytes of the record with them */
static __always_inline void kmt_writer_encode_compact(void *room, size_t size,
						      const struct kmt_event *ev,
						      struct kmem_cache *s,
						      u32 features)
{
	kmt_compact_encode(room, size, ev);
	if (ev->type_id == KMEMTRACE_TYPE_CACHE)
		kmt_compact_put_cache(room, ev->event_id,
				      features & KMT_FEATURE_CACHE ?
					      kmt_cache_id(s) :
					      KMEMTRACE_CACHE_OFF);
}

/* kmt_writer_put() in the order "time" */
static __always_inline void kmt_writer_put_timed(struct kmt_event *ev,
						 struct kmem_cache *s, u32 mode)
{
	size_t size = kmt_compact_size(ev->event_id, ev->type_id);
	void *room;

	if (unlikely(!kmt_compact_fits(ev))) {
		kmt_writer_put_long(ev->type_id, ev->call_site, ev->ptr,
				    ev->bytes_req, ev->bytes_alloc,
				    ev->gfp_flags, ev->node);
		return;
	}
	room = kmt_writer_start_timed(ev, size);
	if (likely(room))
		kmt_writer_encode_compact(room, size, ev, s, mode);
}

/**
 * kmt_writer_put_simply() - record an event if this is a common case
 * @ev: the event; a large kmalloc() is none
 * @s: its cache; used for type CACHE only
 *
 * Takes and releases the guard. Calls nothing, so that a probe saves no register for the
 * rare cases.
 *
 * Context: any, interrupts off.
 * Return: false if nothing was done, and the caller must handle the event.
 */
static __always_inline bool kmt_writer_put_simply(struct kmt_event *ev,
						  struct kmem_cache *s)
{
	size_t size = kmt_compact_size(ev->event_id, ev->type_id);
	bool has_cache = ev->type_id == KMEMTRACE_TYPE_CACHE;
	const struct kmt_cache_key *key;
	void *room;

	if (has_cache) {
		key = kmt_cache_key_at(kmt_cache_slot(s));
		if (unlikely(!kmt_cache_is(s, key)))
			return false;
	}
	if (unlikely(kmt_mode_bits(kmt_event_kind(ev)) &
		     (KMT_MODE_SLOW | KMT_MODE_LONG)))
		return false;
	if (unlikely(!kmt_guard_enter()))
		return false;
	if (unlikely(!kmt_channel_reserve_simply(size, &room))) {
		kmt_guard_leave();
		return false;
	}
	kmt_writer_number_timed(ev);
	ev->time = kmt_clock_running_stamp();
	if (has_cache)
		ev->cache = key->id;
	kmt_compact_encode(room, size, ev);
	kmt_guard_leave();
	return true;
}

/* kmt_writer_put() in the order "sequence" */
static __always_inline void kmt_writer_put_numbered(struct kmt_event *ev,
						    struct kmem_cache *s,
						    u32 mode)
{
	size_t size = kmt_mode_size(mode);
	u32 features = mode;
	void *room;

	ev->seq = kmt_number_take();
	room = kmt_channel_reserve(size);
	if (unlikely(!room))
		return;
	if (features & KMT_FEATURE_TIME)
		ev->time = kmt_clock_now();
	kmt_record_encode(room, size, ev, features);
	/* kmt_cache_id() is called last, so that no value has to survive the call */
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		kmt_record_put_cache(room, size, kmt_cache_id(s));
}

/**
 * kmt_writer_put() - record an event without KMT_FEATURES_EXTRA
 * @ev: the event; its number and time are set
 * @s: its cache; used for type CACHE only
 * @mode: the bits of its mode, without KMT_FEATURES_EXTRA
 *
 * If the buffer is full, the event is counted as lost.
 *
 * Context: any, interrupts off; the caller holds the CPU's guard (guard.h).
 */
static __always_inline void kmt_writer_put(struct kmt_event *ev,
					   struct kmem_cache *s, u32 mode)
{
	if (likely(mode & KMT_MODE_TIMED))
		kmt_writer_put_timed(ev, s, mode);
	else
		kmt_writer_put_numbered(ev, s, mode);
}

/**
 * kmt_writer_put_extra() - record an event with KMT_FEATURES_EXTRA
 * @ev: the event; its number and time are set
 * @x: the rest of the event
 * @s: its cache; used for type CACHE only
 * @features: mask of KMT_FEATURE_*
 *
 * If the buffer is full, the event is counted as lost.
 *
 * Context: as kmt_writer_put().
 */
void kmt_writer_put_extra(struct kmt_event *ev, struct kmt_extra *x,
			  struct kmem_cache *s, u32 features);

/**
 * kmt_writer_lose() - count an event inside a probe as lost
 * @mode: the bits of its mode
 *
 * The event gets a number. Readers see that the number is missing.
 *
 * Context: any, interrupts off. NMI-safe.
 */
void kmt_writer_lose(u32 mode);

/**
 * kmt_writer_init() - choose the order of events, as the parameter order_time says
 *
 * Context: no probe is attached.
 * Return: 0.
 */
int kmt_writer_init(void);

/**
 * kmt_writer_start() - start a recording: start the clock, and count events from zero
 *
 * Context: as kmt_clock_start(); no probe is recording.
 */
void kmt_writer_start(void);

/**
 * kmt_writer_prepare() - start the clock, because a trigger may start a recording
 *
 * Context: may sleep; kmt_control_mutex is held.
 */
void kmt_writer_prepare(void);

/**
 * kmt_writer_place() - get the present place in the order of events
 *
 * Context: may sleep.
 * Return: the number of the next event; in the order "time": a time stamp.
 */
u64 kmt_writer_place(void);

/**
 * kmt_writer_set_timed() - set whether events are ordered by time
 * @on: true: by time; false: by sequence number
 *
 * Context: may sleep; kmt_control_mutex is held, kmt_mode_quiet(), and the
 * buffers are empty.
 * Return: 0; -ENODEV if the kernel does not trust the time stamp counter.
 */
int kmt_writer_set_timed(bool on);

/**
 * kmt_writer_check() - whether a recording can start
 *
 * Context: may sleep; kmt_control_mutex is held.
 * Return: 0; -ENODEV, with a message in error_log, if events are to be ordered by time,
 * but the kernel does not trust the time stamp counter any more.
 */
int kmt_writer_check(void);

/**
 * kmt_writer_doubtful() - whether the order of events on different CPUs may be wrong
 *
 * Context: any.
 * Return: true if events are ordered by time, and since recording was switched on, the
 * machine slept, or the kernel ceased to trust the time stamp counter.
 */
bool kmt_writer_doubtful(void);

/**
 * kmt_writer_events() - count the events since recording was last switched on
 *
 * Lost events are included.
 *
 * Context: any.
 */
u64 kmt_writer_events(void);

/**
 * kmt_writer_nested() - count the events that were lost inside a probe
 *
 * kmt_channel_lost() counts each of them as well.
 *
 * Context: any.
 * Return: the sum of all CPUs since the module was loaded.
 */
u64 kmt_writer_nested(void);

#endif /* KMT_WRITER_H */
