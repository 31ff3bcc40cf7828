/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which modules were loaded and unloaded while events were recorded, and their
 * symbols: without it, call sites of a module that is gone have no name.
 */
#ifndef KMT_MODLOG_H
#define KMT_MODLOG_H

struct seq_file;

/**
 * kmt_modlog_init() - watch modules come and go
 *
 * Context: may sleep.
 * Return: 0, or what the kernel answered.
 */
int kmt_modlog_init(void);

/**
 * kmt_modlog_exit() - undo kmt_modlog_init()
 *
 * Context: may sleep.
 */
void kmt_modlog_exit(void);

/**
 * kmt_modlog_start() - a recording starts: forget what was logged before
 *
 * Buffers in overwrite mode still hold earlier records: then all is kept.
 *
 * Context: may sleep.
 */
void kmt_modlog_start(void);

/**
 * kmt_modlog_show() - print the log
 * @m: gets, for each module, a line and then its symbols
 *
 * Context: may sleep.
 */
void kmt_modlog_show(struct seq_file *m);

#endif /* KMT_MODLOG_H */
