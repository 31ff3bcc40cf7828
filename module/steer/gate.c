// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "event.h"
#include "gate.h"
#include "kmt_record.h"

struct kmt_gate kmt_gates[KMT_EVENT_KINDS] ____cacheline_aligned;

static DEFINE_MUTEX(features_lock);

bool kmt_gate_pause(bool on)
{
	bool changed = false;
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		changed |= kmt_gate_put(kind, KMT_GATE_PAUSED, on);
	return changed;
}

bool kmt_gate_paused(void)
{
	return kmt_gate_mode(0) & KMT_GATE_PAUSED;
}

u32 kmt_gate_features(void)
{
	return kmt_gate_mode(0) & KMT_FEATURES_ALL;
}

static u32 mode_of_features(unsigned int kind, u32 features)
{
	struct kmt_event ev = { .event_id = kind % 2, .type_id = kind / 2 };

	return features |
	       FIELD_PREP(KMT_GATE_SIZE, kmt_record_size(&ev, features));
}

/* Nothing is recorded before somebody says so. */
int __init kmt_gate_init(void)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		atomic_set(&kmt_gates[kind].mode,
			   KMT_GATE_PAUSED | KMT_GATE_IDLE |
				   mode_of_features(kind, 0));
	return 0;
}

void kmt_gate_set_uses(unsigned int kind, u32 uses)
{
	kmt_gate_put(kind, KMT_GATE_IDLE, !(uses & KMT_USE_RECORD));
	kmt_gate_put(kind, KMT_GATE_ACCOUNT, uses & KMT_USE_ACCOUNT);
}

void kmt_gate_set_features(u32 features)
{
	unsigned int kind;
	int old, mode;

	mutex_lock(&features_lock);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		old = atomic_read(&kmt_gates[kind].mode);
		do {
			mode = (old & ~(KMT_FEATURES_ALL | KMT_GATE_SIZE)) |
			       mode_of_features(kind, features);
		} while (!atomic_try_cmpxchg(&kmt_gates[kind].mode, &old,
					     mode));
	}
	mutex_unlock(&features_lock);
}

void kmt_gate_set_filter(unsigned int kind, struct kmt_filter *filter)
{
	struct kmt_gate *gate = &kmt_gates[kind];
	struct kmt_filter *old = rcu_dereference_protected(
		gate->filter, kmt_event_lock_held());

	/* who sees KMT_GATE_FILTER sees a filter */
	if (filter) {
		rcu_assign_pointer(gate->filter, filter);
		kmt_gate_put(kind, KMT_GATE_FILTER, true);
	} else {
		kmt_gate_put(kind, KMT_GATE_FILTER, false);
	}
	if (!old)
		return;
	synchronize_rcu();
	if (!filter)
		RCU_INIT_POINTER(gate->filter, NULL);
	kvfree(old);
}
