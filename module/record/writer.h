/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers events and writes their records.
 */
#ifndef KMT_WRITER_H
#define KMT_WRITER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "base/cache.h"
#include "base/clock.h"
#include "kmt_record.h"
#include "record/channel.h"
#include "record/mode.h"

/* in a cache line of its own, because all CPUs write it */
struct kmt_sequence {
	atomic_t next;
} ____cacheline_aligned_in_smp;

extern struct kmt_sequence kmt_sequence;

static __always_inline u32 kmt_writer_next_number(void)
{
	return atomic_fetch_inc(&kmt_sequence.next);
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
	size_t size = kmt_mode_size(mode);
	u32 features = mode;
	void *room;

	ev->seq = kmt_writer_next_number();
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
 * @size: bytes that its record would have
 *
 * The event gets a number. Readers see that the number is missing.
 *
 * Context: any, interrupts off. NMI-safe.
 */
void kmt_writer_lose(size_t size);

/**
 * kmt_writer_init() - start the sequence at the parameter seq_start
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
 * kmt_writer_sequence() - get the number of the next event
 *
 * Context: any.
 */
u32 kmt_writer_sequence(void);

/**
 * kmt_writer_events() - count the events since recording was last switched on
 *
 * Lost events are included.
 *
 * Context: any.
 * Return: the number of events, modulo 2^32.
 */
u32 kmt_writer_events(void);

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
