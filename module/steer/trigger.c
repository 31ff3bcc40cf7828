// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trigger fires inside an allocation or a free. It therefore only changes bits, which
 * is possible in any context, or queues work.
 *
 * An event with triggers is attached even if it is disabled. An event that a trigger
 * may enable is attached as well. If a trigger may switch recording on, all enabled
 * events are attached. Therefore nothing needs to be attached when a trigger fires.
 *
 * Notes on locking: the sets of triggers are changed under kmt_event_lock(). Probes
 * read them with interrupts off, and therefore finish within a grace period.
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/errlog.h"
#include "record/buffers.h"
#include "record/mode.h"
#include "record/wake.h"
#include "steer/event.h"
#include "steer/filter.h"
#include "steer/trigger.h"

/**
 * struct kmt_trigger - one trigger
 * @command: its action
 * @target: kind of event that it enables or disables
 * @limited: it has a count
 * @left: remaining count
 * @condition: text of its filter, or NULL
 * @filter: the filter, or NULL
 */
struct kmt_trigger {
	enum kmt_trigger_command command;
	unsigned int target;
	bool limited;
	atomic64_t left;
	char *condition;
	struct kmt_filter *filter;
};

/**
 * struct kmt_trigger_set - the triggers of an event
 * @count: number of triggers
 * @trigger: the triggers, the newest first
 */
struct kmt_trigger_set {
	unsigned int count;
	struct kmt_trigger *trigger[];
};

/* --- firing --------------------------------------------------------------- */

/* Take one from the remaining count. Return: false if none is left. */
static bool take(struct kmt_trigger *t)
{
	return !t->limited || atomic64_add_unless(&t->left, -1, 0);
}

/* Another CPU made the change first, so this trigger had no effect. */
static void give_back(struct kmt_trigger *t)
{
	if (t->limited)
		atomic64_inc(&t->left);
}

/* As in event tracing, only a change of the state counts. */
static void switch_recording(struct kmt_trigger *t, bool on)
{
	if (kmt_mode_paused() != on || !take(t))
		return;
	if (!kmt_mode_pause(!on))
		give_back(t);
	else
		kmt_event_settle_later();
}

static void switch_event(struct kmt_trigger *t, bool on)
{
	if (!!(kmt_mode_bits(t->target) & KMT_MODE_OFF) != on || !take(t))
		return;
	if (!kmt_mode_change(t->target, KMT_MODE_OFF, !on))
		give_back(t);
}

unsigned int kmt_trigger_fire(unsigned int kind, struct kmt_context *c,
			      bool paused)
{
	const struct kmt_trigger_set *set =
		rcu_dereference_sched(kmt_modes[kind].triggers);
	/* an event has at most one of each */
	struct kmt_trigger *stack = NULL, *snapshot = NULL;
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct kmt_trigger *t = set->trigger[i];

		if (t->filter &&
		    !kmt_filter_match(t->filter, c->ev, &c->x,
				      kmt_context_fetch))
			continue;
		switch (t->command) {
		case KMT_TRIGGER_TRACEON:
		case KMT_TRIGGER_TRACEOFF:
			switch_recording(t, t->command == KMT_TRIGGER_TRACEON);
			break;
		case KMT_TRIGGER_ENABLE_EVENT:
		case KMT_TRIGGER_DISABLE_EVENT:
			switch_event(t,
				     t->command == KMT_TRIGGER_ENABLE_EVENT);
			break;
		case KMT_TRIGGER_SNAPSHOT:
			snapshot = t;
			break;
		default:
			stack = t;
		}
	}
	/* stacktrace and snapshot need a record */
	if (paused && kmt_mode_paused())
		return 0;
	return (stack && take(stack) ? KMT_FIRED_STACK : 0) |
	       (snapshot && take(snapshot) ? KMT_FIRED_SNAPSHOT : 0);
}

/* --- adding and removing -------------------------------------------------- */

static void free_trigger(struct kmt_trigger *t)
{
	if (!t)
		return;
	kvfree(t->filter);
	kfree(t->condition);
	kfree(t);
}

