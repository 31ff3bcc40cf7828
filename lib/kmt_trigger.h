/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The syntax of triggers. It is that of event tracing (the kernel's
 * Documentation/trace/events.rst, section 6):
 *
 *	trigger := [ "!" ] command [ ":" count ] [ "if" filter ]
 *	command := "traceon" | "traceoff" | "snapshot" | "stacktrace"
 *		 | "enable_event:" system ":" event
 *		 | "disable_event:" system ":" event
 *		 | "hist:" histogram
 *
 * Where the file does not say which event the trigger belongs to, the event precedes the
 * command:
 *
 *	named   := [ "!" ] system ":" event ":" command [ ":" count ] [ "if" filter ]
 *
 * A histogram has no count, and no blanks. The parser does not check it; kmt_hist.h does.
 * Neither does it check the filter. kmt_filter.h compiles it.
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
	KMT_TRIGGER_HIST,
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
	KMT_TRIGGER_NO_NAME,
	KMT_TRIGGER_NO_RECORD,
	KMT_TRIGGER_NO_HIST,
	KMT_TRIGGER_FOREIGN_HIST,
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
 * @hist: KMT_TRIGGER_HIST: start of the histogram in the text
 * @hist_len: bytes of the histogram
 * @filter: start of the filter in the text; NULL: no filter
 * @filter_len: bytes of the filter
 * @error: the error, KMT_TRIGGER_*
 * @column: position of the error in the text, counted from 1
 */
struct kmt_trigger_spec {
	bool remove;
	enum kmt_trigger_command command;
	unsigned int target;
	s64 count;
	const char *hist;
	size_t hist_len;
	const char *filter;
	size_t filter_len;
	enum kmt_trigger_error error;
	unsigned int column;
};

/**
 * kmt_trigger_parse() - parse a trigger
 * @text: the trigger, ended by a 0, without blanks at the end
 * @spec: set to the trigger; its filter is in @text
 *
 * If the trigger is to be removed, errors in its count and behind it are ignored, but not
 * those of a histogram and its filter.
 *
 * Context: any.
 * Return: true; false on error: then spec->error and spec->column are set.
 */
bool kmt_trigger_parse(const char *text, struct kmt_trigger_spec *spec);

/**
 * struct kmt_trigger_event - the event that a trigger belongs to
 * @name: "system:event" in the text
 * @system: bytes of the system
 * @len: bytes of @name
 * @kind: KMT_EVENT_KIND(); KMT_FOREIGN if it is no event of kmemtrace
 */
struct kmt_trigger_event {
	const char *name;
	unsigned int system;
	unsigned int len;
	int kind;
};

/**
 * kmt_trigger_parse_named() - parse the name of an event, and its trigger
 * @text: the text, ended by a 0, without blanks at the end
 * @event: set to the event
 * @spec: set to the trigger, as by kmt_trigger_parse()
 *
 * Does not check whether there is an event with this name. Refuses the commands stacktrace
 * and hist for events that kmemtrace does not record.
 *
 * Context: any.
 * Return: as kmt_trigger_parse().
 */
bool kmt_trigger_parse_named(const char *text, struct kmt_trigger_event *event,
			     struct kmt_trigger_spec *spec);

/**
 * kmt_trigger_text() - get the message of an error
 * @error: KMT_TRIGGER_*
 *
 * Context: any.
 */
const char *kmt_trigger_text(enum kmt_trigger_error error);

#endif /* KMT_TRIGGER_H */
