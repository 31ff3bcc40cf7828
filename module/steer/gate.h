/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands between an event and its record: whether the event is enabled,
 * its filter, its triggers.
 *
 * All of it is one word, `mode`, which a probe reads once. In the simple case
 * it says which features to record and nothing else.
 */
#ifndef KMT_GATE_H
#define KMT_GATE_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cache.h>

#include "kmt_filter.h"

struct kmt_trigger_set;

/* kmt_gate.mode: KMT_FEATURE_*, and these */
#define KMT_GATE_ACCOUNT  BIT(16) /* the event is accounted */
#define KMT_GATE_IDLE	  BIT(17) /* the event is not attached to be recorded */
#define KMT_GATE_OFF	  BIT(18) /* the event is not enabled */
#define KMT_GATE_PAUSED	  BIT(19) /* nothing is recorded */
#define KMT_GATE_FILTER	  BIT(20) /* there is a filter */
#define KMT_GATE_TRIGGERS BIT(21) /* there are triggers */
#define KMT_GATE_SIZE	  GENMASK(31, 24) /* bytes of a record, but KMT_FEATURES_EXTRA */

/* what takes the long way, kmt_steer() */
#define KMT_GATE_SLOW                                                          \
	(KMT_GATE_OFF | KMT_GATE_PAUSED | KMT_GATE_FILTER |                    \
	 KMT_GATE_TRIGGERS | KMT_FEATURES_EXTRA)

/**
 * struct kmt_gate - of one kind of event
 * @mode: KMT_GATE_*, and the features; any context may change it
 * @filter: a compiled filter; never NULL to who has seen KMT_GATE_FILTER in the
 *	same section with interrupts off
 * @triggers: or NULL
 *
 * The pointers are changed under kmt_event_lock(); what they point to is freed
 * after a grace period: probes have interrupts off.
 */
struct kmt_gate {
	atomic_t mode;
	struct kmt_filter __rcu *filter;
	struct kmt_trigger_set __rcu *triggers;
};

extern struct kmt_gate kmt_gates[KMT_EVENT_KINDS];

/* what is done with an event */
#define KMT_USE_RECORD	BIT(0)
#define KMT_USE_ACCOUNT BIT(1)

/**
 * kmt_gate_init() - close all gates
 *
 * Context: before anything else of this.
 * Return: 0.
 */
int kmt_gate_init(void);

/**
 * kmt_gate_mode() - how an event is to be treated
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 */
static __always_inline u32 kmt_gate_mode(unsigned int kind)
{
	return atomic_read(&kmt_gates[kind].mode);
}

/**
 * kmt_gate_uses() - what is done with an event
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 * Return: mask of KMT_USE_*.
 */
static __always_inline u32 kmt_gate_uses(unsigned int kind)
{
	u32 mode = kmt_gate_mode(kind);

	return (mode & KMT_GATE_IDLE ? 0 : KMT_USE_RECORD) |
	       (mode & KMT_GATE_ACCOUNT ? KMT_USE_ACCOUNT : 0);
}

/* Bytes of the record of an event, without KMT_FEATURES_EXTRA. */
static __always_inline size_t kmt_gate_size(u32 mode)
{
	return FIELD_GET(KMT_GATE_SIZE, mode);
}

/**
 * kmt_gate_put() - set or clear bits of the mode
 * @kind: KMT_EVENT_KIND()
 * @bits: mask of KMT_GATE_*
 * @on: whether to set them
 *
 * Context: any.
 * Return: whether that changed anything.
 */
static inline bool kmt_gate_put(unsigned int kind, u32 bits, bool on)
{
	atomic_t *mode = &kmt_gates[kind].mode;
	u32 old = on ? atomic_fetch_or(bits, mode) :
		       atomic_fetch_andnot(bits, mode);

	return (old & bits) != (on ? bits : 0);
}

/**
 * kmt_gate_set_uses() - choose what is done with an event
 * @kind: KMT_EVENT_KIND()
 * @uses: mask of KMT_USE_*
 *
 * Context: any; serialised by the caller. What was done may still be done for
 * another grace period.
 */
void kmt_gate_set_uses(unsigned int kind, u32 uses);

/**
 * kmt_gate_pause() - record nothing, or go on
 * @on: whether to record nothing
 *
 * Context: any. Records may be on their way for another grace period.
 * Return: whether that changed anything.
 */
bool kmt_gate_pause(bool on);

/**
 * kmt_gate_paused() - whether nothing is recorded
 *
 * Context: any.
 */
bool kmt_gate_paused(void);

/**
 * kmt_gate_features() - the features that records carry
 *
 * Context: any.
 * Return: mask of KMT_FEATURE_*.
 */
u32 kmt_gate_features(void);

/**
 * kmt_gate_set_features() - choose the features that records carry
 * @features: mask of KMT_FEATURE_*
 *
 * Context: may sleep; each record has either the old ones or the new ones.
 */
void kmt_gate_set_features(u32 features);

/**
 * kmt_gate_set_filter() - put another filter in force
 * @kind: KMT_EVENT_KIND()
 * @filter: from kvmalloc(), or NULL; now belongs to the gate
 *
 * No event goes by between the old and the new one.
 *
 * Context: may sleep; under kmt_event_lock(). Waits for a grace period.
 */
void kmt_gate_set_filter(unsigned int kind, struct kmt_filter *filter);

#endif /* KMT_GATE_H */
