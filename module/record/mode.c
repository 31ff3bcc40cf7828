// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>

#include "kmt_record.h"
#include "record/mode.h"

struct kmt_mode kmt_modes[KMT_EVENT_KINDS] ____cacheline_aligned;

static DEFINE_MUTEX(features_lock);
static bool quiet = true; /* under kmt_channel_sem */

bool kmt_mode_pause(bool on)
{
	bool changed = false;
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		changed |= kmt_mode_change(kind, KMT_MODE_PAUSED, on);
	return changed;
}

bool kmt_mode_paused(void)
{
	return kmt_mode_bits(0) & KMT_MODE_PAUSED;
}

u32 kmt_mode_features(void)
{
	return kmt_mode_bits(0) & KMT_FEATURES_ALL;
}

static u32 bits_of_features(unsigned int kind, u32 features)
{
	struct kmt_event ev = { .event_id = kind % 2, .type_id = kind / 2 };

	return features |
	       FIELD_PREP(KMT_MODE_SIZE, kmt_record_size(&ev, features));
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

void kmt_mode_set_uses(unsigned int kind, u32 uses)
{
	kmt_mode_change(kind, KMT_MODE_RECORD, uses & KMT_USE_RECORD);
	kmt_mode_change(kind, KMT_MODE_ACCOUNT, uses & KMT_USE_ACCOUNT);
}

void kmt_mode_set_features(u32 features)
{
	unsigned int kind;
	int old, bits;

	mutex_lock(&features_lock);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		old = atomic_read(&kmt_modes[kind].bits);
		do {
			bits = (old & ~(KMT_FEATURES_ALL | KMT_MODE_SIZE)) |
			       bits_of_features(kind, features);
		} while (!atomic_try_cmpxchg(&kmt_modes[kind].bits, &old,
					     bits));
	}
	mutex_unlock(&features_lock);
}

bool kmt_mode_quiet(void)
{
	return READ_ONCE(quiet);
}

void kmt_mode_set_quiet(bool on)
{
	WRITE_ONCE(quiet, on);
}
