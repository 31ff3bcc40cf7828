// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_control_mutex (kmt_event_lock()) guards everything in this file.
 * Probes are attached and detached only under it. A trigger may change the modes of events
 * without it.
 */
#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "account/survey.h"
#include "account/tables.h"
#include "base/clock.h"
#include "kmt_field.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
#include "record/wake.h"
#include "record/writer.h"
#include "steer/event.h"

/**
 * struct event - one event; its names are in kmt_kind_names
 * @tracepoint: the tracepoint that its probe is attached to
 * @enabled: recorded while recording is on. If a trigger has changed KMT_MODE_OFF
 *	since, KMT_MODE_OFF decides
 * @held: number of triggers that need it attached
 *
 * Written under kmt_event_lock().
 */
struct event {
	struct tracepoint *tracepoint;
	bool enabled;
	unsigned int held;
};

static struct event event_table[KMT_EVENTS];
static_assert(KMT_EVENTS == KMT_EVENT_KINDS);

static const struct kmt_event_probes *probes __ro_after_init;

#define for_each_event(ev)                                                     \
	for (ev = event_table; ev < event_table + KMT_EVENTS; ev++)

static DEFINE_MUTEX(account_mutex); /* held while accounting is switched */
static bool accounting; /* this and the following under kmt_control_mutex */
static bool leaving; /* the module is being unloaded */
static u32 switches; /* of accounting, under kmt_event_lock() */
static bool moved; /* __kmt_event_apply() has changed the uses of an event */
static unsigned int held; /* number of triggers that may switch recording on */
static const void *session; /* recording belongs to this owner, or NULL */

static unsigned int kind_of(const struct event *ev)
{
	return ev - event_table;
}

static const struct kmt_kind_name *name_of(const struct event *ev)
{
	return &kmt_kind_names[kind_of(ev)];
}

static bool is_free(const struct event *ev)
{
	return kind_of(ev) & 1; /* KMEMTRACE_EVENT_FREE */
}

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct event *ev;

	for_each_event(ev)
		if (!strcmp(tp->name, name_of(ev)->event))
			ev->tracepoint = tp;
}

int __init kmt_event_init(const struct kmt_event_probes *to)
{
	struct event *ev;

	probes = to;
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_event(ev) {
		if (!ev->tracepoint) {
			pr_err("this kernel has no tracepoint %s:%s; it must be built with CONFIG_TRACEPOINTS and be 6.1 or newer\n",
			       name_of(ev)->system, name_of(ev)->event);
			return -ENOENT;
		}
		ev->enabled = true;
	}
	return 0;
}

/* Return: mask of KMT_USE_*. */
static u32 wanted_uses(const struct event *ev)
{
	bool record = ev->held ||
		      (ev->enabled && (held || !kmt_mode_paused()));

	return (record ? KMT_USE_RECORD : 0) |
	       (accounting ? KMT_USE_ACCOUNT : 0);
}

/* Return: mask of the uses that it is attached for. */
static u32 uses_of(const struct event *ev)
{
	return kmt_mode_uses(kind_of(ev));
}

static void __set_uses(const struct event *ev, u32 uses)
{
	kmt_mode_set_uses(kind_of(ev), uses);
	moved = true;
}

static void *probe_of(const struct event *ev)
{
	return probes->probe[kind_of(ev)];
}

static int attach(struct event *ev)
{
	u32 old = uses_of(ev), uses = old | wanted_uses(ev);
	int err = 0;

	if (uses == old)
		return 0;
	if (!old)
		err = tracepoint_probe_register(ev->tracepoint, probe_of(ev),
						NULL);
	if (err)
		pr_err("cannot attach to %s:%s: error %d\n", name_of(ev)->system,
		       name_of(ev)->event, err);
	else
		__set_uses(ev, uses);
	return err;
}

static void detach(struct event *ev)
{
	u32 old = uses_of(ev), uses = old & wanted_uses(ev);

	if (uses == old)
		return;
	if (!uses)
		tracepoint_probe_unregister(ev->tracepoint, probe_of(ev), NULL);
	__set_uses(ev, uses);
}

