/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of accounting: live objects (object.h), page frames (frame.h), and tags with
 * their classes (tag.h). This file chooses their sizes, creates, resets and frees them
 * together, and prints their figures. account.h changes their contents.
 */
#ifndef KMT_TABLES_H
#define KMT_TABLES_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_tables_show_stats() - print the figures of accounting for the file stats
 * @m: the file
 *
 * Prints nothing unless kmt_tables_ready().
 *
 * Context: may sleep.
 */
void kmt_tables_show_stats(struct seq_file *m);

/**
 * kmt_tables_reset() - forget all live memory, and set all counters to zero
 *
 * Called when accounting is switched on. Counts the objects that are live as forgotten.
 *
 * Context: may sleep; no probe is attached.
 * Return: 0; -ENOMEM, if a CPU that has been online has no counters.
 */
int kmt_tables_reset(void);

/**
 * kmt_tables_since() - when accounting was last switched on
 *
 * Context: any.
 * Return: local_clock() at that moment, in ns.
 */
u64 kmt_tables_since(void);

/**
 * kmt_tables_ready() - whether there are tables
 *
 * Context: any.
 * Return: false with the parameter mem_profiling=never, or if the tables could not be
 * created.
 */
bool kmt_tables_ready(void);

/**
 * kmt_tables_init() - allocate the tables
 * @compress: store two bytes instead of eight for each page frame: the number of its
 *	class, without the time of allocation
 * @disable: arranges that accounting is switched off later. It is called in an interrupt
 *	if all classes are in use, but only with @compress; and while a CPU comes online for
 *	which there is no memory
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
