/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events, and what is done with them.
 *
 * An event is a tracepoint of the kernel and a probe (probe.c), which is attached
 * while accounting is on, while the event is to be recorded, or while a trigger
 * needs it (trigger.c); its gate (gate.h) says for which of these. Otherwise
 * nothing is left in the way of an allocation. So are the hooks (hook.h) that
 * stand in where an event has no tracepoint.
 */
#ifndef KMT_EVENT_TABLE_H
#define KMT_EVENT_TABLE_H

#include <linux/types.h>

struct tracepoint;
struct seq_file;

/* as KMT_EVENT_KIND() numbers them */
enum kmt_event_id {
	KMT_EVENT_KMALLOC,
	KMT_EVENT_KFREE,
	KMT_EVENT_KMEM_CACHE_ALLOC,
	KMT_EVENT_KMEM_CACHE_FREE,
	KMT_EVENT_MM_PAGE_ALLOC,
	KMT_EVENT_MM_PAGE_FREE,
	KMT_EVENT_PERCPU_ALLOC,
	KMT_EVENT_PERCPU_FREE,
	KMT_EVENTS
};

/**
 * struct kmt_event_type - one event; its names are in kmt_kind_names
 * @probe: what is attached
 * @tracepoint: what it is attached to
 * @enabled: record it when recording is on. A trigger may have switched its
 *	gate the other way since; that is what counts
 * @held: triggers that need it attached
 *
 * Written under kmt_event_lock().
 */
struct kmt_event_type {
	void *probe;
	struct tracepoint *tracepoint;
	bool enabled;
	unsigned int held;
};

extern struct kmt_event_type kmt_events[KMT_EVENTS];

/**
 * kmt_event_init() - find the tracepoints
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if the kernel lacks one that is needed.
 */
int kmt_event_init(void);

/**
 * kmt_event_exit() - switch all off, and wait until no probe runs
 *
 * Context: may sleep.
 */
void kmt_event_exit(void);

/**
 * kmt_event_record() - switch recording on or off
 * @on: whether to record
 *
 * Losses are counted from zero when it is switched on. When it was switched
 * off no probe runs any more, and the last record is in its buffer.
 *
 * Context: may sleep.
 * Return: 0, or an error of the tracepoints; then it is as it was.
 */
int kmt_event_record(bool on);

/**
 * kmt_event_record_for() - switch recording on until kmt_event_release()
 * @who: identifies the caller
 *
 * kmt_event_record() ends that: recording then stays as it is at the release.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if recording belongs to a caller already; or as
 * kmt_event_record().
 */
int kmt_event_record_for(const void *who);

/**
 * kmt_event_release() - switch recording off if it belongs to the caller
 * @who: identifies the caller
 *
 * Context: may sleep.
 */
void kmt_event_release(const void *who);

/**
 * kmt_event_account() - switch accounting on or off
 * @on: whether to account
 *
 * It begins with nothing known to be live. When it was switched off no probe
 * accounts any more, and the numbers stay as they are.
 *
 * Context: may sleep.
 * Return: 0, or an error of the tracepoints; then it is as it was.
 */
int kmt_event_account(bool on);

/**
 * kmt_event_watch_sleep() - take care of the clock when the machine sleeps
 *
 * The counter may begin anew when the machine wakes up, which local_clock() makes
 * up for. From before it sleeps until it is awake, that is called.
 *
 * Context: may sleep.
 * Return: 0, or an error of the notifier.
 */
int kmt_event_watch_sleep(void);

/**
 * kmt_event_unwatch_sleep() - undo kmt_event_watch_sleep()
 *
 * Context: may sleep.
 */
void kmt_event_unwatch_sleep(void);

/**
 * kmt_event_hook_module() - attach what can be hooked in a module that came
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_event_hook_module(void);

/**
 * kmt_event_unhook_module() - detach what is hooked in a module that goes
 * @module: the module
 *
 * Context: may sleep.
 */
void kmt_event_unhook_module(const struct module *module);

/**
 * kmt_event_accounting() - whether accounting is on
 *
 * Context: any.
 */
bool kmt_event_accounting(void);

/**
 * kmt_event_quiet() - whether nothing is recorded, and no trigger can start it
 *
 * Context: kmt_channel_sem held; it stays so while it is.
 */
bool kmt_event_quiet(void);

/**
 * kmt_event_lock() - keep events, filters and triggers as they are
 *
 * Context: may sleep.
 */
void kmt_event_lock(void);

/**
 * kmt_event_unlock() - undo kmt_event_lock()
 *
 * Context: kmt_event_lock() was called.
 */
void kmt_event_unlock(void);

/**
 * kmt_event_lock_held() - whether somebody called kmt_event_lock()
 *
 * Context: any.
 */
bool kmt_event_lock_held(void);

/**
 * __kmt_event_hold() - a trigger needs an event attached, or no longer
 * @kind: the event
 * @n: 1, or -1
 *
 * __kmt_event_apply() is due.
 *
 * Context: under kmt_event_lock().
 */
void __kmt_event_hold(unsigned int kind, int n);

/**
 * __kmt_event_hold_all() - a trigger may switch recording on, or no longer
 * @n: 1, or -1
 *
 * __kmt_event_apply() is due.
 *
 * Context: under kmt_event_lock().
 */
void __kmt_event_hold_all(int n);

/**
 * __kmt_event_apply() - attach what should be attached, detach the rest
 *
 * Context: may sleep; under kmt_event_lock().
 * Return: 0, or an error of the tracepoints: then what called for it must be
 * taken back, and this called again, which then fails no more.
 */
int __kmt_event_apply(void);

/**
 * kmt_event_settle_later() - a trigger switched recording: let it settle
 *
 * Context: any.
 */
void kmt_event_settle_later(void);

/**
 * kmt_event_set() - enable events, or disable them
 * @pattern: "system:event", "system:", "system:*", "*:*", ":event", or the
 *	name of a system or an event; with a "!" in front, disable them
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if there is no such event; an error of the tracepoints,
 * then all is as it was.
 */
int kmt_event_set(const char *pattern);

/**
 * kmt_event_clear() - disable all events
 *
 * Context: may sleep.
 */
void kmt_event_clear(void);

/**
 * kmt_event_is_enabled() - whether an event is recorded when recording is on
 * @kind: the event
 * @soft: set to whether a trigger holds it attached
 *
 * Context: any.
 */
bool kmt_event_is_enabled(unsigned int kind, bool *soft);

/**
 * kmt_event_is_active() - whether an event is enabled, or a trigger holds it
 * @kind: the event
 *
 * That is what event tracing means by enabled, but for the event's own file.
 *
 * Context: any.
 */
bool kmt_event_is_active(unsigned int kind);

/**
 * kmt_event_show() - list events, one a line
 * @m: where to
 * @enabled_only: only those that are active
 *
 * Context: may sleep.
 */
void kmt_event_show(struct seq_file *m, bool enabled_only);

#endif /* KMT_EVENT_TABLE_H */
