/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files filter: compiles the filters that are written to them, and shows the
 * filters and their errors.
 */
#ifndef KMT_MODULE_FILTER_H
#define KMT_MODULE_FILTER_H

#include "kmt_filter.h"

struct seq_file;

/* kmt_filter_steps() */
#define KMT_FILTER_STEPS_MAX 1024

/**
 * kmt_filter_make() - compile a filter for a kind of event
 * @kind: KMT_EVENT_KIND(), or KMT_FOREIGN
 * @text: the filter
 * @error: set to the error in the text, if the result is -EINVAL
 *
 * A filter that takes more than KMT_FILTER_STEPS_MAX is refused, because interrupts are off
 * meanwhile.
 *
 * Context: may sleep.
 * Return: the filter, to be freed with kvfree(); ERR_PTR() of -EINVAL or -ENOMEM.
 */
struct kmt_filter *kmt_filter_make(int kind, const char *text,
				   struct kmt_filter_error *error);

/**
 * kmt_filter_write() - write the file filter of an event
 * @kind: KMT_EVENT_KIND()
 * @text: what was written; white space at its end is removed
 * @error: set to the error in the text, if the result is -EINVAL
 *
 * "0" removes the filter. If a text is refused, the filter in force stays.
 *
 * Context: may sleep; takes kmt_event_lock(), and waits for a grace period.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int kmt_filter_write(unsigned int kind, char *text,
		     struct kmt_filter_error *error);

/**
 * kmt_filter_show() - read the file filter of an event
 * @kind: KMT_EVENT_KIND()
 * @m: where to print the filter, or "none"; if the last text was refused, also that
 *	text and its error
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_filter_show(unsigned int kind, struct seq_file *m);

/**
 * kmt_filter_write_system() - write the file filter of a system
 * @system: name of the system
 * @text: what was written; white space at its end is removed
 *
 * An event that cannot have the filter keeps its present one.
 *
 * Context: may sleep; takes kmt_event_lock(), and waits for a grace period.
 * Return: 0; -EINVAL if no event can have it; -ENOMEM.
 */
int kmt_filter_write_system(const char *system, char *text);

/**
 * kmt_filter_show_system() - read the file filter of a system
 * @system: name of the system
 * @m: where to print the text that was refused last and its error; else a help text
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_filter_show_system(const char *system, struct seq_file *m);

/**
 * kmt_filter_exit() - free all filters
 *
 * Context: may sleep; takes kmt_event_lock(), and waits for grace periods.
 */
void kmt_filter_exit(void);

#endif /* KMT_MODULE_FILTER_H */
