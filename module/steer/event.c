// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_channel_sem, for writing, whenever probes come or go
 * or recording changes; inside it event_lock, which guards the table.
 */
#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "account.h"
#include "cache.h"
#include "channel.h"
#include "clock.h"
#include "event.h"
#include "gate.h"
#include "hook.h"
#include "kmt_field.h"
#include "modlog.h"
#include "probe.h"
#include "stream.h"
#include "writer.h"

struct kmt_event_type kmt_events[KMT_EVENTS] = {
	[KMT_EVENT_KMALLOC] = { kmt_probe_kmalloc },
	[KMT_EVENT_KFREE] = { kmt_probe_kfree },
	[KMT_EVENT_KMEM_CACHE_ALLOC] = { kmt_probe_kmem_cache_alloc },
	[KMT_EVENT_KMEM_CACHE_FREE] = { kmt_probe_kmem_cache_free },
	[KMT_EVENT_MM_PAGE_ALLOC] = { kmt_probe_mm_page_alloc },
	[KMT_EVENT_MM_PAGE_FREE] = { kmt_probe_mm_page_free },
	[KMT_EVENT_PERCPU_ALLOC] = { kmt_probe_percpu_alloc },
	[KMT_EVENT_PERCPU_FREE] = { kmt_probe_percpu_free },
};
static_assert(KMT_EVENTS == KMT_EVENT_KINDS);

/* The events that a hook stands in for, and the uses that it has. */
static const struct {
	u32 events;
	u32 uses;
	bool frees;
} hook_users[KMT_HOOKS] = {
	[KMT_HOOK_FREE_BULK] = {
		BIT(KMT_EVENT_KFREE) | BIT(KMT_EVENT_KMEM_CACHE_FREE),
		KMT_USE_RECORD | KMT_USE_ACCOUNT, true },
	[KMT_HOOK_FREE_SHEAF] = {
		BIT(KMT_EVENT_KFREE), KMT_USE_RECORD | KMT_USE_ACCOUNT, true },
	[KMT_HOOK_ALLOC_BULK] = {
		BIT(KMT_EVENT_KMEM_CACHE_ALLOC),
		KMT_USE_RECORD | KMT_USE_ACCOUNT, false },
	[KMT_HOOK_PAGES_BULK] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC),
		KMT_USE_RECORD | KMT_USE_ACCOUNT, false },
	[KMT_HOOK_MIGRATE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_MIGRATE_ZSMALLOC] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_MIGRATE_BALLOON] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_COMPACT_FREE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
	[KMT_HOOK_COMPACT_RELEASE] = {
		BIT(KMT_EVENT_MM_PAGE_ALLOC), KMT_USE_ACCOUNT, true },
};

#define for_each_event(ev)                                                     \
	for (ev = kmt_events; ev < kmt_events + KMT_EVENTS; ev++)

static DEFINE_MUTEX(event_lock);
static bool accounting; /* all these under kmt_channel_sem */
static bool leaving; /* the module is being unloaded */
static bool quiet = true;
static bool moved; /* a use came or went in __kmt_event_apply() */
static unsigned int held; /* triggers that may switch recording on */
static const void *session; /* who has to release recording, or NULL */

static unsigned int kind_of(const struct kmt_event_type *ev)
{
	return ev - kmt_events;
}

static const struct kmt_kind_name *name_of(const struct kmt_event_type *ev)
{
	return &kmt_kind_names[kind_of(ev)];
}

static bool is_free(const struct kmt_event_type *ev)
{
	return kind_of(ev) & 1; /* KMEMTRACE_EVENT_FREE */
}

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct kmt_event_type *ev;

	for_each_event(ev)
		if (!strcmp(tp->name, name_of(ev)->event))
			ev->tracepoint = tp;
}

int __init kmt_event_init(void)
{
	struct kmt_event_type *ev;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_event(ev) {
		if (!ev->tracepoint) {
			pr_err("this kernel has no tracepoint %s:%s; it must be built with CONFIG_TRACEPOINTS and be 6.1 or newer\n",
			       name_of(ev)->system, name_of(ev)->event);
			return -ENOENT;
		}
		ev->enabled = true;
	}
	if (!kmt_cache_layout.known)
		kmt_events[KMT_EVENT_KMEM_CACHE_ALLOC].probe =
			kmt_probe_kmem_cache_alloc_asking;
	return 0;
}

/* Return: mask of KMT_USE_*. */
static u32 wanted_uses(const struct kmt_event_type *ev)
{
	bool record = ev->held ||
		      (ev->enabled && (held || !kmt_gate_paused()));

	return (record ? KMT_USE_RECORD : 0) |
	       (accounting ? KMT_USE_ACCOUNT : 0);
}

