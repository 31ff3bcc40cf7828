// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_filter_term.h"
#include "kmt_trigger.h"

const char *const kmt_trigger_names[KMT_TRIGGER_COMMANDS] = {
	[KMT_TRIGGER_TRACEON] = "traceon",
	[KMT_TRIGGER_TRACEOFF] = "traceoff",
	[KMT_TRIGGER_SNAPSHOT] = "snapshot",
	[KMT_TRIGGER_STACKTRACE] = "stacktrace",
	[KMT_TRIGGER_ENABLE_EVENT] = "enable_event",
	[KMT_TRIGGER_DISABLE_EVENT] = "disable_event",
	[KMT_TRIGGER_HIST] = "hist",
};

static const char *const texts[KMT_TRIGGER_ERRORS] = {
	[KMT_TRIGGER_OK] = "No error",
	[KMT_TRIGGER_NO_COMMAND] =
		"Unknown command: traceon, traceoff, snapshot, stacktrace, enable_event, disable_event, hist",
	[KMT_TRIGGER_NO_EVENT] = "Unknown event: expecting SYSTEM:EVENT",
	[KMT_TRIGGER_BAD_COUNT] = "Illegal count",
	[KMT_TRIGGER_EXPECT_IF] = "Expecting 'if'",
	[KMT_TRIGGER_EMPTY_FILTER] = "Expecting a filter behind 'if'",
	[KMT_TRIGGER_NO_NAME] =
		"Expecting SYSTEM:EVENT:COMMAND, for example syscalls:sys_enter_read:traceon",
	[KMT_TRIGGER_NO_RECORD] =
		"A stack trace is part of a record, and kmemtrace only records its own events: kmemtrace-user events lists them",
	[KMT_TRIGGER_NO_HIST] =
		"Expecting hist:keys=FIELD, for example hist:keys=call_site.sym:vals=bytes_alloc",
	[KMT_TRIGGER_FOREIGN_HIST] =
		"kmemtrace makes histograms only of its own events: kmemtrace-user events lists them",
};

const char *kmt_trigger_text(enum kmt_trigger_error error)
{
	return texts[error];
}

