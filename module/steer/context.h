/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about an event that its tracepoint does not pass. They are fetched when a
 * filter needs them, or when a feature is recorded.
 */
#ifndef KMT_CONTEXT_H
#define KMT_CONTEXT_H

#include "kmt_filter.h"
#include "kmt_hist.h"

struct kmem_cache;
struct kmt_trigger;

/*
 * maximum number of stack frames of the module and of the allocator above the call site
 */
#define KMT_STACK_ABOVE 16

/**
 * struct kmt_context - one event, and the place where it happens
 * @ev: the arguments of the tracepoint
 * @x: facts that were fetched so far
 * @s: its cache; NULL if it has none
 * @ip: return address of the probe
 * @sp: stack pointer of the caller of the probe
 * @irqs_off: interrupts were off when the event happened
 * @stack: space for its stack trace, with the frames above the call site
 * @key: space for its keys in a histogram
 * @snapshot: the trigger that has fired and needs a snapshot
 */
struct kmt_context {
	struct kmt_event *ev;
	struct kmt_extra x;
	struct kmem_cache *s;
	unsigned long ip;
	unsigned long sp;
	bool irqs_off;
	unsigned long stack[KMT_STACK_MAX + KMT_STACK_ABOVE];
	u64 key[KMT_HIST_KEY_MAX / sizeof(u64)];
	struct kmt_trigger *snapshot;
};

/**
 * kmt_context_fetch() - fetch facts about the present event
 * @x: kmt_context.x of the event
 * @ev: the event
 * @need: mask of the groups to fetch; x->have shows which of them are known afterwards
 *
 * Context: any that an allocation can happen in, with interrupts off; the caller has
 * the CPU's guard (guard.h).
 */
void kmt_context_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need);

#endif /* KMT_CONTEXT_H */