/* What it is attached for. */
static u32 uses_of(const struct kmt_event_type *ev)
{
	return kmt_gate_uses(kind_of(ev));
}

static void __set_uses(const struct kmt_event_type *ev, u32 uses)
{
	kmt_gate_set_uses(kind_of(ev), uses);
	moved = true;
}

static int attach(struct kmt_event_type *ev)
{
	u32 old = uses_of(ev), uses = old | wanted_uses(ev);
	int err = 0;

	if (uses == old)
		return 0;
	if (!old)
		err = tracepoint_probe_register(ev->tracepoint, ev->probe,
						NULL);
	if (err)
		pr_err("cannot attach to %s:%s: %d\n", name_of(ev)->system,
		       name_of(ev)->event, err);
	else
		__set_uses(ev, uses);
	return err;
}

static void detach(struct kmt_event_type *ev)
{
	u32 old = uses_of(ev), uses = old & wanted_uses(ev);

	if (uses == old)
		return;
	if (!uses)
		tracepoint_probe_unregister(ev->tracepoint, ev->probe, NULL);
	__set_uses(ev, uses);
}

/* By an event that is to be attached; or, @also, that is yet. */
static bool is_hook_wanted(int hook, bool also)
{
	struct kmt_event_type *ev;
	u32 uses = 0;

	for_each_event(ev)
		if (hook_users[hook].events & BIT(kind_of(ev)))
			uses |= wanted_uses(ev) | (also ? uses_of(ev) : 0);
	return uses & hook_users[hook].uses;
}

/* A kernel without the function has a hole, which is no error (selftest.c). */
static int __attach_hooks(bool frees)
{
	int hook, err = 0;

	for (hook = 0; hook < KMT_HOOKS && err != -ENOMEM; hook++)
		if (hook_users[hook].frees == frees && is_hook_wanted(hook, false))
			err = kmt_hook_attach(hook);
	return err == -ENOMEM ? err : 0;
}

static void __detach_hooks(bool frees)
{
	int hook;

	for (hook = 0; hook < KMT_HOOKS; hook++)
		if (hook_users[hook].frees == frees && !is_hook_wanted(hook, true))
			kmt_hook_detach(hook);
}

static int __attach_all(bool frees)
{
	struct kmt_event_type *ev;
	int err = 0;

	for_each_event(ev)
		if (is_free(ev) == frees && !err)
			err = attach(ev);
	return err ? err : __attach_hooks(frees);
}

static void __detach_all(bool frees)
{
	struct kmt_event_type *ev;

	for_each_event(ev)
		if (is_free(ev) == frees)
			detach(ev);
	__detach_hooks(frees);
	if (moved)
		tracepoint_synchronize_unregister();
}

/*
 * Attach what should be attached, detach what should not. Frees are seen
 * before allocations are, and for longer, so that nothing is thought live
 * whose free went by unseen.
 */
int __kmt_event_apply(void)
{
	bool was_quiet = quiet, paused = kmt_gate_paused();
	int err;

	quiet = moved = false;
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
	if (!moved && !was_quiet)
		tracepoint_synchronize_unregister();
	/* a grace period has passed since; no trigger has changed it, nor will one */
	quiet = paused && kmt_gate_paused() && !held;
	return 0;
}

void kmt_event_lock(void)
{
	down_write(&kmt_channel_sem);
	mutex_lock(&event_lock);
}

void kmt_event_unlock(void)
{
	mutex_unlock(&event_lock);
	up_write(&kmt_channel_sem);
}

bool kmt_event_lock_held(void)
{
	return mutex_is_locked(&event_lock);
}

static int __switch(bool on)
{
	bool was_paused = kmt_gate_paused();
	int err;

	if (on && was_paused) {
		kmt_clock_stop();
		synchronize_rcu(); /* probes that record, or look at it */
		kmt_channel_reset_lost();
		kmt_writer_start();
		kmt_modlog_start();
	}
	kmt_gate_pause(!on);
	err = __kmt_event_apply();
	if (err) {
		kmt_gate_pause(was_paused);
		__kmt_event_apply();
	}
	return err;
}

/* Recording needs buffers; if it cannot be switched on, none are left behind. */
static int __record(bool on)
{
	bool allocated = false;
	int err = 0;

	if (on)
		err = kmt_channel_allocate(&allocated);
	if (!err)
		err = __switch(on);
	if (err && allocated)
		__kmt_channel_free();
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
		kmt_stream_wake_all();
	return err;
}

int kmt_event_record_for(const void *who)
{
	int err = -EBUSY;

	kmt_event_lock();
	if (!session)
		err = __record(true);
	if (!err)
		session = who;
	kmt_event_unlock();
	return err;
}

