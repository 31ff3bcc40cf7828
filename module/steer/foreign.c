// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_event_lock() guards the list of foreign events. A probe gets its
 * event from the tracepoint, possibly with interrupts on. So an event is freed when
 * tracepoint_synchronize_unregister() has returned.
 *
 * A probe may run in any context, with any lock held, also those of the kernel's own
 * tracing. It takes the CPU's guard: what its triggers do may reach a tracepoint again.
 * The kernel calls no probe where RCU is not watching.
 */
#include <linux/atomic.h>
#include <linux/compat.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/syscalls.h> /* for the types of these probes */

#include "base/compat.h"
#include "base/errlog.h"
#include "base/guard.h"
#include "record/mode.h"
#include "record/wake.h"
#include "steer/event.h"
#include "steer/foreign.h"
#include "steer/steer.h"
#include "steer/tracepoints.h"
#include "steer/trigger.h"

/**
 * struct foreign - a foreign event with triggers
 * @node: in foreigns, the newest first
 * @name: "system:event"
 * @tp: its tracepoint
 * @probe: the probe, which gets this struct
 * @owner: the module that the tracepoint belongs to, not referenced; or NULL
 * @syscall: number of the system call that the event is of; -1: all, or it is of none
 * @triggers: its triggers
 */
struct foreign {
	struct list_head node;
	char *name;
	struct tracepoint *tp;
	void *probe;
	struct module *owner;
	int syscall;
	struct kmt_trigger_set __rcu *triggers;
};

static LIST_HEAD(foreigns); /* under kmt_event_lock() */
static atomic64_t nested;

u64 kmt_foreign_nested(void)
{
	return atomic64_read(&nested);
}

/* --- probes --------------------------------------------------------------- */

/* Under the CPU's guard. */
static struct kmt_context *context_of(unsigned long flags)
{
	struct kmt_steer_cpu *room = __this_cpu_read(kmt_steer_cpus);
	struct kmt_context *c = &room->context;

	c->ev = &room->events[0]; /* filters only use its time */
	c->s = NULL;
	c->irqs_off = irqs_disabled_flags(flags);
	c->x.have = 0;
	return c;
}

static void fire(struct foreign *f)
{
	struct kmt_context *c;
	unsigned long flags;

	kmt_probe_pin();
	local_irq_save(flags);
	if (likely(kmt_guard_enter())) {
		c = context_of(flags);
		if (kmt_triggers_fire(rcu_dereference_sched(f->triggers), c,
				      kmt_mode_paused()) & KMT_FIRED_SNAPSHOT)
			kmt_triggers_snapshot(c);
		kmt_guard_leave();
	} else {
		atomic64_inc(&nested);
	}
	local_irq_restore(flags);
	kmt_probe_unpin();
}

/*
 * The tracepoint passes further arguments. On x86-64, a function may take fewer ones than
 * its caller passes.
 */
static void probe_any(void *event)
{
	fire(event);
}

/* System calls of 32-bit programs have other numbers. As in event tracing, they are left out. */
static bool is_syscall(const struct foreign *f, long number)
{
	return number == f->syscall && !in_compat_syscall();
}

static void probe_sys_enter(void *event, struct pt_regs *regs, long number)
{
	if (is_syscall(event, number))
		fire(event);
}

static void probe_sys_exit(void *event, struct pt_regs *regs, long result)
{
	if (is_syscall(event, syscall_get_nr(current, regs)))
		fire(event);
}

static void *probe_of(enum kmt_tracepoint_type type)
{
	switch (type) {
	case KMT_TRACEPOINT_SYS_ENTER:
		check_trace_callback_type_sys_enter(probe_sys_enter);
		return probe_sys_enter;
	case KMT_TRACEPOINT_SYS_EXIT:
		check_trace_callback_type_sys_exit(probe_sys_exit);
		return probe_sys_exit;
	default:
		return probe_any;
	}
}

/* --- adding --------------------------------------------------------------- */

static struct foreign *__find(const char *name)
{
	struct foreign *f;

