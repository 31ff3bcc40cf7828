/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --filter: apply an expression of lib/kmt_filter.h to the records of a recording.
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "kmt_filter.h"
#include "trace/input.h"

/* help text of --filter */
#define EVENT_FILTER_HELP                                                      \
	"only records that match, for example\n'bytes_req > 4K && cpu == 1'"

struct event_filter;

/**
 * event_filter_create() - compile the text of --filter
 * @filter: set to the filter; NULL if there is none
 * @text: the expression
 * @in: the recording, which must outlive the filter
 *
 * Prints a message with the place of the error.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int event_filter_create(struct event_filter **filter, const char *text,
			const struct input *in);

/** event_filter_destroy() - free a filter; NULL is allowed */
void event_filter_destroy(struct event_filter *f);

/**
 * event_filter_match() - apply a filter to a record
 * @f: the filter
 * @ev: from input_next(); its record must still be in memory
 * @e: from extra_take(); gets the further values that the filter needs
 *
 * Counts the records that do not match and lack a field of the filter.
 *
 * Return: whether it matches.
 */
bool event_filter_match(struct event_filter *f, struct kmt_event *ev,
			struct extra *e);

/** event_filter_note() - print to stderr which fields the records lacked */
void event_filter_note(const struct event_filter *f);

#endif /* EVENT_FILTER_H */
