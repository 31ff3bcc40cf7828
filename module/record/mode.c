// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>

#include "kmt_compact.h"
#include "record/mode.h"

struct kmt_mode kmt_modes[KMT_EVENT_KINDS] ____cacheline_aligned;

static DEFINE_MUTEX(features_lock);
static atomic_t paused = ATOMIC_INIT(true);
static bool quiet = true; /* see kmt_mode_set_quiet() */

/*
 * Several CPUs may do this at a time. The one whose value is in @paused at last sets the
 * bits after that. A CPU with another value sees that, and corrects what it has set.
 */
bool kmt_mode_pause(bool on)
{
	bool changed = atomic_xchg(&paused, on) != on;
	unsigned int kind;

	do {
		on = atomic_read(&paused);
		for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
			kmt_mode_change(kind, KMT_MODE_PAUSED, on);
	} while (atomic_read(&paused) != on); /* kmt_mode_change() orders it */
	return changed;
}

bool kmt_mode_paused(void)
{
	return atomic_read(&paused);
}

u32 kmt_mode_features(void)
{
	return kmt_mode_bits(0) & KMT_FEATURES_ALL;
}

bool kmt_mode_timed(void)
{
	return kmt_mode_bits(0) & KMT_MODE_TIMED;
}

static bool clock_runs; /* under features_lock */

static bool is_long(unsigned int kind, u32 features)
{
	return !(features & KMT_MODE_TIMED) || !clock_runs ||
	       (kind / 2 == KMEMTRACE_TYPE_CACHE &&
		!(features & KMT_FEATURE_CACHE));
}

/* @features: features, and KMT_MODE_TIMED */
static u32 bits_of_features(unsigned int kind, u32 features)
{
	struct kmt_event ev = { .event_id = kind % 2, .type_id = kind / 2 };
	size_t size = features & KMT_MODE_TIMED ?
			      kmt_compact_size(ev.event_id, ev.type_id) :
			      kmt_record_size(&ev, features);

	return features | FIELD_PREP(KMT_MODE_SIZE, size) |
	       (is_long(kind, features) ? KMT_MODE_LONG : 0);
}

/* Recording starts paused. */
int __init kmt_mode_init(void)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		atomic_set(&kmt_modes[kind].bits,
			   KMT_MODE_PAUSED |
				   bits_of_features(kind, 0));
	return 0;
}

/* The bits of a mode that follow from others. */
static u32 derived_bits(u32 bits)
{
	u32 account = bits & (KMT_MODE_ACCOUNT | KMT_MODE_RECORD |
			      KMT_MODE_HOOKED);
	u32 record = bits & (KMT_MODE_ACCOUNT | KMT_MODE_RECORD |
			     KMT_MODE_TIMED);

	return (account == KMT_MODE_ACCOUNT ? KMT_MODE_ACCOUNT_SIMPLY : 0) |
	       (record == KMT_MODE_RECORD ? KMT_MODE_NUMBERED : 0);
}

static void replace_bits(unsigned int kind, u32 remove, u32 add)
{
	atomic_t *word = &kmt_modes[kind].bits;
	int old = atomic_read(word), bits;

	remove |= KMT_MODE_ACCOUNT_SIMPLY | KMT_MODE_NUMBERED;
	do {
		bits = (old & ~remove) | add;
		bits |= derived_bits(bits);
	} while (!atomic_try_cmpxchg(word, &old, bits));
}

void kmt_mode_set_uses(unsigned int kind, u32 uses)
{
	replace_bits(kind, KMT_MODE_RECORD | KMT_MODE_ACCOUNT,
		     (uses & KMT_USE_RECORD ? KMT_MODE_RECORD : 0) |
			     (uses & KMT_USE_ACCOUNT ? KMT_MODE_ACCOUNT : 0));
}

void kmt_mode_hook(void)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		replace_bits(kind, 0, KMT_MODE_HOOKED);
}

/* Under features_lock. */
static void __set_features(u32 features)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		replace_bits(kind,
			     KMT_FEATURES_ALL | KMT_MODE_TIMED |
				     KMT_MODE_LONG | KMT_MODE_SIZE,
			     bits_of_features(kind, features));
}

void kmt_mode_set_features(u32 features)
{
	mutex_lock(&features_lock);
	__set_features(features | (kmt_mode_bits(0) & KMT_MODE_TIMED));
	mutex_unlock(&features_lock);
}

void kmt_mode_set_clock(bool runs)
{
	mutex_lock(&features_lock);
	clock_runs = runs;
	__set_features(kmt_mode_bits(0) & (KMT_FEATURES_ALL | KMT_MODE_TIMED));
	mutex_unlock(&features_lock);
}

void kmt_mode_set_timed(bool on)
{
	mutex_lock(&features_lock);
	__set_features(kmt_mode_features() | (on ? KMT_MODE_TIMED : 0));
	mutex_unlock(&features_lock);
}

bool kmt_mode_quiet(void)
{
	return smp_load_acquire(&quiet);
}

void kmt_mode_set_quiet(bool on)
{
	/* a reader that sees true sees all records */
	smp_store_release(&quiet, on);
}
