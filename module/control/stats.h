/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/stats: every counter there is.
 */
#ifndef KMT_STATS_H
#define KMT_STATS_H

struct seq_file;

/**
 * kmt_stats_show() - print all counters
 * @m: gets "name value", one a line
 *
 * Context: may sleep.
 */
void kmt_stats_show(struct seq_file *m);

/**
 * kmt_stats_show_size() - how many bytes kmt_stats_show() prints at most
 *
 * Context: any.
 */
size_t kmt_stats_show_size(void);

#endif /* KMT_STATS_H */
