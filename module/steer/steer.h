/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event with more to do than to record it: a filter, triggers, or expensive
 * features (mode.h).
 */
#ifndef KMT_STEER_H
#define KMT_STEER_H

#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "base/compat.h"
#include "kmt_record.h"
#include "record/mode.h"
#include "steer/context.h"

/**
 * struct kmt_steer_cpu - room for the event of one CPU, under the guard
 * @events: what a filter reads, by kind
 * @context: what else is known of the event
 *
 * Only the pointer to it is in static per-CPU memory: all modules share 8 KiB of
 * that.
 */
struct kmt_steer_cpu {
	struct kmt_event events[KMT_EVENT_KINDS];
	struct kmt_context context;
};

DECLARE_PER_CPU(struct kmt_steer_cpu *, kmt_steer_cpus);

/* Others never ask for a node: -1. */
static __always_inline bool kmt_steer_has_node(u8 type_id)
{
	return type_id == KMEMTRACE_TYPE_KMALLOC ||
	       type_id == KMEMTRACE_TYPE_CACHE;
}

/* The groups of fields that struct kmt_event has for each event of the kind. */
static __always_inline u32 kmt_steer_groups(const struct kmt_event *ev)
{
	return (ev->event_id == KMEMTRACE_EVENT_ALLOC ? KMT_GROUP_ALLOC : 0) |
	       (ev->type_id == KMEMTRACE_TYPE_PAGES ? KMT_FEATURE_PAGE : 0);
}

/*
 * Put an event where a filter can read it. The fields that all events of a kind
 * have in common are there already.
 */
static __always_inline void kmt_steer_spill(struct kmt_event *to,
					    const struct kmt_event *ev)
{
	to->call_site = ev->call_site;
	to->ptr = ev->ptr;
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
		to->bytes_req = ev->bytes_req;
		to->bytes_alloc = ev->bytes_alloc;
		to->gfp_flags = ev->gfp_flags;
	}
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC &&
	    kmt_steer_has_node(ev->type_id))
		to->node = ev->node;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES) {
		to->order = ev->order;
		to->migratetype = ev->migratetype;
	}
}

/**
 * kmt_steer_fully() - the whole of kmt_steer()
 * @c: the event, and where it happened
 * @mode: the bits of its mode
 */
void kmt_steer_fully(struct kmt_context *c, u32 mode);

/**
 * kmt_steer() - see to all that there is to an event
 * @ev: the event
 * @s: its cache, if it is of one
 * @flags: the probe's, from local_irq_save()
 * @mode: the bits of its mode
 *
 * If there is nothing to it but a filter that compares numbers, that is done
 * here.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h), and is
 * a probe itself: stacks begin at its caller.
 * Return: whether it is still to be recorded.
 */
static __always_inline bool kmt_steer(const struct kmt_event *ev,
				      struct kmem_cache *s, unsigned long flags,
				      u32 mode)
{
	unsigned int kind = kmt_event_kind(ev);
	struct kmt_steer_cpu *room = __this_cpu_read(kmt_steer_cpus);
	struct kmt_event *copy = &room->events[kind];
	enum kmt_filter_result result = KMT_FILTER_UNDECIDED;
	struct kmt_context *c;

	/* or it is kept, worked out, before it is known to be of use */
	OPTIMIZER_HIDE_VAR(flags);
	OPTIMIZER_HIDE_VAR(mode);
	kmt_steer_spill(copy, ev);
	if (likely(!(mode & KMT_MODE_SLOW & ~KMT_MODE_FILTER)))
		result = kmt_filter_match_numbers(
			rcu_dereference_sched(kmt_modes[kind].filter), copy,
			kmt_steer_groups(ev));
	if (likely(result != KMT_FILTER_UNDECIDED))
		return result == KMT_FILTER_MATCH;
	c = &room->context;
	c->ev = copy;
	c->s = s;
	c->ip = _RET_IP_;
	c->sp = (unsigned long)__builtin_dwarf_cfa();
	c->irqs_off = irqs_disabled_flags(flags);
	kmt_steer_fully(c, mode);
	return false;
}

/**
 * kmt_steer_init() - prepare what filters read
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int kmt_steer_init(void);

/**
 * kmt_steer_exit() - undo kmt_steer_init()
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_steer_exit(void);

#endif /* KMT_STEER_H */
