/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: actions that an event starts. A set has the triggers of one event. trigger.h
 * has the sets of the events that kmemtrace records, foreign.h those of others.
 *
 * In all functions, @kind is the KMT_EVENT_KIND() of the event, or KMT_FOREIGN.
 */
#ifndef KMT_TRIGGERSET_H
#define KMT_TRIGGERSET_H

#include "kmt_trigger.h"
#include "steer/context.h"

struct kmt_trigger_set;
struct seq_file;

/* what the caller of kmt_triggers_fire() must do */
#define KMT_FIRED_STACK	   1 /* record the event with a stack */
#define KMT_FIRED_SNAPSHOT 2 /* record the event, then call kmt_triggers_snapshot() */

/**
 * kmt_triggers_fire() - run the triggers of an event
 * @set: the triggers, or NULL; stays while interrupts are off
 * @c: the event
 * @paused: recording was off when the event happened. Triggers that need a record then
 *	fire only if another trigger of the event switches recording on
 *
 * Context: any, with interrupts off; the caller has the CPU's guard (guard.h).
 * Return: mask of KMT_FIRED_*.
 */
unsigned int kmt_triggers_fire(const struct kmt_trigger_set *set,
			       struct kmt_context *c, bool paused);

/**
 * kmt_triggers_snapshot() - take the snapshot of a trigger
 * @c: the event, after kmt_triggers_fire() has returned KMT_FIRED_SNAPSHOT
 *
 * A snapshot that is missed does not count.
 *
 * Context: as kmt_triggers_fire(), in the same section with interrupts off.
 */
void kmt_triggers_snapshot(struct kmt_context *c);

/**
 * __kmt_triggers_add() - add a trigger to a set
 * @where: the set
 * @kind: kind of the event
 * @spec: the trigger
 *
 * If the histogram exists, pauses, continues or clears it as @spec says.
 *
 * Context: may sleep; under kmt_event_lock(). Waits for a grace period.
 * Return: 0; -EINVAL, with the reason in the error log; -EEXIST, -ENOENT or -ENOMEM, for
 * kmt_triggers_log(); an error of the tracepoints. On an error, nothing has changed.
 */
int __kmt_triggers_add(struct kmt_trigger_set __rcu **where, int kind,
		       const struct kmt_trigger_spec *spec);

/**
 * __kmt_triggers_remove() - remove a trigger from a set
 * @where: the set; set to NULL if this was its last trigger
 * @kind: kind of the event
 * @spec: the trigger; its count does not matter, and its filter only if it is a histogram
 *
 * Context: as __kmt_triggers_add().
 * Return: 0, also if the set has no such trigger; -ENOMEM; -EINVAL, with the reason in the
 * error log; an error of the tracepoints.
 */
int __kmt_triggers_remove(struct kmt_trigger_set __rcu **where, int kind,
			  const struct kmt_trigger_spec *spec);

/**
 * __kmt_triggers_withdraw() - remove all triggers from a set
 * @where: the set; set to NULL
 * @kind: kind of the event
 *
 * Context: under kmt_event_lock().
 * Return: the set, or NULL. When a grace period has passed, the caller frees it with
 * __kmt_triggers_free().
 */
struct kmt_trigger_set *
__kmt_triggers_withdraw(struct kmt_trigger_set __rcu **where, int kind);

/**
 * __kmt_triggers_free() - free a set
 * @set: from __kmt_triggers_withdraw(); may be NULL
 * @kind: kind of the event
 *
 * The caller then calls __kmt_event_apply(), which detaches what only its triggers needed.
 *
 * Context: may sleep; under kmt_event_lock().
 */
void __kmt_triggers_free(struct kmt_trigger_set *set, int kind);

/**
 * __kmt_triggers_show() - print the triggers of a set, the newest first
 * @where: the set
 * @event: name of the event, to be printed before each trigger; or NULL
 * @m: where to
 *
 * Context: under kmt_event_lock().
 */
void __kmt_triggers_show(struct kmt_trigger_set __rcu **where,
			 const char *event, struct seq_file *m);

/**
 * __kmt_triggers_are_none() - whether __kmt_triggers_show() would print nothing
 * @where: the set
 *
 * Context: under kmt_event_lock().
 */
bool __kmt_triggers_are_none(struct kmt_trigger_set __rcu **where);

/**
 * __kmt_triggers_show_hists() - print the histograms of a set, the oldest first
 * @where: the set
 * @m: where to
 *
 * Context: may sleep; under kmt_event_lock().
 * Return: 0 or -ENOMEM.
 */
int __kmt_triggers_show_hists(struct kmt_trigger_set __rcu **where,
			      struct seq_file *m);

/**
 * kmt_triggers_log() - write the reason of an error to the error log
 * @err: from __kmt_triggers_add() or __kmt_triggers_remove(); or 0
 * @text: the trigger, as it was written
 *
 * Context: may sleep.
 */
void kmt_triggers_log(int err, const char *text);

#endif /* KMT_TRIGGERSET_H */
