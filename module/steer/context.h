/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of an event besides what its tracepoint says. It is fetched when
 * a filter asks for it, or when a feature is recorded.
 */
#ifndef KMT_CONTEXT_H
#define KMT_CONTEXT_H

#include "kmt_filter.h"

struct kmem_cache;

/* frames of our own, and of the allocator, above the call site */
#define KMT_STACK_ABOVE 16

/**
 * struct kmt_context - one event, where it happens
 * @ev: what its tracepoint says
 * @x: what was found out so far
 * @s: its cache; NULL if it has none
 * @ip: return address of the probe
 * @sp: stack pointer of the caller of the probe
 * @irqs_off: interrupts were off when it happened
 * @stack: room for its stack, with the frames above the call site
 */
struct kmt_context {
	struct kmt_event *ev;
	struct kmt_extra x;
	struct kmem_cache *s;
	unsigned long ip;
	unsigned long sp;
	bool irqs_off;
	unsigned long stack[KMT_STACK_MAX + KMT_STACK_ABOVE];
};

/**
 * kmt_context_fetch() - find out more of the current event
 * @x: of a struct kmt_context
 * @ev: the event
 * @need: the groups wanted; some may remain unknown
 *
 * Context: any that an allocation can happen in; interrupts off, with the CPU's
 * guard (guard.h).
 */
void kmt_context_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need);

#endif /* KMT_CONTEXT_H */
