/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles events that have a filter, triggers or expensive features (mode.h). */
#ifndef KMT_STEER_H
#define KMT_STEER_H

#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "base/compat.h"
#include "kmt_record.h"
#include "record/mode.h"
#include "steer/context.h"

/**
 * struct kmt_steer_cpu - space for the present event of one CPU, under its guard
 * @events: the event, as a filter reads it, by kind
 * @context: further facts about the event
 *
 * Only a pointer to it is in static per-CPU memory, because all modules share 8 KiB of
 * that.
 */
struct kmt_steer_cpu {
	struct kmt_event events[KMT_EVENT_KINDS];
	struct kmt_context context;
};

DECLARE_PER_CPU(struct kmt_steer_cpu *, kmt_steer_cpus);

/* The other events have no requested node; their field node stays -1. */
static __always_inline bool kmt_steer_has_node(u8 type_id)
{
	return type_id == KMEMTRACE_TYPE_KMALLOC ||
	       type_id == KMEMTRACE_TYPE_CACHE;
}

/* Return: mask of the groups of fields that all events of the kind have. */
static __always_inline u32 kmt_steer_groups(const struct kmt_event *ev)
{
	return (ev->event_id == KMEMTRACE_EVENT_ALLOC ? KMT_GROUP_ALLOC : 0) |
	       (ev->type_id == KMEMTRACE_TYPE_PAGES ? KMT_FEATURE_PAGE : 0);
}

/*
 * Copy an event to memory, where a filter can read it. The fields that are the same for
 * all events of the kind are set already.
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
 * kmt_steer_fully() - the slow path of kmt_steer()
 * @c: the event, and the place where it happened
 * @mode: bits of the mode of the event
 *
 * Runs the triggers and the filter, and records the event.
 *
 * Context: as kmt_steer().
 */
void kmt_steer_fully(struct kmt_context *c, u32 mode);

/* As kmt_writer_put(), but not inlined into the probe. */
void kmt_steer_put(struct kmt_event *copy, struct kmem_cache *s, u32 mode);

/**
 * kmt_steer() - run the filter and the triggers of an event
 * @ev: the event
 * @s: its cache, or NULL
 * @flags: of local_irq_save() in the probe
 * @mode: bits of the mode of the event
 *
 * The event has a bit of KMT_MODE_SLOW, or KMT_MODE_TIMED. If it only has a filter that compares numbers, this function runs the filter.
 * Else it calls kmt_steer_fully(). It is inlined into the probe, so that stack traces
 * begin at the caller of the probe.
 *
 * Context: any, interrupts off; the caller is a probe, and has the CPU's guard
 * (guard.h).
 * Return: whether the caller must record the event.
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

	/* else the compiler computes results of these early, and keeps them */
	OPTIMIZER_HIDE_VAR(flags);
	OPTIMIZER_HIDE_VAR(mode);
	kmt_steer_spill(copy, ev);
	if (!(mode & KMT_MODE_SLOW))
		result = KMT_FILTER_MATCH;
	else if (likely(!(mode & KMT_MODE_SLOW & ~KMT_MODE_FILTER)))
		result = kmt_filter_match_numbers(
			rcu_dereference_sched(kmt_modes[kind].filter), copy,
			kmt_steer_groups(ev));
	if (likely(result != KMT_FILTER_UNDECIDED)) {
		if (likely(!(mode & KMT_MODE_TIMED)))
			return result == KMT_FILTER_MATCH;
		if (result == KMT_FILTER_MATCH)
			kmt_steer_put(copy, s, mode);
		return false;
	}
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
 * kmt_steer_init() - allocate struct kmt_steer_cpu for each CPU
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_steer_init(void);

/**
 * kmt_steer_exit() - undo kmt_steer_init()
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_steer_exit(void);

#endif /* KMT_STEER_H */