static struct kmt_trigger_set *__set_of(unsigned int kind)
{
	return rcu_dereference_protected(kmt_modes[kind].triggers,
					 kmt_event_lock_held());
}

static bool is_switch(enum kmt_trigger_command command)
{
	return command == KMT_TRIGGER_TRACEON ||
	       command == KMT_TRIGGER_TRACEOFF;
}

static bool has_target(enum kmt_trigger_command command)
{
	return command == KMT_TRIGGER_ENABLE_EVENT ||
	       command == KMT_TRIGGER_DISABLE_EVENT;
}

/*
 * An event has at most one trigger of each type. traceon and traceoff are one type.
 * enable_event and disable_event of the same target are one type.
 */
static bool same_type(const struct kmt_trigger *t,
		      const struct kmt_trigger_spec *spec)
{
	if (is_switch(t->command))
		return is_switch(spec->command);
	if (has_target(t->command))
		return has_target(spec->command) && t->target == spec->target;
	return t->command == spec->command;
}

static int __find(unsigned int kind, const struct kmt_trigger_spec *spec)
{
	const struct kmt_trigger_set *set = __set_of(kind);
	int i;

	for (i = 0; set && i < set->count; i++)
		if (same_type(set->trigger[i], spec))
			return i;
	return -1;
}

/* Replace the set of an event by one with @add and without @remove; each may be NULL. */
static int __change_set(unsigned int kind, struct kmt_trigger *add,
			const struct kmt_trigger *remove)
{
	struct kmt_trigger_set *old = __set_of(kind), *set;
	unsigned int had = old ? old->count : 0, i;

	set = kmalloc(struct_size(set, trigger, had + 1), GFP_KERNEL);
	if (!set)
		return -ENOMEM;
	set->count = 0;
	if (add)
		set->trigger[set->count++] = add;
	for (i = 0; i < had; i++)
		if (old->trigger[i] != remove)
			set->trigger[set->count++] = old->trigger[i];
	kmt_mode_change(kind, KMT_MODE_TRIGGERS, set->count);
	if (!set->count) {
		kfree(set);
		set = NULL;
	}
	rcu_assign_pointer(kmt_modes[kind].triggers, set);
	synchronize_rcu();
	kfree(old);
	return 0;
}

/* If @n is 1, attach and allocate all that the trigger needs. If @n is -1, undo that. */
static int __hold(unsigned int kind, const struct kmt_trigger *t, int n)
{
	bool allocated = false;
	int err = 0;

	if (t->command == KMT_TRIGGER_SNAPSHOT) {
		if (n > 0)
			err = kmt_buffers_get_other();
		else
			kmt_buffers_put_other();
	}
	if (t->command == KMT_TRIGGER_TRACEON && n > 0)
		err = kmt_buffers_allocate(&allocated);
	if (err)
		return err;
	__kmt_event_hold(kind, n);
	if (has_target(t->command))
		__kmt_event_hold(t->target, n);
	if (t->command == KMT_TRIGGER_TRACEON)
		__kmt_event_hold_all(n);
	err = __kmt_event_apply();
	if (err && n > 0)
		__hold(kind, t, -n);
	if (err && allocated)
		__kmt_buffers_free();
	return err;
}

static int __remove(unsigned int kind, int index)
{
	struct kmt_trigger *t;
	int err;

	if (index < 0)
		return 0; /* as in event tracing */
	t = __set_of(kind)->trigger[index];
	err = __change_set(kind, NULL, t);
	if (err)
		return err;
	err = __hold(kind, t, -1);
	free_trigger(t);
	return err;
}

static struct kmt_trigger *make_trigger(unsigned int kind,
					const struct kmt_trigger_spec *spec)
{
	struct kmt_filter_error error = { KMT_FILTER_OK, 0 };
	struct kmt_trigger *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct kmt_filter *filter = NULL;

	if (!t)
		return ERR_PTR(-ENOMEM);
	t->command = spec->command;
	t->target = spec->target;
	t->limited = spec->count != KMT_TRIGGER_UNLIMITED;
	atomic64_set(&t->left, spec->count);
	if (spec->filter) {
		filter = kmt_filter_make(kind, spec->filter, &error);
		t->filter = IS_ERR(filter) ? NULL : filter;
		t->condition = kstrdup(spec->filter, GFP_KERNEL);
	}
	if (filter == ERR_PTR(-EINVAL))
		kmt_errlog_add("event filter parse error",
			       kmt_filter_text(error.code), spec->filter,
			       error.column);
	if (IS_ERR(filter) || (spec->filter && !t->condition)) {
		free_trigger(t);
		return IS_ERR(filter) ? ERR_CAST(filter) : ERR_PTR(-ENOMEM);
	}
	return t;
}

