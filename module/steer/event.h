/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events: attaches and detaches their probes, and switches recording and
 * accounting.
 *
 * An event has a tracepoint of the kernel and a probe. The probe is attached while
 * accounting is on, while the event is to be recorded, or while a trigger (trigger.c)
 * needs the event. The mode of the event (mode.h) says which of these. Otherwise the
 * tracepoint is not patched. Hooks observe functions without a tracepoint, and follow
 * the same rule. attach.c passes the probes and the hooks to kmt_event_init().
 */
#ifndef KMT_EVENT_TABLE_H
#define KMT_EVENT_TABLE_H

#include <linux/types.h>

struct seq_file;

/* numbered like KMT_EVENT_KIND() */
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
 * struct kmt_event_hook - a hook that reports events without a tracepoint
 * @events: mask of the events that it reports
 * @uses: mask of KMT_USE_*: the hook is attached if one of @events has one of these
 *	uses
 * @frees: it reports frees
 */
struct kmt_event_hook {
	u32 events;
	u32 uses;
	bool frees;
};

/**
 * struct kmt_event_probes - all probes and hooks
 * @probe: for the tracepoint of each event
 * @hooks: the hooks
 * @nr_hooks: number of @hooks
 * @attach_hooks: attaches the hooks whose indices into @hooks are in a mask, unless they
 *	are attached. Returns 0 or -ENOMEM. A hook whose function the kernel lacks is left
 *	out
 * @detach_hooks: detaches those that are attached. Afterwards they do not run
 */
struct kmt_event_probes {
	void *probe[KMT_EVENTS];
	const struct kmt_event_hook *hooks;
	unsigned int nr_hooks;
	int (*attach_hooks)(u32 mask);
	void (*detach_hooks)(u32 mask);
};

/**
 * kmt_event_init() - find the tracepoints, and enable all events
 * @to: the probes to attach to them; must stay
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if the kernel lacks one of the tracepoints (the log says so).
 */
int kmt_event_init(const struct kmt_event_probes *to);

/**
 * kmt_event_exit() - switch recording and accounting off, and detach all probes
 *
 * Context: may sleep; no trigger is left.
 */
void kmt_event_exit(void);

/**
 * kmt_event_record() - switch recording on or off
 * @on: whether to record
 *
 * Switching on allocates the buffers, and sets the counts of lost events to zero. After
 * switching off, no probe records any more, and all records are in the buffers. Either
 * ends what kmt_event_record_for() began.
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0; -ENOMEM; an error of the tracepoints. If it fails, nothing has changed.
 */
int kmt_event_record(bool on);

/**
 * kmt_event_record_for() - switch recording on until kmt_event_release()
 * @owner: identifies the caller
 *
 * After a later kmt_event_record(), recording belongs to no caller, and
 * kmt_event_release() does nothing.
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0; -EBUSY if recording belongs to another caller; else as kmt_event_record().
 */
int kmt_event_record_for(const void *owner);

/**
 * kmt_event_release() - switch recording off, if it belongs to the caller
 * @owner: identifies the caller
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_event_release(const void *owner);

/**
 * kmt_event_account() - switch accounting on or off
 * @on: whether to account
 *
 * Switching on sets all counters to zero and forgets all live memory. After switching
 * off, no probe accounts any more, and the counters keep their values. A worker then
 * does the survey (account/survey.h).
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0; -EPERM if accounting has no tables; an error of the tracepoints. Then
 * accounting stays as it was, but the attempt to switch it on has set the counters to
 * zero.
 */
int kmt_event_account(bool on);

/**
 * kmt_event_watch_sleep() - use local_clock() while the machine sleeps
 *
 * The time stamp counter may restart when the machine wakes up. local_clock() makes up
 * for that. A notifier therefore lets kmt_clock_now() call local_clock() from before
 * the machine sleeps until it is awake.
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
 * kmt_event_attach_hooks() - attach hooks of frees to functions of a module
 *
 * Must be called while the module is being loaded. Hooks that are attached stay so.
 *
 * Context: may sleep; takes kmt_event_lock().
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
 * kmt_event_account_switches() - how often accounting was switched on or off
 *
 * Context: any.
 * Return: the number, without the end of accounting when the module is unloaded.
 */
u32 kmt_event_account_switches(void);

/**
 * kmt_event_lock() - lock events, filters and triggers
 *
 * Context: may sleep; takes kmt_control_mutex. Readers of cpu<n> do not wait for it.
 */
void kmt_event_lock(void);

/**
 * kmt_event_unlock() - undo kmt_event_lock()
 *
 * Context: the caller has called kmt_event_lock().
 */
void kmt_event_unlock(void);

/**
 * kmt_event_lock_held() - whether any task holds kmt_event_lock(), for lockdep
 *
 * Context: any.
 */
bool kmt_event_lock_held(void);

/**
 * __kmt_event_hold() - count the triggers that need an event attached
 * @kind: the event
 * @n: 1 if a trigger was added, -1 if it was removed
 *
 * The caller must then call __kmt_event_apply().
 *
 * Context: under kmt_event_lock().
 */
void __kmt_event_hold(unsigned int kind, int n);

/**
 * __kmt_event_hold_all() - count the triggers that may switch recording on
 * @n: 1 if a trigger was added, -1 if it was removed
 *
 * The caller must then call __kmt_event_apply().
 *
 * Context: under kmt_event_lock().
 */
void __kmt_event_hold_all(int n);

/**
 * __kmt_event_apply() - attach the probes and hooks that are needed, detach the others
 *
 * Context: may sleep; under kmt_event_lock().
 * Return: 0, or an error of the tracepoints. Then the caller must take back its change
 * and call this again, which does not fail.
 */
int __kmt_event_apply(void);

/**
 * kmt_event_settle_later() - complete the switching of recording by a trigger
 *
 * A worker attaches and detaches, and wakes the readers.
 *
 * Context: any.
 */
void kmt_event_settle_later(void);

/**
 * kmt_event_set() - enable or disable events
 * @pattern: "system:event", "system:", "system:*", "*:*", ":event", or the name of a
 *	system or an event; a leading "!" disables
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0; -EINVAL if there is no such event; an error of the tracepoints. If it
 * fails, nothing has changed.
 */
int kmt_event_set(const char *pattern);

/**
 * kmt_event_clear() - disable all events
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_event_clear(void);

/**
 * kmt_event_is_enabled() - whether an event is recorded while recording is on
 * @kind: the event
 * @soft: set to whether a trigger keeps the event attached
 *
 * Context: any.
 */
bool kmt_event_is_enabled(unsigned int kind, bool *soft);

/**
 * kmt_event_is_active() - whether an event is enabled, or a trigger keeps it attached
 * @kind: the event
 *
 * Event tracing calls this enabled, except in the event's own file.
 *
 * Context: any.
 */
bool kmt_event_is_active(unsigned int kind);

/**
 * kmt_event_show() - print the names of events, one on each line
 * @m: where to
 * @enabled_only: only events for which kmt_event_is_active()
 *
 * Context: may sleep.
 */
void kmt_event_show(struct seq_file *m, bool enabled_only);

#endif /* KMT_EVENT_TABLE_H */
