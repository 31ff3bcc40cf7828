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

/* In a cache line of its own: all CPUs write it. */
struct kmt_sequence {
	atomic_t next;
} ____cacheline_aligned_in_smp;

extern struct kmt_sequence kmt_sequence;

static __always_inline u32 kmt_writer_next_number(void)
{
	return atomic_fetch_inc(&kmt_sequence.next);
}

/**
 * kmt_writer_put() - record an event
 * @ev: the event; gets its number and time
 * @s: its cache, if it is of one
 * @mode: the bits of its mode, without KMT_FEATURES_EXTRA
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
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
	/* a function is called for it: nothing else needs be kept until then */
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		kmt_record_put_cache(room, size, kmt_cache_id(s));
}

/**
 * kmt_writer_put_extra() - record an event, with KMT_FEATURES_EXTRA
 * @ev: the event; gets its number and time
 * @x: what else is known of it
 * @s: its cache, if it is of one
 * @features: mask of KMT_FEATURE_*
 *
 * Context: as kmt_writer_put().
 */
void kmt_writer_put_extra(struct kmt_event *ev, struct kmt_extra *x,
			  struct kmem_cache *s, u32 features);

/**
 * kmt_writer_lose() - an event happened inside a probe
 * @size: bytes that its record would have had
 *
 * Its number stays missing, which is how a reader learns of it.
 *
 * Context: any, interrupts off.
 */
void kmt_writer_lose(size_t size);

/**
 * kmt_writer_init() - start the sequence where the parameter seq_start says
 *
 * Context: may sleep.
 * Return: 0.
 */
int kmt_writer_init(void);

/**
 * kmt_writer_start() - note where sequence and clock stand as recording starts
 *
 * Context: as kmt_clock_start(); no probe is recording.
 */
void kmt_writer_start(void);

/**
 * kmt_writer_sequence() - the number that the next event will get
 *
 * Context: any.
 */
u32 kmt_writer_sequence(void);

/**
 * kmt_writer_events() - events since recording was last switched on, modulo
 * 2^32; the lost ones included
 *
 * Context: any.
 */
u32 kmt_writer_events(void);

/**
 * kmt_writer_nested() - events lost because they happened inside a probe
 *
 * They are counted as lost as well.
 *
 * Context: any.
 */
u64 kmt_writer_nested(void);

#endif /* KMT_WRITER_H */