static int __add(unsigned int kind, const struct kmt_trigger_spec *spec)
{
	struct kmt_trigger *t = make_trigger(kind, spec);
	int err;

	if (IS_ERR(t))
		return PTR_ERR(t);
	if (__find(kind, spec) >= 0) {
		err = -EEXIST;
		goto free;
	}
	err = __hold(kind, t, 1);
	if (err)
		goto free;
	err = __change_set(kind, t, NULL);
	if (!err)
		return 0;
	__hold(kind, t, -1);
free:
	free_trigger(t);
	return err;
}

int kmt_trigger_write(unsigned int kind, char *text)
{
	struct kmt_trigger_spec spec;
	int err;

	text = strim(text);
	if (!kmt_trigger_parse(text, &spec)) {
		kmt_errlog_add("event trigger parse error",
			       kmt_trigger_text(spec.error), text, spec.column);
		return -EINVAL;
	}
	kmt_event_lock();
	if (spec.remove)
		err = __remove(kind, __find(kind, &spec));
	else
		err = __add(kind, &spec);
	kmt_event_unlock();
	/* with overwrite=1, removing a trigger traceon may make buffers readable */
	kmt_wake_all();
	if (err == -EEXIST)
		kmt_errlog_add("event trigger", "A trigger of this type exists; remove it first",
			       text, 0);
	else if (err == -ENOMEM)
		kmt_errlog_add("event trigger", "Not enough memory for the trigger, or for buffers that it needs",
			       text, 0);
	return err;
}

/* --- listing -------------------------------------------------------------- */

static void show_available(struct seq_file *m)
{
	int i;

	seq_puts(m, "# Available triggers:\n#");
	for (i = 0; i < KMT_TRIGGER_COMMANDS; i++)
		seq_printf(m, " %s", kmt_trigger_names[i]);
	seq_putc(m, '\n');
}

static void show_one(const struct kmt_trigger *t, struct seq_file *m)
{
	seq_puts(m, kmt_trigger_names[t->command]);
	if (has_target(t->command))
		seq_printf(m, ":%s:%s", kmt_kind_names[t->target].system,
			   kmt_kind_names[t->target].event);
	if (t->limited)
		seq_printf(m, ":count=%lld", atomic64_read(&t->left));
	else
		seq_puts(m, ":unlimited");
	if (t->condition)
		seq_printf(m, " if %s", t->condition);
	seq_putc(m, '\n');
}

void kmt_trigger_show(unsigned int kind, struct seq_file *m)
{
	const struct kmt_trigger_set *set;
	unsigned int i;

	kmt_event_lock();
	set = __set_of(kind);
	if (!set)
		show_available(m);
	for (i = 0; set && i < set->count; i++)
		show_one(set->trigger[i], m);
	kmt_event_unlock();
}

void kmt_trigger_exit(void)
{
	struct kmt_trigger_set *sets[KMT_EVENT_KINDS];
	unsigned int kind, i;
	bool any = false;

	kmt_event_lock();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		sets[kind] = __set_of(kind);
		any = any || sets[kind];
		kmt_mode_change(kind, KMT_MODE_TRIGGERS, false);
		rcu_assign_pointer(kmt_modes[kind].triggers, NULL);
	}
	if (any)
		synchronize_rcu();
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		for (i = 0; sets[kind] && i < sets[kind]->count; i++) {
			__hold(kind, sets[kind]->trigger[i], -1);
			free_trigger(sets[kind]->trigger[i]);
		}
		kfree(sets[kind]);
	}
	kmt_event_unlock();
}