/*
 * Return: whether an event that is to be attached needs the hook. With @also, events
 * that are still attached count as well.
 */
static bool is_hook_wanted(const struct kmt_event_hook *hook, bool also)
{
	struct event *ev;
	u32 uses = 0;

	for_each_event(ev)
		if (hook->events & BIT(kind_of(ev)))
			uses |= wanted_uses(ev) | (also ? uses_of(ev) : 0);
	return uses & hook->uses;
}

/* Return: mask of the hooks of frees, or of allocations, to attach or to detach. */
static u32 hooks_to(bool attach, bool frees)
{
	const struct kmt_event_hook *hook = probes->hooks;
	u32 hooks = 0;
	int i;

	for (i = 0; i < probes->nr_hooks; i++, hook++)
		if (hook->frees == frees &&
		    is_hook_wanted(hook, !attach) == attach)
			hooks |= BIT(i);
	return hooks;
}

static int __attach_all(bool frees)
{
	struct event *ev;
	int err = 0;

	/* what is still wanted needs nothing more, and a failure would keep the rest attached */
	if (leaving)
		return 0;
	for_each_event(ev)
		if (is_free(ev) == frees && !err)
			err = attach(ev);
	return err ? err : probes->attach_hooks(hooks_to(true, frees));
}

static void __detach_all(bool frees)
{
	struct event *ev;

	for_each_event(ev)
		if (is_free(ev) == frees)
			detach(ev);
	probes->detach_hooks(hooks_to(false, frees));
	if (moved)
		tracepoint_synchronize_unregister();
}

/* Something may be recorded from now on. */
static void __end_quiet(void)
{
	if (!kmt_mode_quiet())
		return;
	down_write(&kmt_channel_sem); /* wait for readers on other CPUs */
	kmt_mode_set_quiet(false);
	up_write(&kmt_channel_sem);
}

/*
 * Frees are attached before allocations, and detached after them. Else an object could
 * count as live although its free was not seen.
 *
 * @wait: the caller needs to know that probes use the new modes
 */
static int __apply(bool wait)
{
	bool was_quiet = kmt_mode_quiet(), paused = kmt_mode_paused();
	bool is_quiet;
	int err;

	if (held || !paused)
		__end_quiet();
	moved = false;
	err = __attach_all(true);
	if (!err) {
		if (moved)
			tracepoint_synchronize_unregister();
		err = __attach_all(false);
	}
	if (err)
		return err;
	__detach_all(false);
	__detach_all(true);
	/*
	 * If recording has been paused all the time, the last record is a grace period
	 * old. Without a trigger that may switch recording on, it stays paused.
	 */
	is_quiet = paused && kmt_mode_paused() && !held;
	if (!moved && !was_quiet && (wait || is_quiet))
		tracepoint_synchronize_unregister();
	kmt_mode_set_quiet(is_quiet);
	return 0;
}

int __kmt_event_apply(void)
{
	return __apply(true);
}

void kmt_event_lock(void)
{
	mutex_lock(&kmt_control_mutex);
}

void kmt_event_unlock(void)
{
	mutex_unlock(&kmt_control_mutex);
}

bool kmt_event_lock_held(void)
{
	return mutex_is_locked(&kmt_control_mutex);
}

static int __switch(bool on)
{
	bool was_paused = kmt_mode_paused();
	int err = on && was_paused ? kmt_writer_check() : 0;

	if (err)
		return err;
	if (on && was_paused) {
		kmt_mode_set_clock(false);
		kmt_clock_stop();
		synchronize_rcu(); /* for probes that record or read the clock */
		kmt_channel_reset_lost();
		kmt_writer_start();
		kmt_modlog_start();
	}
	if (on)
		__end_quiet();
	kmt_mode_pause(!on);
	err = __kmt_event_apply();
	if (err) {
		kmt_mode_pause(was_paused);
		__kmt_event_apply();
	}
	return err;
}

/*
 * Recording needs buffers. If it cannot be switched on, buffers allocated for it are
 * freed.
 */
static int __record(bool on)
{
	bool allocated = false;
	int err = 0;

	if (on)
		err = kmt_buffers_allocate(&allocated);
	if (!err)
		err = __switch(on);
	if (err && allocated)
		__kmt_buffers_free();
	return err;
}

