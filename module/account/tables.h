/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of accounting as a whole: their sizes, their life and their figures. */
#ifndef KMT_TABLES_H
#define KMT_TABLES_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_tables_show_stats() - print the figures of accounting for the file stats
 * @m: where to
 *
 * Prints nothing if there are no tables.
 *
 * Context: may sleep.
 */
void kmt_tables_show_stats(struct seq_file *m);

/**
 * kmt_tables_reset() - forget all live memory, and set all counters to zero
 *
 * Counts the objects that are still live as forgotten.
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tables_reset(void);

/**
 * kmt_tables_started() - mark memory that was allocated before accounting was switched on
 *
 * Context: may sleep; the probes are attached.
 */
void kmt_tables_started(void);

/**
 * kmt_tables_since() - when accounting was last switched on
 * Context: any.
 * Return: local_clock() at that moment, in ns.
 */
u64 kmt_tables_since(void);

/**
 * kmt_tables_ready() - whether there are tables
 *
 * Context: any.
 * Return: false if mem_profiling=never, or if the tables could not be created.
 */
bool kmt_tables_ready(void);

/**
 * kmt_tables_init() - allocate the tables
 * @compress: two bytes for each page frame, with a small number of its class
 * @disable: switches accounting off later; called in an interrupt, if @compress and all
 *	classes are in use
 *
 * If the tables cannot be created, the log says so, and kmt_tables_ready() stays false.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if a parameter is invalid.
 */
int kmt_tables_init(bool compress, void (*disable)(void));

/**
 * kmt_tables_exit() - free the tables
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tables_exit(void);

#endif /* KMT_TABLES_H */
