// SPDX-License-Identifier: GPL-2.0-only
#include "trace/extra.h"
#include "trace/interrupts.h"

void extra_init(struct extra *e, const struct input *in)
{
	e->names = in->names;
}

void extra_take(struct extra *e, const struct merged *record)
{
	const struct kmt_event *ev = &record->ev;

	e->x.have = (ev->features & ~KMT_FEATURES_EXTRA) | KMT_GROUP_SEQ |
		    KMT_GROUP_CPU;
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
		e->x.have |= KMT_GROUP_ALLOC;
	e->x.cpu = record->cpu;
	e->x.depth = 0;
	e->lacks = 0;
}

void extra_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	struct extra *e = (struct extra *)x;
	u32 have = x->have;

	if ((need & ev->features & KMT_FEATURES_EXTRA) ||
	    (need & KMT_GROUP_SIZE)) {
		kmt_record_decode_extra(ev, false, x);
		x->have |= have;
		x->depth = interrupts_depth(names_interrupts(e->names), x->stack, x->depth);
	}
	if (need & KMT_GROUP_SIZE) {
		x->size = kmt_record_size(ev, ev->features) +
			  kmt_record_extra_size(x, ev->features);
		x->have |= KMT_GROUP_SIZE;
	}
	if (need & KMT_GROUP_CACHE_NAME && ev->features & KMT_FEATURE_CACHE) {
		x->cache_name = names_cache_find(e->names, ev->cache);
		if (x->cache_name)
			x->have |= KMT_GROUP_CACHE_NAME;
	}
	e->lacks |= need & ~x->have;
}