/* Also if a trigger has switched recording off: it may switch it on again. */
void kmt_event_release(const void *who)
{
	kmt_event_lock();
	if (session == who) {
		session = NULL;
		__record(false);
	}
	kmt_event_unlock();
}

int kmt_event_account(bool on)
{
	int err = 0;

	kmt_event_lock();
	if (on && !kmt_account_ready()) {
		err = -EPERM;
	} else if (on != accounting) {
		if (on)
			kmt_account_reset();
		accounting = on;
		err = __kmt_event_apply();
		if (err) {
			accounting = !on;
			__kmt_event_apply();
		} else if (on) {
			kmt_account_started();
		}
		if (!err && !on && !leaving)
			pr_notice("accounting is off: the counters keep their values; switching it on again sets them to zero and forgets all live objects\n");
	}
	kmt_event_unlock();
	return err;
}

int kmt_event_hook_module(void)
{
	int err;

	kmt_event_lock();
	err = __attach_hooks(true);
	kmt_event_unlock();
	return err;
}

void kmt_event_unhook_module(const struct module *module)
{
	kmt_event_lock();
	kmt_hook_detach_module(module);
	kmt_event_unlock();
}

bool kmt_event_accounting(void)
{
	return READ_ONCE(accounting);
}

bool kmt_event_quiet(void)
{
	return quiet;
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
		kmt_clock_stop();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		kmt_clock_stop(); /* an image may have brought it back */
		synchronize_rcu(); /* probes that look at it */
		kmt_clock_start();
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
	struct kmt_event_type *ev = &kmt_events[kind];

	ev->held += n;
	/* what triggers made of it last is what remains */
	if (!ev->held)
		ev->enabled = !(kmt_gate_mode(kind) & KMT_GATE_OFF);
}

void __kmt_event_hold_all(int n)
{
	held += n;
}

static void settle(struct work_struct *work)
{
	kmt_event_lock();
	__kmt_event_apply();
	kmt_event_unlock();
	kmt_stream_wake_all();
}

static DECLARE_WORK(settle_work, settle);

/* A trigger fires under any lock; an interrupt of its own does not. */
static void queue_settle(struct irq_work *work)
{
	schedule_work(&settle_work);
}

static DEFINE_IRQ_WORK(settle_irq_work, queue_settle);

void kmt_event_settle_later(void)
{
	irq_work_queue(&settle_irq_work);
}

/* No trigger is left. */
void kmt_event_exit(void)
{
	irq_work_sync(&settle_irq_work);
	cancel_work_sync(&settle_work);
	kmt_event_record(false);
	leaving = true;
	kmt_event_account(false);
}

/* --- enabling ------------------------------------------------------------- */

/* An empty pattern and a star stand for all. */
static bool part_matches(const char *pattern, size_t len, const char *name)
{
	return !len || (len == 1 && *pattern == '*') ||
	       (!strncmp(pattern, name, len) && !name[len]);
}

/* A name alone is that of an event, or of a system. */
static bool event_matches(const struct kmt_event_type *ev, const char *pattern)
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
 * struct switches - what is enabled
 * @enabled: mask of events
 * @on: mask of those whose gate is open; a trigger may have had its way
 */
struct switches {
	u32 enabled;
	u32 on;
};

static void __set_switches(u32 events, const struct switches *to)
{
	struct kmt_event_type *ev;

	for_each_event(ev) {
		u32 bit = BIT(kind_of(ev));

		if (!(events & bit))
			continue;
		ev->enabled = to->enabled & bit;
		kmt_gate_put(kind_of(ev), KMT_GATE_OFF, !(to->on & bit));
	}
}

/* Those of the events that match; Return: which these are. */
static u32 __get_switches(const char *pattern, struct switches *now)
{
	struct kmt_event_type *ev;
	u32 events = 0;

	*now = (struct switches){ 0, 0 };
	for_each_event(ev) {
		u32 bit = BIT(kind_of(ev));

		if (!event_matches(ev, pattern))
			continue;
		events |= bit;
		now->enabled |= ev->enabled ? bit : 0;
		now->on |= kmt_gate_mode(kind_of(ev)) & KMT_GATE_OFF ? 0 : bit;
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
	*soft = READ_ONCE(kmt_events[kind].held);
	return !(kmt_gate_mode(kind) & KMT_GATE_OFF);
}

bool kmt_event_is_active(unsigned int kind)
{
	bool soft, enabled = kmt_event_is_enabled(kind, &soft);

	return enabled || soft;
}

void kmt_event_show(struct seq_file *m, bool enabled_only)
{
	struct kmt_event_type *ev;

	for_each_event(ev)
		if (!enabled_only || kmt_event_is_active(kind_of(ev)))
			seq_printf(m, "%s:%s\n", name_of(ev)->system,
				   name_of(ev)->event);
}
