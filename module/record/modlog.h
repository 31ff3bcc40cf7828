/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of the modules that were loaded and unloaded since a recording started, and of
 * their symbols. The tool needs it to name call sites in modules that are unloaded. It
 * goes on after the recording while buffers are allocated.
 */
#ifndef KMT_MODLOG_H
#define KMT_MODLOG_H

struct seq_file;

/**
 * kmt_modlog_init() - register for the loading and unloading of modules
 *
 * Context: may sleep.
 * Return: 0, or the error from register_module_notifier().
 */
int kmt_modlog_init(void);

/**
 * kmt_modlog_exit() - undo kmt_modlog_init()
 *
 * Context: may sleep.
 */
void kmt_modlog_exit(void);

/**
 * kmt_modlog_reorder() - note that the order of events has changed
 *
 * What is in the log was before all records of the new order.
 *
 * Context: may sleep; the buffers are empty.
 */
void kmt_modlog_reorder(void);

/**
 * kmt_modlog_start() - clear the log, because a recording starts
 *
 * In overwrite mode, the log is kept, because the buffers may have older records.
 *
 * Context: may sleep.
 */
void kmt_modlog_start(void);

/**
 * kmt_modlog_show() - print the log
 * @m: gets a line for each module, with the lines of its symbols behind it
 *
 * Context: may sleep.
 */
void kmt_modlog_show(struct seq_file *m);

#endif /* KMT_MODLOG_H */
