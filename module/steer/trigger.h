/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: what an event does when it happens.
 */
#ifndef KMT_MODULE_TRIGGER_H
#define KMT_MODULE_TRIGGER_H

#include "kmt_trigger.h"
#include "steer/context.h"

struct seq_file;

/* what the recording of the event has still to do */
#define KMT_FIRED_STACK	   1 /* its record is to carry a stack */
#define KMT_FIRED_SNAPSHOT 2 /* take a snapshot, once it is recorded */

/**
 * kmt_trigger_fire() - carry out the triggers of an event
 * @kind: KMT_EVENT_KIND()
 * @c: the event
 * @paused: recording was off when it happened. Triggers that need a record fire
 *	only if another one switches recording on
 *
 * Context: any that an allocation can happen in; interrupts off, with the CPU's
 * guard (guard.h).
 * Return: mask of KMT_FIRED_*.
 */
unsigned int kmt_trigger_fire(unsigned int kind, struct kmt_context *c,
			      bool paused);

/**
 * kmt_trigger_write() - the file trigger of an event: add or remove one
 * @kind: KMT_EVENT_KIND()
 * @text: what was written; blanks around it are cut off
 *
 * Context: may sleep.
 * Return: 0, also if what is to be removed is not there; -EINVAL, and the error
 * log says why; -EEXIST if there is such a one already; -ENOMEM.
 */
int kmt_trigger_write(unsigned int kind, char *text);

/**
 * kmt_trigger_show() - list the triggers of an event, the newest first
 * @kind: KMT_EVENT_KIND()
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_trigger_show(unsigned int kind, struct seq_file *m);

/**
 * kmt_trigger_exit() - remove all triggers
 *
 * Context: may sleep.
 */
void kmt_trigger_exit(void);

#endif /* KMT_MODULE_TRIGGER_H */
