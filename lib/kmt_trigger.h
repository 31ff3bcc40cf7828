/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The language of triggers, as event tracing has it (the kernel's
 * Documentation/trace/events.rst, section 6):
 *
 *	trigger := [ "!" ] command [ ":" count ] [ "if" filter ]
 *	command := "traceon" | "traceoff" | "snapshot" | "stacktrace"
 *		 | "enable_event:" system ":" event
 *		 | "disable_event:" system ":" event
 *
 * Only the text is looked at here; the filter is left to kmt_filter.h.
 */
#ifndef KMT_TRIGGER_H
#define KMT_TRIGGER_H

#include "kmt_field.h"

enum kmt_trigger_command {
	KMT_TRIGGER_TRACEON,
	KMT_TRIGGER_TRACEOFF,
	KMT_TRIGGER_SNAPSHOT,
	KMT_TRIGGER_STACKTRACE,
	KMT_TRIGGER_ENABLE_EVENT,
	KMT_TRIGGER_DISABLE_EVENT,
	KMT_TRIGGER_COMMANDS
};

/* their names, in the same order */
extern const char *const kmt_trigger_names[KMT_TRIGGER_COMMANDS];

enum kmt_trigger_error {
	KMT_TRIGGER_OK,
	KMT_TRIGGER_NO_COMMAND,
	KMT_TRIGGER_NO_EVENT,
	KMT_TRIGGER_BAD_COUNT,
	KMT_TRIGGER_EXPECT_IF,
	KMT_TRIGGER_EMPTY_FILTER,
	KMT_TRIGGER_ERRORS
};

/* kmt_trigger_spec.count of a trigger that fires always */
#define KMT_TRIGGER_UNLIMITED	(-1ll)

/**
 * struct kmt_trigger_spec - a trigger that was read
 * @remove: it is to be removed
 * @command: what it does
 * @target: kind of event that it enables or disables
 * @count: how often it fires, or KMT_TRIGGER_UNLIMITED
 * @filter: the filter, in the text; NULL: none
 * @error: what is wrong
 * @column: where, counted from 1
 */
struct kmt_trigger_spec {
	bool remove;
	enum kmt_trigger_command command;
	unsigned int target;
	s64 count;
	const char *filter;
	enum kmt_trigger_error error;
	unsigned int column;
};

/**
 * kmt_trigger_parse() - read a trigger
 * @text: the trigger, ended by a 0, without blanks at the end
 * @spec: set to what it says
 *
 * Context: any.
 * Return: whether it is a trigger; if not, spec->error and spec->column are set.
 */
bool kmt_trigger_parse(const char *text, struct kmt_trigger_spec *spec);

/**
 * kmt_trigger_text() - what an error is called
 * @error: KMT_TRIGGER_*
 *
 * Context: any.
 */
const char *kmt_trigger_text(enum kmt_trigger_error error);

#endif /* KMT_TRIGGER_H */
