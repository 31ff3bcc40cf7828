/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of accounting as a whole: how large they are, how they come and go,
 * and what they hold.
 */
#ifndef KMT_TABLES_H
#define KMT_TABLES_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_tables_show_stats() - print the counters
 * @m: where to
 *
 * Context: may sleep.
 */
void kmt_tables_show_stats(struct seq_file *m);

/**
 * kmt_tables_reset() - forget what is live and what was counted
 *
 * Objects that are still live are counted as forgotten.
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tables_reset(void);

/**
 * kmt_tables_started() - look at what was allocated before the start
 *
 * Context: may sleep; the probes are attached.
 */
void kmt_tables_started(void);

/**
 * kmt_tables_ready() - whether there are tables to account in
 *
 * Context: any.
 */
bool kmt_tables_ready(void);

/**
 * kmt_tables_init() - allocate the tables
 * @compress: keep the tags of pages as small indices
 * @disable: switches accounting off later. Called if the indices are used up
 *
 * Without memory for them, kmt_tables_ready() stays false, and the log says so.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if a parameter makes no sense.
 */
int kmt_tables_init(bool compress, void (*disable)(void));

/**
 * kmt_tables_exit() - free the tables
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tables_exit(void);

#endif /* KMT_TABLES_H */
