/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events, and what is done with them.
 *
 * An event is a tracepoint of the kernel and a probe, which is attached while
 * accounting is on, while the event is to be recorded, or while a trigger needs it
 * (trigger.c); its mode (mode.h) says for which of these. Otherwise the tracepoint
 * is not patched. Hooks stand in where the kernel has no tracepoint, and follow the
 * same rule. attach.c hands in the probes and the hooks.
 */
#ifndef KMT_EVENT_TABLE_H
#define KMT_EVENT_TABLE_H

#include <linux/types.h>

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
 * struct kmt_event_hook - a hook that reports what a tracepoint does not
 * @events: mask of the events that it reports
 * @uses: mask of KMT_USE_*: it is attached if one of @events has one of them
 * @frees: it reports frees
 */
struct kmt_event_hook {
	u32 events;
	u32 uses;
	bool frees;
};

/**
 * struct kmt_event_probes - what is attached when an event is in use
 * @probe: for the tracepoint of each event
 * @hooks: the hooks
 * @nr_hooks: number of @hooks
 * @attach_hook: attaches the hook with an index into @hooks, unless it is
 *	attached. Returns 0, or an error; all but -ENOMEM leave the hook out
 * @detach_hook: detaches it, if it is attached. Afterwards it does not run
 */
struct kmt_event_probes {
	void *probe[KMT_EVENTS];
	const struct kmt_event_hook *hooks;
	unsigned int nr_hooks;
	int (*attach_hook)(unsigned int index);
	void (*detach_hook)(unsigned int index);
};

/**
 * kmt_event_init() - find the tracepoints
 * @to: the probes to attach to them
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if the kernel lacks one that is needed.
 */
int kmt_event_init(const struct kmt_event_probes *to);

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
 * @owner: identifies the caller
 *
 * kmt_event_record() ends that: recording then stays as it is at the release.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if recording belongs to a caller already; or as
 * kmt_event_record().
 */
int kmt_event_record_for(const void *owner);

/**
 * kmt_event_release() - switch recording off if it belongs to the caller
 * @owner: identifies the caller
 *
 * Context: may sleep.
 */
void kmt_event_release(const void *owner);

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
 * kmt_event_attach_hooks() - attach hooks that the kernel had no function for
 *
 * For functions of a module that was loaded since.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_event_attach_hooks(void);

/**
 * kmt_event_accounting() - whether accounting is on
 *
 * Context: any.
 */
bool kmt_event_accounting(void);

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
 * kmt_event_lock_held() - whether kmt_event_lock() may be in force, for lockdep
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
 * Event tracing calls this enabled, except in the event's own file.
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
