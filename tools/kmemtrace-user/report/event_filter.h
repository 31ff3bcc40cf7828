/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --filter: an expression of lib/kmt_filter.h on the records of a recording.
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "kmt_filter.h"
#include "trace/extra.h"

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

#endif /* EVENT_FILTER_H */