int kmt_event_record(bool on)
{
	int err;

	kmt_event_lock();
	err = __record(on);
	if (!err)
		session = NULL;
	kmt_event_unlock();
	if (!on)
		kmt_wake_all();
	return err;
}

int kmt_event_record_for(const void *owner)
{
	int err = -EBUSY;

	kmt_event_lock();
	if (!session)
		err = __record(true);
	if (!err)
		session = owner;
	kmt_event_unlock();
	return err;
}

/*
 * If a trigger has switched recording off, it may switch it on again. Recording is
 * therefore switched off in any case.
 */
void kmt_event_release(const void *owner)
{
	bool ours;

	kmt_event_lock();
	ours = session == owner;
	if (ours) {
		session = NULL;
		__record(false);
	}
	kmt_event_unlock();
	if (ours)
		kmt_wake_all();
}

/* Under kmt_event_lock(). On failure, nothing changes. */
static int set_accounting(bool on)
{
	int err;

	accounting = on;
	err = __kmt_event_apply();
	if (err) {
		accounting = !on;
		__kmt_event_apply();
	}
	return err;
}

int kmt_event_account(bool on)
{
	bool begins = false;
	int err = 0;

	mutex_lock(&account_mutex);
	if (!on)
		kmt_survey_stop();
	else if (!kmt_event_accounting() && kmt_tables_ready())
		kmt_survey_read();
	kmt_event_lock();
	if (on && !kmt_tables_ready()) {
		err = -EPERM;
	} else if (on != accounting) {
		err = on ? kmt_tables_reset() : 0;
		if (!err)
			err = set_accounting(on);
		begins = on && !err;
		if (!err && !leaving)
			WRITE_ONCE(switches, switches + 1);
		if (!err && !on && !leaving)
			pr_notice("accounting is off: the counters keep their values; switching it on again sets them to zero and forgets all live objects\n");
	}
	kmt_event_unlock();
	if (begins)
		kmt_survey_start();
	else if (on && err)
		kmt_survey_stop();
	mutex_unlock(&account_mutex);
	return err;
}

int kmt_event_attach_hooks(void)
{
	int err;

	kmt_event_lock();
	err = probes->attach_hooks(hooks_to(true, true));
	kmt_event_unlock();
	return err;
}

bool kmt_event_accounting(void)
{
	return READ_ONCE(accounting);
}

u32 kmt_event_account_switches(void)
{
	return READ_ONCE(switches);
}

/* --- sleep ---------------------------------------------------------------- */

static int notify_sleep(struct notifier_block *block, unsigned long event,
			void *arg)
{
	kmt_event_lock();
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		kmt_mode_set_clock(false);
		kmt_clock_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		kmt_clock_stop(); /* the restored image may have a running clock */
		synchronize_rcu(); /* for probes that read the clock */
		kmt_clock_resume();
		kmt_mode_set_clock(kmt_clock_runs());
		break;
	}
	kmt_event_unlock();
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = {
	.notifier_call = notify_sleep,
};

int __init kmt_event_watch_sleep(void)
{
	return register_pm_notifier(&sleep_notifier);
}

void kmt_event_unwatch_sleep(void)
{
	unregister_pm_notifier(&sleep_notifier);
}

/* --- what triggers need --------------------------------------------------- */

void __kmt_event_hold(unsigned int kind, int n)
{
	struct event *ev = &event_table[kind];

	ev->held += n;
	/* without triggers, the last state that they set remains */
	if (!ev->held)
		ev->enabled = !(kmt_mode_bits(kind) & KMT_MODE_OFF);
}

void __kmt_event_hold_all(int n)
{
	held += n;
}

static atomic_t settling; /* settle() will see all changes of modes */

static void settle(struct work_struct *work)
{
	atomic_xchg(&settling, 0);
	kmt_event_lock();
	__apply(false);
	kmt_event_unlock();
	kmt_wake_all();
}

/*
 * Triggers may switch at each event of the worker, or of the timer that starts it. The delay
 * limits how often it then runs.
 */
static DECLARE_DELAYED_WORK(settle_work, settle);

