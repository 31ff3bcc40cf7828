/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints histograms as the files hist and trigger of event tracing do. */
#ifndef KMT_HISTFILE_H
#define KMT_HISTFILE_H

#include "steer/hist.h"

struct seq_file;

/**
 * kmt_histfile_show_trigger() - print a histogram as a trigger, without the newline
 * @h: the histogram
 * @condition: text of its filter, or NULL
 * @m: where to
 *
 * Context: may sleep; under kmt_event_lock().
 */
void kmt_histfile_show_trigger(const struct kmt_hist *h, const char *condition,
			       struct seq_file *m);

/**
 * kmt_histfile_show_entries() - print the entries and totals of a histogram
 * @h: the histogram, which is not cleared meanwhile
 * @m: where to
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_histfile_show_entries(const struct kmt_hist *h, struct seq_file *m);

/**
 * kmt_histfile_show() - print a histogram with the trigger that makes it
 * @h: the histogram
 * @condition: text of its filter, or NULL
 * @m: where to
 *
 * Context: may sleep; under kmt_event_lock().
 * Return: 0 or -ENOMEM.
 */
int kmt_histfile_show(const struct kmt_hist *h, const char *condition,
		      struct seq_file *m);

#endif /* KMT_HISTFILE_H */
