/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode of an event: what a probe does with an event of a kind. It is
 * accounted, it is recorded, it has a filter or triggers, or nothing is done.
 *
 * One word holds all of it. A probe reads it to choose its function, and again with
 * interrupts off; the second value is the one that counts. In the simple case the word
 * says which features to record and nothing else.
 */
#ifndef KMT_MODE_H
#define KMT_MODE_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cache.h>

#include "kmt_filter.h"

struct kmt_trigger_set;

/* kmt_mode.bits: KMT_FEATURE_*, and these */
#define KMT_MODE_ACCOUNT  BIT(16) /* the event is accounted */
#define KMT_MODE_IDLE	  BIT(17) /* the event is not attached to be recorded */
#define KMT_MODE_OFF	  BIT(18) /* the event is not enabled */
#define KMT_MODE_PAUSED	  BIT(19) /* nothing is recorded */
#define KMT_MODE_FILTER	  BIT(20) /* there is a filter */
#define KMT_MODE_TRIGGERS BIT(21) /* there are triggers */
#define KMT_MODE_SIZE	  GENMASK(31, 24) /* bytes of a record, but KMT_FEATURES_EXTRA */

/* what needs more than the simple way, in kmt_steer() */
#define KMT_MODE_SLOW                                                          \
	(KMT_MODE_OFF | KMT_MODE_PAUSED | KMT_MODE_FILTER |                    \
	 KMT_MODE_TRIGGERS | KMT_FEATURES_EXTRA)

/**
 * struct kmt_mode - of one kind of event
 * @bits: KMT_MODE_*, and the features; any context may change it
 * @filter: a compiled filter; never NULL for a reader that has seen
 *	KMT_MODE_FILTER in the same section with interrupts off
 * @triggers: or NULL
 *
 * The pointers are changed under kmt_event_lock(); what they point to is freed
 * after a grace period: probes have interrupts off.
 */
struct kmt_mode {
	atomic_t bits;
	struct kmt_filter __rcu *filter;
	struct kmt_trigger_set __rcu *triggers;
};

extern struct kmt_mode kmt_modes[KMT_EVENT_KINDS];

/* what is done with an event */
#define KMT_USE_RECORD	BIT(0)
#define KMT_USE_ACCOUNT BIT(1)

/**
 * kmt_mode_init() - set all modes to "nothing is done"
 *
 * Context: before anything else of this.
 * Return: 0.
 */
int kmt_mode_init(void);

/**
 * kmt_mode_bits() - the word of a mode
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 */
static __always_inline u32 kmt_mode_bits(unsigned int kind)
{
	return atomic_read(&kmt_modes[kind].bits);
}

/**
 * kmt_mode_uses() - what is done with an event
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 * Return: mask of KMT_USE_*.
 */
static __always_inline u32 kmt_mode_uses(unsigned int kind)
{
	u32 mode = kmt_mode_bits(kind);

	return (mode & KMT_MODE_IDLE ? 0 : KMT_USE_RECORD) |
	       (mode & KMT_MODE_ACCOUNT ? KMT_USE_ACCOUNT : 0);
}

/* Bytes of the record of an event, without KMT_FEATURES_EXTRA. */
static __always_inline size_t kmt_mode_size(u32 mode)
{
	return FIELD_GET(KMT_MODE_SIZE, mode);
}

/**
 * kmt_mode_change() - set or clear bits of a mode
 * @kind: KMT_EVENT_KIND()
 * @bits: mask of KMT_MODE_*
 * @on: whether to set them
 *
 * Context: any.
 * Return: whether that changed anything.
 */
static inline bool kmt_mode_change(unsigned int kind, u32 bits, bool on)
{
	atomic_t *word = &kmt_modes[kind].bits;
	u32 old = on ? atomic_fetch_or(bits, word) :
		       atomic_fetch_andnot(bits, word);

	return (old & bits) != (on ? bits : 0);
}

/**
 * kmt_mode_set_uses() - choose what is done with an event
 * @kind: KMT_EVENT_KIND()
 * @uses: mask of KMT_USE_*
 *
 * Context: any; serialised by the caller. Probes may use the old mode for another
 * grace period.
 */
void kmt_mode_set_uses(unsigned int kind, u32 uses);

/**
 * kmt_mode_pause() - record nothing, or go on
 * @on: whether to record nothing
 *
 * Context: any. Records may be on their way for another grace period.
 * Return: whether that changed anything.
 */
bool kmt_mode_pause(bool on);

/**
 * kmt_mode_paused() - whether nothing is recorded
 *
 * Context: any.
 */
bool kmt_mode_paused(void);

/**
 * kmt_mode_features() - the features that records carry
 *
 * Context: any.
 * Return: mask of KMT_FEATURE_*.
 */
u32 kmt_mode_features(void);

/**
 * kmt_mode_set_features() - choose the features that records carry
 * @features: mask of KMT_FEATURE_*
 *
 * Context: may sleep; each record has either the old ones or the new ones.
 */
void kmt_mode_set_features(u32 features);

/**
 * kmt_mode_quiet() - whether nothing is recorded, and no trigger can start it
 *
 * Context: kmt_channel_sem held; it stays so while it is.
 */
bool kmt_mode_quiet(void);

/**
 * kmt_mode_set_quiet() - note that this is so, or no longer so
 * @on: whether it is so
 *
 * Context: kmt_channel_sem held for writing. If it is so: a grace period since
 * the last probe could write a record.
 */
void kmt_mode_set_quiet(bool on);

#endif /* KMT_MODE_H */
