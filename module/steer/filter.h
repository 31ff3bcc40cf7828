/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters as they are written to files: compiled for this kernel, and what is
 * said of those that are refused.
 */
#ifndef KMT_MODULE_FILTER_H
#define KMT_MODULE_FILTER_H

#include "kmt_filter.h"

struct seq_file;

/**
 * kmt_filter_make() - compile a filter for a kind of event
 * @kind: KMT_EVENT_KIND()
 * @text: the filter
 * @error: set to what is wrong with it
 *
 * Context: may sleep.
 * Return: the filter, for kvfree(); ERR_PTR(-EINVAL), -ENOMEM.
 */
struct kmt_filter *kmt_filter_make(unsigned int kind, const char *text,
				   struct kmt_filter_error *error);

/**
 * kmt_filter_write() - the file filter of an event
 * @kind: KMT_EVENT_KIND()
 * @text: what was written; blanks at its end are cut off
 * @error: set to what is wrong, if it is -EINVAL
 *
 * "0" takes the filter away. A text that is refused leaves the filter in force.
 *
 * Context: may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int kmt_filter_write(unsigned int kind, char *text,
		     struct kmt_filter_error *error);

/**
 * kmt_filter_show() - what the file filter of an event shows
 * @kind: KMT_EVENT_KIND()
 * @m: gets the filter; what was refused, if that came last; or "none"
 *
 * Context: may sleep.
 */
void kmt_filter_show(unsigned int kind, struct seq_file *m);

/**
 * kmt_filter_write_system() - the file filter of a system
 * @system: its name
 * @text: what was written
 *
 * An event that cannot have the filter keeps the one it has.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if no event can have it; -ENOMEM.
 */
int kmt_filter_write_system(const char *system, char *text);

/**
 * kmt_filter_show_system() - what the file filter of a system shows
 * @system: its name
 * @m: gets it
 *
 * Context: may sleep.
 */
void kmt_filter_show_system(const char *system, struct seq_file *m);

/**
 * kmt_filter_exit() - free all filters
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_filter_exit(void);

#endif /* KMT_MODULE_FILTER_H */
