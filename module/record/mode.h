/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode of an event: one word for each kind of event. It says whether probes account
 * the event, record it, or both, and whether the event has a filter or triggers.
 *
 * A probe reads the word to choose one of its functions, and again with interrupts off.
 * The second value is used. If no bit of KMT_MODE_SLOW is set, a recording probe only
 * needs the features and the size in the word. If KMT_MODE_LONG is not set either, it needs
 * neither.
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
#define KMT_MODE_HOOKED	  BIT(8)  /* a hook of kmemtrace_tag.h has been in effect */
#define KMT_MODE_ACCOUNT_SIMPLY BIT(9) /* accounted, not recorded, and never hooked */
#define KMT_MODE_ACCOUNT  BIT(16) /* the event is accounted */
#define KMT_MODE_RECORD	  BIT(17) /* a probe is attached to record the event */
#define KMT_MODE_OFF	  BIT(18) /* the event is not enabled */
#define KMT_MODE_PAUSED	  BIT(19) /* nothing is recorded */
#define KMT_MODE_FILTER	  BIT(20) /* there is a filter */
#define KMT_MODE_TRIGGERS BIT(21) /* there are triggers */
#define KMT_MODE_TIMED	  BIT(22) /* the order "time": records are compact */
#define KMT_MODE_LONG	  BIT(23) /* or a record needs more than a compact one has at once */
#define KMT_MODE_SIZE	  GENMASK(30, 24) /* bytes of a record, less KMT_FEATURES_EXTRA */
#define KMT_MODE_NUMBERED BIT(31) /* recorded in the order "sequence", not accounted */

/* bits for which an event takes the slow path, in kmt_steer() */
#define KMT_MODE_SLOW                                                          \
	(KMT_MODE_OFF | KMT_MODE_PAUSED | KMT_MODE_FILTER |                    \
	 KMT_MODE_TRIGGERS | KMT_FEATURES_EXTRA)

/**
 * struct kmt_mode - the mode of one kind of event
 * @bits: KMT_MODE_*, and the features; changed in any context
 * @filter: a compiled filter; never NULL for a reader that has seen KMT_MODE_FILTER in
 *	the same section with interrupts off
 * @triggers: the triggers, or NULL
 *
 * The pointers change under kmt_event_lock(). The objects that they point to are freed
 * after a grace period, because probes have interrupts off.
 */
struct kmt_mode {
	atomic_t bits;
	struct kmt_filter __rcu *filter;
	struct kmt_trigger_set __rcu *triggers;
};

extern struct kmt_mode kmt_modes[KMT_EVENT_KINDS];

/* uses of an event */
#define KMT_USE_RECORD	BIT(0)
#define KMT_USE_ACCOUNT BIT(1)

/**
 * kmt_mode_init() - set all modes: not accounted, not recorded, paused
 *
 * Context: before any other function of this header.
 * Return: 0.
 */
int kmt_mode_init(void);

/**
 * kmt_mode_bits() - get the word of a mode
 * @kind: KMT_EVENT_KIND()
 *
 * The caller then reads what was set before the word: if the word has KMT_MODE_FILTER, it
 * sees the filter.
 *
 * Context: any.
 */
static __always_inline u32 kmt_mode_bits(unsigned int kind)
{
	return atomic_read_acquire(&kmt_modes[kind].bits);
}

/**
 * kmt_mode_uses() - get the uses of an event
 * @kind: KMT_EVENT_KIND()
 *
 * Context: any.
 * Return: mask of KMT_USE_*.
 */
static __always_inline u32 kmt_mode_uses(unsigned int kind)
{
	u32 mode = kmt_mode_bits(kind);

	return (mode & KMT_MODE_RECORD ? KMT_USE_RECORD : 0) |
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
 * @on: true to set them, false to clear them
 *
 * Context: any.
 * Return: true if the word has changed.
 */
static inline bool kmt_mode_change(unsigned int kind, u32 bits, bool on)
{
	atomic_t *word = &kmt_modes[kind].bits;
	u32 old = on ? atomic_fetch_or(bits, word) :
		       atomic_fetch_andnot(bits, word);

	return (old & bits) != (on ? bits : 0);
}

/**
 * kmt_mode_hook() - tell the probes that a hook of kmemtrace_tag.h has been in effect
 *
 * Context: any.
 */
void kmt_mode_hook(void);

/**
 * kmt_mode_set_uses() - set the uses of an event
 * @kind: KMT_EVENT_KIND()
 * @uses: mask of KMT_USE_*
 *
 * Context: any; serialised by the caller. Probes may use the old mode until a grace
 * period has passed.
 */
void kmt_mode_set_uses(unsigned int kind, u32 uses);

/**
 * kmt_mode_pause() - pause or continue recording
 * @on: true to pause
 *
 * Context: any. Probes may write records until a grace period has passed.
 * Return: true if recording was not paused (@on), or was paused (!@on), before.
 */
bool kmt_mode_pause(bool on);

/**
 * kmt_mode_paused() - check whether recording is paused
 *
 * Context: any.
 */
bool kmt_mode_paused(void);

/**
 * kmt_mode_features() - get the features of records
 *
 * Context: any.
 * Return: mask of KMT_FEATURE_*.
 */
u32 kmt_mode_features(void);

/**
 * kmt_mode_set_features() - set the features of records
 * @features: mask of KMT_FEATURE_*
 *
 * Each record has either all old or all new features.
 *
 * Context: may sleep.
 */
void kmt_mode_set_features(u32 features);

/**
 * kmt_mode_timed() - whether events are ordered by time
 *
 * Context: any.
 */
bool kmt_mode_timed(void);

/**
 * kmt_mode_set_timed() - set whether events are ordered by time
 * @on: true: by time; false: by sequence number
 *
 * Context: may sleep; kmt_mode_quiet().
 */
void kmt_mode_set_timed(bool on);

/**
 * kmt_mode_set_clock() - set whether the clock runs (clock.h)
 * @runs: true if it does; false: before it is stopped
 *
 * Context: may sleep; kmt_control_mutex is held.
 */
void kmt_mode_set_clock(bool runs);

/**
 * kmt_mode_quiet() - check that nothing is recorded, and no trigger can change that
 *
 * Context: kmt_control_mutex or kmt_channel_sem held; a true result stays true while one of
 * them is held.
 */
bool kmt_mode_quiet(void);

/**
 * kmt_mode_set_quiet() - set the result of kmt_mode_quiet()
 * @on: the result
 *
 * Context: kmt_control_mutex held. With @on, a grace period has passed since probes could
 * write a record; without, kmt_channel_sem held for writing.
 */
void kmt_mode_set_quiet(bool on);

#endif /* KMT_MODE_H */