/*
 * A trigger may fire under any lock, where schedule_delayed_work() is not allowed. An
 * irq_work runs in an interrupt of its own.
 */
static void queue_settle(struct irq_work *work)
{
	schedule_delayed_work(&settle_work, 1);
}

static DEFINE_IRQ_WORK(settle_irq_work, queue_settle);

/* Triggers may also switch at the begin and the end of the irq_work: it is queued once. */
void kmt_event_settle_later(void)
{
	if (!atomic_xchg(&settling, 1))
		irq_work_queue(&settle_irq_work);
}

/* kmt_trigger_exit() has removed all triggers. */
void kmt_event_exit(void)
{
	irq_work_sync(&settle_irq_work);
	cancel_delayed_work_sync(&settle_work);
	leaving = true;
	kmt_event_record(false);
	kmt_event_account(false);
}

/* --- enabling ------------------------------------------------------------- */

/* An empty pattern and "*" match all names. */
static bool part_matches(const char *pattern, size_t len, const char *name)
{
	return !len || (len == 1 && *pattern == '*') ||
	       (!strncmp(pattern, name, len) && !name[len]);
}

/* A pattern without a colon is the name of an event or of a system. */
static bool event_matches(const struct event *ev, const char *pattern)
{
	const struct kmt_kind_name *name = name_of(ev);
	const char *colon = strchr(pattern, ':');

	if (!colon)
		return !strcmp(pattern, name->event) ||
		       !strcmp(pattern, name->system);
	return part_matches(pattern, colon - pattern, name->system) &&
	       part_matches(colon + 1, strlen(colon + 1), name->event);
}

/**
 * struct switches - whether events are enabled
 * @enabled: mask of events with event.enabled
 * @on: mask of events without KMT_MODE_OFF, which a trigger may have changed since
 */
struct switches {
	u32 enabled;
	u32 on;
};

static void __set_switches(u32 events, const struct switches *to)
{
	struct event *ev;

	for_each_event(ev) {
		u32 bit = BIT(kind_of(ev));

		if (!(events & bit))
			continue;
		ev->enabled = to->enabled & bit;
		kmt_mode_change(kind_of(ev), KMT_MODE_OFF, !(to->on & bit));
	}
}

/* Get the switches of the matching events. Return: mask of these events. */
static u32 __get_switches(const char *pattern, struct switches *now)
{
	struct event *ev;
	u32 events = 0;

	*now = (struct switches){ 0, 0 };
	for_each_event(ev) {
		u32 bit = BIT(kind_of(ev));

		if (!event_matches(ev, pattern))
			continue;
		events |= bit;
		now->enabled |= ev->enabled ? bit : 0;
		now->on |= kmt_mode_bits(kind_of(ev)) & KMT_MODE_OFF ? 0 : bit;
	}
	return events;
}

int kmt_event_set(const char *pattern)
{
	static const struct switches none, all = { ~0u, ~0u };
	bool enable = *pattern != '!';
	struct switches old;
	int err = -EINVAL;
	u32 events;

	if (!enable)
		pattern++;
	kmt_event_lock();
	events = __get_switches(pattern, &old);
	if (events) {
		__set_switches(events, enable ? &all : &none);
		err = __kmt_event_apply();
		if (err) {
			__set_switches(events, &old);
			__kmt_event_apply();
		}
	}
	kmt_event_unlock();
	return err;
}

void kmt_event_clear(void)
{
	kmt_event_set("!*:*");
}

bool kmt_event_is_enabled(unsigned int kind, bool *soft)
{
	*soft = READ_ONCE(event_table[kind].held);
	return !(kmt_mode_bits(kind) & KMT_MODE_OFF);
}

bool kmt_event_is_active(unsigned int kind)
{
	bool soft, enabled = kmt_event_is_enabled(kind, &soft);

	return enabled || soft;
}

void kmt_event_show(struct seq_file *m, bool enabled_only)
{
	struct event *ev;

	for_each_event(ev)
		if (!enabled_only || kmt_event_is_active(kind_of(ev)))
			seq_printf(m, "%s:%s\n", name_of(ev)->system,
				   name_of(ev)->event);
}
