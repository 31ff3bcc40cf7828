/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --filter: an expression of lib/kmt_filter.h on the records of a recording.
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "extra.h"
#include "kmt_filter.h"

/* CPUs of a machine that is not known: as many as kernels are built for */
#define EVENT_FILTER_CPUS_MAX 8192

struct event_filter;

/**
 * event_filter_create() - compile the text of --filter
 * @filter: set to the filter; NULL if there is none
 * @text: the expression
 * @in: the recording, which must outlive the filter
 *
 * Says what is wrong, and where.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int event_filter_create(struct event_filter **filter, const char *text,
			const struct input *in);

/** event_filter_destroy() - free; NULL is fine */
void event_filter_destroy(struct event_filter *f);

/**
 * event_filter_match() - hold a record against a filter
 * @f: the filter
 * @ev: from input_next(), its record still there
 * @e: from extra_take(); what has to be found out is added
 *
 * A record that does not match and lacks what the filter looks at is counted.
 *
 * Return: whether it matches.
 */
bool event_filter_match(struct event_filter *f, struct kmt_event *ev,
			struct extra *e);

/** event_filter_note() - say what records lacked, on stderr */
void event_filter_note(const struct event_filter *f);

/**
 * event_filter_draw() - show where an expression is wrong, on stderr
 * @option: that it was given to
 * @text: the expression
 * @error: what is wrong
 * @groups: of fields that there can be
 */
void event_filter_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups);

#endif /* EVENT_FILTER_H */
