/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/stats: all counters of the module.
 */
#ifndef KMT_STATS_H
#define KMT_STATS_H

struct seq_file;

/**
 * kmt_stats_show() - print all counters
 * @m: the file to print to: one "name value" on each line
 *
 * Context: may sleep.
 */
void kmt_stats_show(struct seq_file *m);

/**
 * kmt_stats_show_size() - estimate the size of stats in bytes
 *
 * Context: any.
 */
size_t kmt_stats_show_size(void);

#endif /* KMT_STATS_H */
