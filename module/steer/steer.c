// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>
#include <linux/topology.h>

#include "record/writer.h"
#include "steer/steer.h"
#include "steer/trigger.h"

DEFINE_PER_CPU(struct kmt_steer_cpu *, kmt_steer_cpus);

static void put_extra(struct kmt_context *c, u32 features)
{
	struct kmt_extra *x = &c->x;

	kmt_context_fetch(x, c->ev, features & KMT_FEATURES_EXTRA & ~x->have);
	kmt_writer_put_extra(c->ev, x, c->s,
			     features & (x->have | ~KMT_FEATURES_EXTRA));
}

/* Return: whether the event is enabled and matches its filter. */
static bool is_let_through(struct kmt_context *c, unsigned int kind, u32 mode)
{
	if (mode & KMT_MODE_OFF)
		return false;
	return !(mode & KMT_MODE_FILTER) ||
	       kmt_filter_match(rcu_dereference_sched(kmt_modes[kind].filter),
				c->ev, &c->x, kmt_context_fetch);
}

/*
 * As in event tracing, triggers fire also if the event is disabled, is not recorded, or
 * does not match its filter. But the triggers stacktrace and snapshot do not fire while
 * recording is off.
 *
 * An event whose trigger switches recording on or off is still recorded. A trigger that
 * enables or disables this kind of event applies to this event already. If the trigger
 * stacktrace fires, the event is recorded even if it is disabled or does not match its
 * filter. A snapshot contains the event that triggered it.
 */
void kmt_steer_fully(struct kmt_context *c, u32 mode)
{
	unsigned int kind = kmt_event_kind(c->ev), fired = 0;
	bool paused = mode & KMT_MODE_PAUSED;

	c->x.have = kmt_steer_groups(c->ev);
	if (mode & KMT_MODE_TRIGGERS) {
		fired = kmt_trigger_fire(kind, c, paused);
		mode = kmt_mode_bits(kind);
		paused &= !!(mode & KMT_MODE_PAUSED);
	}
	if (fired & KMT_FIRED_STACK)
		mode |= KMT_FEATURE_STACK;
	if (!paused &&
	    ((fired & KMT_FIRED_STACK) || is_let_through(c, kind, mode))) {
		if (mode & KMT_FEATURES_EXTRA)
			put_extra(c, mode & KMT_FEATURES_ALL);
		else
			kmt_writer_put(c->ev, c->s, mode);
	}
	if (fired & KMT_FIRED_SNAPSHOT)
		kmt_triggers_snapshot(c);
}

void kmt_steer_put(struct kmt_event *copy, struct kmem_cache *s, u32 mode)
{
	kmt_writer_put(copy, s, mode);
}

static struct kmt_steer_cpu *__init create_cpu(int cpu)
{
	struct kmt_steer_cpu *room =
		kzalloc_node(sizeof(*room), GFP_KERNEL, cpu_to_node(cpu));
	unsigned int kind;

	for (kind = 0; room && kind < KMT_EVENT_KINDS; kind++) {
		struct kmt_event *ev = &room->events[kind];

		ev->event_id = kind % 2;
		ev->type_id = kind / 2;
		ev->node = NUMA_NO_NODE;
	}
	return room;
}

int __init kmt_steer_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(kmt_steer_cpus, cpu) = create_cpu(cpu);
		if (!per_cpu(kmt_steer_cpus, cpu)) {
			kmt_steer_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void kmt_steer_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu(kmt_steer_cpus, cpu));
}