	list_for_each_entry(f, &foreigns, node)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static void free_foreign(struct foreign *f)
{
	kfree(f->name);
	kfree(f);
}

/* Add an event that has no trigger so far. If @why is set, it is the reason of an error. */
static int __add_event(const char *name, const struct kmt_tracepoint *t,
		       const struct kmt_trigger_spec *spec, const char **why)
{
	struct foreign *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int err = -ENOMEM;

	if (!f)
		return err;
	f->name = kstrdup(name, GFP_KERNEL);
	f->tp = t->tp;
	f->probe = probe_of(t->type);
	f->syscall = t->syscall;
	if (!f->name)
		goto free;
	err = -EINVAL;
	if (!__kmt_tracepoint_owner(f->tp, &f->owner)) {
		*why = "The tracepoint of this event belongs neither to the kernel nor to a module";
		goto free;
	}
	err = __kmt_triggers_add(&f->triggers, KMT_FOREIGN, spec);
	if (err)
		goto free;
	err = tracepoint_probe_register(f->tp, f->probe, f);
	if (err) {
		*why = "The kernel did not attach a probe to this event";
		goto remove;
	}
	list_add(&f->node, &foreigns);
	return 0;
remove:
	__kmt_triggers_free(__kmt_triggers_withdraw(&f->triggers, KMT_FOREIGN),
			    KMT_FOREIGN);
	__kmt_event_apply();
free:
	free_foreign(f);
	return err;
}

static int add(const char *name, const struct kmt_trigger_spec *spec,
	       const char **why)
{
	struct kmt_tracepoint t;
	struct foreign *f;
	int err = kmt_tracepoint_get(name, &t, why);

	if (err)
		return err;
	kmt_event_lock();
	f = __find(name);
	if (f)
		err = __kmt_triggers_add(&f->triggers, KMT_FOREIGN, spec);
	else
		err = __add_event(name, &t, spec, why);
	kmt_event_unlock();
	kmt_tracepoint_put(&t);
	return err;
}

/* --- removing ------------------------------------------------------------- */

/* Afterwards, no probe uses the events in the list. */
static void __detach(struct list_head *events)
{
	struct foreign *f;

	list_for_each_entry(f, events, node)
		tracepoint_probe_unregister(f->tp, f->probe, f);
	tracepoint_synchronize_unregister();
}

static void __free_all(struct list_head *events)
{
	struct foreign *f, *next;

	list_for_each_entry_safe(f, next, events, node) {
		list_del(&f->node);
		__kmt_triggers_free(__kmt_triggers_withdraw(&f->triggers,
							    KMT_FOREIGN),
				    KMT_FOREIGN);
		free_foreign(f);
	}
	__kmt_event_apply();
}

static int remove(const char *name, const struct kmt_trigger_spec *spec)
{
	LIST_HEAD(unused);
	struct foreign *f;
	int err = 0;

	kmt_event_lock();
	f = __find(name);
	if (f)
		err = __kmt_triggers_remove(&f->triggers, KMT_FOREIGN, spec);
	if (f && !rcu_access_pointer(f->triggers)) {
		list_move(&f->node, &unused);
		__detach(&unused);
		__free_all(&unused);
	}
	kmt_event_unlock();
	return err;
}

/* kmt_tracepoints_init() calls this. */
static void __forget_module(const struct module *module)
{
	struct foreign *f, *next;
	LIST_HEAD(gone);

	list_for_each_entry_safe(f, next, &foreigns, node) {
		if (f->owner != module)
			continue;
		list_move(&f->node, &gone);
		pr_notice("the module with the event %s is unloaded: its triggers are removed\n",
			  f->name);
		kmt_errlog_add("event trigger",
			       "The module with this event was unloaded: its triggers were removed",
			       f->name, 0);
	}
	if (list_empty(&gone))
		return;
	__detach(&gone);
	__free_all(&gone);
}

/* --- the file ------------------------------------------------------------- */

static int change(const struct kmt_trigger_event *event,
		  const struct kmt_trigger_spec *spec, const char *text)
{
	char *name = kstrndup(event->name, event->len, GFP_KERNEL);
	const char *why = NULL;
	int err = -ENOMEM;

	if (name)
		err = spec->remove ? remove(name, spec) : add(name, spec, &why);
	kfree(name);
	/* with overwrite=1, removing a trigger traceon may make buffers readable */
	kmt_wake_all();
	if (why)
		kmt_errlog_add("event trigger", why, text,
			       event->name - text + 1);
	kmt_triggers_log(err, text);
	return err;
}

int kmt_foreign_write(char *text)
{
	struct kmt_trigger_event event;
	struct kmt_trigger_spec spec;

	text = strim(text);
	if (!kmt_trigger_parse_named(text, &event, &spec)) {
		kmt_errlog_add("event trigger parse error",
			       kmt_trigger_text(spec.error), text, spec.column);
		return -EINVAL;
	}
	if (event.kind == KMT_FOREIGN)
		return change(&event, &spec, text);
	return kmt_trigger_set(event.kind, &spec, text);
}

void kmt_foreign_show(struct seq_file *m)
{
	struct foreign *f;

	kmt_event_lock();
	if (list_empty(&foreigns))
		seq_puts(m,
			 "# SYSTEM:EVENT:TRIGGER, for any event of the kernel and of its modules.\n"
			 "# Available triggers:\n"
			 "# traceon traceoff snapshot enable_event disable_event\n");
	list_for_each_entry(f, &foreigns, node)
		__kmt_triggers_show(&f->triggers, f->name, m);
	kmt_event_unlock();
}

int __init kmt_foreign_init(void)
{
	return kmt_tracepoints_init(__forget_module);
}

void kmt_foreign_exit(void)
{
	kmt_event_lock();
	if (!list_empty(&foreigns)) {
		__detach(&foreigns);
		__free_all(&foreigns);
	}
	kmt_event_unlock();
	kmt_tracepoints_exit();
}