static bool fail(struct kmt_trigger_spec *spec, enum kmt_trigger_error error,
		 const char *text, const char *at)
{
	spec->error = error;
	spec->column = at - text + 1;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Return: the next blank or colon, or the end. */
static const char *skip_word(const char *at)
{
	while (*at && !is_blank(*at) && *at != ':')
		at++;
	return at;
}

/* As in event tracing, the rest of a word behind a count and a colon is ignored. */
static const char *skip_count(const char *at)
{
	while (*at && !is_blank(*at))
		at++;
	return at;
}

/* Parse digits in C's notation, up to @end. Return: false if the count is no s64. */
static bool read_count(const char *at, const char *end, s64 *count)
{
	u64 value;

	if (at == end || kmt_read_digits(at, end, &value) != end ||
	    value > ~0ull >> 1)
		return false;
	*count = value;
	return true;
}

/* Parse "system:event". Return: the text behind it; NULL if there is no such event. */
static const char *read_event(const char *at, unsigned int *kind)
{
	const char *colon = skip_word(at), *end;
	int found;

	if (*colon != ':')
		return NULL;
	end = skip_word(colon + 1);
	found = kmt_kind_find(at, end - at);
	*kind = found < 0 ? 0 : found;
	return found < 0 ? NULL : end;
}

static bool read_condition(const char *text, const char *at,
			   struct kmt_trigger_spec *spec)
{
	at = kmt_skip_space(at);
	if (!*at)
		return true;
	if (strncmp(at, "if", 2) || (at[2] && !is_blank(at[2])))
		return fail(spec, KMT_TRIGGER_EXPECT_IF, text, at);
	spec->filter = kmt_skip_space(at + 2);
	if (!*spec->filter)
		return fail(spec, KMT_TRIGGER_EMPTY_FILTER, text, spec->filter);
	spec->filter_len = strlen(spec->filter);
	return true;
}

/* The file shows the state behind a histogram. It is not a part of the trigger. */
static size_t without_state(const char *at)
{
	static const size_t state = sizeof("[active]") - 1;
	size_t len = strlen(at);

	if (len >= state && (!strcmp(at + len - state, "[active]") ||
			     !strcmp(at + len - state, "[paused]")))
		len -= state;
	while (len && kmt_is_space(at[len - 1]))
		len--;
	return len;
}

/* @at: behind "hist". A histogram has no count. */
static bool read_hist(const char *text, const char *at,
		      struct kmt_trigger_spec *spec)
{
	if (*at != ':' || !at[1] || is_blank(at[1]))
		return fail(spec, KMT_TRIGGER_NO_HIST, text, at);
	spec->hist = at + 1;
	at = skip_count(at);
	spec->hist_len = at - spec->hist;
	at = kmt_skip_space(at);
	if (!without_state(at))
		return true;
	if (!read_condition(text, at, spec))
		return false;
	spec->filter_len = without_state(spec->filter);
	return spec->filter_len ||
	       fail(spec, KMT_TRIGGER_EMPTY_FILTER, text, spec->filter);
}

/* Parse a trigger from the command on; spec->remove is set. */
static bool read_command(const char *text, const char *at,
			 struct kmt_trigger_spec *spec)
{
	const char *end = skip_word(at);
	bool has_target;

	for (; spec->command < KMT_TRIGGER_COMMANDS; spec->command++)
		if (kmt_is_word(at, end - at, kmt_trigger_names[spec->command]))
			break;
	if (spec->command == KMT_TRIGGER_COMMANDS)
		return fail(spec, KMT_TRIGGER_NO_COMMAND, text, at);
	if (spec->command == KMT_TRIGGER_HIST)
		return read_hist(text, end, spec);
	has_target = spec->command == KMT_TRIGGER_ENABLE_EVENT ||
		     spec->command == KMT_TRIGGER_DISABLE_EVENT;
	/* the first separator may be a blank as well */
	at = kmt_skip_space(end + (*end == ':'));
	if (has_target) {
		end = read_event(at, &spec->target);
		if (!end)
			return fail(spec, KMT_TRIGGER_NO_EVENT, text, at);
		at = end + (*end == ':');
	}
	if (has_target ? *end == ':' : kmt_is_digit(*at)) {
		end = skip_word(at);
		/* a trigger is removed whatever its count was */
		if (!read_count(at, end, &spec->count) && !spec->remove)
			return fail(spec, KMT_TRIGGER_BAD_COUNT, text, at);
		at = skip_count(end);
	}
	return read_condition(text, at, spec) || spec->remove;
}

static const char *begin(const char *text, struct kmt_trigger_spec *spec)
{
	const char *at = kmt_skip_space(text);

	memset(spec, 0, sizeof(*spec));
	spec->count = KMT_TRIGGER_UNLIMITED;
	spec->remove = *at == '!';
	return at + spec->remove;
}

bool kmt_trigger_parse(const char *text, struct kmt_trigger_spec *spec)
{
	return read_command(text, begin(text, spec), spec);
}

bool kmt_trigger_parse_named(const char *text, struct kmt_trigger_event *event,
			     struct kmt_trigger_spec *spec)
{
	const char *at = begin(text, spec), *colon = skip_word(at), *end = colon;

	if (*colon == ':')
		end = skip_word(colon + 1);
	if (*end != ':' || colon == at || end <= colon + 1)
		return fail(spec, KMT_TRIGGER_NO_NAME, text, at);
	event->name = at;
	event->system = colon - at;
	event->len = end - at;
	event->kind = kmt_kind_find(at, end - at);
	at = end + 1;
	if (!read_command(text, at, spec))
		return false;
	if (event->kind < 0 && spec->command == KMT_TRIGGER_STACKTRACE)
		return fail(spec, KMT_TRIGGER_NO_RECORD, text, at);
	if (event->kind < 0 && spec->command == KMT_TRIGGER_HIST)
		return fail(spec, KMT_TRIGGER_FOREIGN_HIST, text, at);
	return true;
}
