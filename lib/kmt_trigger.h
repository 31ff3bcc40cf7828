/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The syntax of triggers. It is that of event tracing (the kernel's
 * Documentation/trace/events.rst, section 6):
 *
 *	trigger := [ "!" ] command [ ":" count ] [ "if" filter ]
 *	command := "traceon" | "traceoff" | "snapshot" | "stacktrace"
 *		 | "enable_event:" system ":" event
 *		 | "disable_event:" system ":" event
 *
 * The parser does not check the filter. kmt_filter.h compiles it.
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

/* names of the commands, by enum kmt_trigger_command */
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

/* kmt_trigger_spec.count of a trigger without a count */
#define KMT_TRIGGER_UNLIMITED	(-1ll)

/**
 * struct kmt_trigger_spec - a parsed trigger
 * @remove: true: remove the trigger
 * @command: action of the trigger
 * @target: kind of event to enable or disable
 * @count: number of times that it fires, or KMT_TRIGGER_UNLIMITED
 * @filter: start of the filter in the text; NULL: no filter
 * @error: the error, KMT_TRIGGER_*
 * @column: position of the error in the text, counted from 1
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
 * kmt_trigger_parse() - parse a trigger
 * @text: the trigger, ended by a 0, without blanks at the end
 * @spec: set to the trigger; its filter is in @text
 *
 * If the trigger is to be removed, errors in its count and behind it are ignored.
 *
 * Context: any.
 * Return: true; false on error: then spec->error and spec->column are set.
 */
bool kmt_trigger_parse(const char *text, struct kmt_trigger_spec *spec);

/**
 * kmt_trigger_text() - get the message of an error
 * @error: KMT_TRIGGER_*
 *
 * Context: any.
 */
const char *kmt_trigger_text(enum kmt_trigger_error error);

#endif /* KMT_TRIGGER_H */
