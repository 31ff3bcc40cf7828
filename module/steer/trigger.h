/* SPDX-License-Identifier: GPL-2.0-only */
/* The triggers of the events that kmemtrace records. */
#ifndef KMT_MODULE_TRIGGER_H
#define KMT_MODULE_TRIGGER_H

#include "steer/triggerset.h"

/**
 * kmt_trigger_fire() - run the triggers of an event
 * @kind: KMT_EVENT_KIND()
 * @c: the event
 * @paused: recording was off when the event happened. Triggers that need a record then
 *	fire only if another trigger of the event switches recording on
 *
 * Context: any that an allocation can happen in, with interrupts off; the caller has
 * the CPU's guard (guard.h).
 * Return: mask of KMT_FIRED_*.
 */
unsigned int kmt_trigger_fire(unsigned int kind, struct kmt_context *c,
			      bool paused);

/**
 * kmt_trigger_write() - write the file trigger of an event: add or remove a trigger
 * @kind: KMT_EVENT_KIND()
 * @text: what was written; white space around it is removed
 *
 * Context: may sleep; takes kmt_event_lock(), and waits for a grace period.
 * Return: 0, also if the trigger to remove does not exist; -EINVAL, -EEXIST, -ENOENT (no
 * histogram to clear or continue) or -ENOMEM (the error log has the reason); an error of the tracepoints.
 */
int kmt_trigger_write(unsigned int kind, char *text);

/**
 * kmt_trigger_set() - add or remove a trigger
 * @kind: KMT_EVENT_KIND()
 * @spec: the trigger
 * @text: the text that it was parsed from, for the error log
 *
 * Context: as kmt_trigger_write().
 * Return: as kmt_trigger_write().
 */
int kmt_trigger_set(unsigned int kind, const struct kmt_trigger_spec *spec,
		    const char *text);

/**
 * kmt_trigger_show() - print the triggers of an event, the newest first
 * @kind: KMT_EVENT_KIND()
 * @m: where to
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_trigger_show(unsigned int kind, struct seq_file *m);

/**
 * kmt_trigger_show_hists() - print the histograms of an event, the oldest first
 * @kind: KMT_EVENT_KIND()
 * @m: where to
 *
 * Context: may sleep; takes kmt_event_lock().
 * Return: 0 or -ENOMEM.
 */
int kmt_trigger_show_hists(unsigned int kind, struct seq_file *m);

/**
 * kmt_trigger_exit() - remove all triggers
 *
 * Context: may sleep.
 */
void kmt_trigger_exit(void);

#endif /* KMT_MODULE_TRIGGER_H */
