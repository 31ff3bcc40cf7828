/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file triggers: triggers of foreign events, which are the events of the kernel and of
 * its modules that kmemtrace does not record. A probe is attached to the tracepoint of such
 * an event as long as the event has a trigger.
 */
#ifndef KMT_FOREIGN_H
#define KMT_FOREIGN_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_foreign_write() - write the file triggers: add or remove a trigger
 * @text: what was written (kmt_trigger_parse_named()); white space around it is removed
 *
 * If the event is one that kmemtrace records, does the same as kmt_trigger_write().
 *
 * Context: may sleep; takes kmt_event_lock(), and waits for a grace period.
 * Return: 0, also if the trigger to remove does not exist; -EINVAL, -EEXIST or -ENOMEM
 * (the error log has the reason); an error of the tracepoints.
 */
int kmt_foreign_write(char *text);

/**
 * kmt_foreign_show() - read the file triggers
 * @m: where to print the triggers, those of the newest event first
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_foreign_show(struct seq_file *m);

/**
 * kmt_foreign_nested() - count the foreign events that happened inside of a probe
 *
 * Context: any.
 * Return: number of events whose triggers did not fire.
 */
u64 kmt_foreign_nested(void);

/**
 * kmt_foreign_init() - watch for modules that are unloaded
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int kmt_foreign_init(void);

/**
 * kmt_foreign_exit() - remove all triggers of foreign events, and undo kmt_foreign_init()
 *
 * Context: may sleep.
 */
void kmt_foreign_exit(void);

#endif /* KMT_FOREIGN_H */
