// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memtext.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/frees.h"
#include "control/steer.h"
#include "kmt_filter.h"
#include "kmt_trigger.h"

int steer_add_filter(struct steer *s, const char *text)
{
	if (s->nr_filters == STEER_MAX)
		return msg_usage("record", "too many filters");
	s->filters[s->nr_filters] = text;
	return eventfiles_check_filter("--filter", text, EVENTFILES_ALL,
				       &s->able[s->nr_filters++]);
}

/* Return: mask of the events in --events. The module reports wrong names, later. */
static u32 kinds_of(const char *events)
{
	u32 kinds = 0;
	size_t len;

	if (!events)
		return EVENTFILES_ALL;
	for (; *events; events += len + !!events[len]) {
		len = strcspn(events, ", \t\n");
		if (len >= 2 && !strncmp(events + len - 2, ":*", 2))
			kinds |= *events == '*' ?
					 EVENTFILES_ALL :
					 eventfiles_find(events, len - 2);
		else
			kinds |= eventfiles_find(events, len);
	}
	return kinds;
}

void steer_keep_frees(struct steer *s, const char *events)
{
	u32 kinds = kinds_of(events), able;
	bool kept = false, lost = !frees_are_complete(kinds);
	unsigned int i;

	for (i = 0; i < s->nr_filters; i++) {
		able = frees_narrow(s->filters[i], s->able[i], kinds);
		kept = kept || (able ^ s->able[i]) & kinds;
		s->able[i] = able;
		lost = lost || frees_are_filtered(able, kinds, s->filters[i]);
	}
	if (lost)
		msg_note("not all frees are recorded: the report will have no live figures");
	else if (kept)
		msg_note("frees are recorded whether they match or not: the report needs them for live figures");
}

/* @text: EVENT:TRIGGER or SYSTEM:EVENT:TRIGGER. Return: the trigger; NULL if invalid. */
static const char *split(const char *text, unsigned int *kind)
{
	const char *colon = strchr(text, ':');

	while (colon) {
		*kind = eventfiles_one(eventfiles_find(text, colon - text));
		if (*kind < KMT_EVENT_KINDS)
			return colon + 1;
		colon = strchr(colon + 1, ':');
	}
	return NULL;
}

int steer_add_trigger(struct steer *s, const char *text)
{
	const char *trigger;
	unsigned int kind;

	if (s->nr_triggers == STEER_MAX)
		return msg_usage("record", "too many triggers");
	trigger = split(text, &kind);
	if (!trigger)
		return msg_usage(
			"record",
			"--trigger takes EVENT:TRIGGER, for example kmalloc:stacktrace, not '%s'",
			text);
	if (*trigger == '!')
		return msg_usage(
			"record",
			"--trigger adds triggers; to remove one: kmemtrace-user events trigger");
	s->triggers[s->nr_triggers++] = text;
	return eventfiles_check_trigger("--trigger", trigger, kind);
}

bool steer_takes_snapshots(const struct steer *s)
{
	struct kmt_trigger_spec spec;
	unsigned int kind, i;

	for (i = 0; i < s->nr_triggers; i++)
		if (kmt_trigger_parse(split(s->triggers[i], &kind), &spec) &&
		    spec.command == KMT_TRIGGER_SNAPSHOT)
			return true;
	return false;
}

/* Return: the joined filters of an event; NULL if memory ran out. */
static char *join(const struct steer *s, unsigned int kind)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	unsigned int i, n = 0;

	if (!out)
		return NULL;
	for (i = 0; i < s->nr_filters; i++)
		if (s->able[i] & 1u << kind)
			fprintf(out, s->nr_filters > 1 ? "%s(%s)" : "%s%s",
				n++ ? " && " : "", s->filters[i]);
	return memtext_close(&text, NULL);
}

static int set_filter(struct steer *s, int dir, unsigned int kind)
{
	char *text = join(s, kind);
	int ret = EXIT_DONE;

	if (!text)
		return msg_oom();
	if (*text) {
		s->old[kind] = eventfiles_filter(dir, kind);
		if (s->old[kind])
			ret = eventfiles_set_filter(dir, kind, text);
		else
			ret = msg_error("cannot read the filter of %s: %s",
					kmt_kind_names[kind].event,
					strerror(errno));
	}
	free(text);
	return ret;
}

int steer_set_filters(struct steer *s, int dir)
{
	unsigned int kind;
	int ret = EXIT_DONE;

	for (kind = 0; !ret && kind < KMT_EVENT_KINDS; kind++)
		ret = set_filter(s, dir, kind);
	return ret;
}

/* Return: bytes of the trigger to keep: "!stacktrace" removes "stacktrace:count=5 if ...". */
static size_t removal_length(const char *trigger)
{
	static const char *const ends[] = { ":count=", ":unlimited", " if " };
	size_t len = strlen(trigger), i;
	const char *end;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strstr(trigger, ends[i]);
		if (end && (size_t)(end - trigger) < len)
			len = end - trigger;
	}
	return len;
}

static void note_filter(int dir, unsigned int kind)
{
	const char *event = kmt_kind_names[kind].event;
	char *filter = eventfiles_filter(dir, kind);

	if (filter && *filter && strcmp(filter, "none")) {
		table_clean_lines(filter);
		msg_note("%s still has a filter, which restricts this recording: %s. To remove it: kmemtrace-user events filter %s 0",
			 event, filter, event);
	}
	free(filter);
}

static void note_triggers(int dir, unsigned int kind)
{
	const char *event = kmt_kind_names[kind].event;
	char *text = eventfiles_read(dir, kind, "trigger"), *at = text, *line;

	while (at && (line = eventfiles_next_trigger(&at))) {
		table_clean(line);
		msg_note("%s still has a trigger: %s. To remove it: kmemtrace-user events trigger %s '!%.*s'",
			 event, line, event, (int)removal_length(line), line);
	}
	free(text);
}

void steer_note_others(const struct steer *s, int dir)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		if (!s->old[kind])
			note_filter(dir, kind);
		note_triggers(dir, kind);
	}
}

bool steer_may_switch(int dir)
{
	bool may = false;
	unsigned int kind;

	for (kind = 0; !may && kind < KMT_EVENT_KINDS; kind++) {
		char *text = eventfiles_read(dir, kind, "trigger");
		char *at = text, *line;

		while (at && (line = eventfiles_next_trigger(&at)))
			may |= !strncmp(line, "traceo", 6);
		free(text);
	}
	return may;
}

int steer_set_triggers(struct steer *s, int dir)
{
	const char *trigger;
	unsigned int kind;
	int ret = EXIT_DONE;

	while (!ret && s->added < s->nr_triggers) {
		trigger = split(s->triggers[s->added], &kind);
		ret = eventfiles_set_trigger(dir, kind, trigger);
		s->added += !ret;
	}
	return ret;
}

void steer_restore_triggers(struct steer *s, int dir)
{
	const char *trigger;
	unsigned int kind;
	char *text;

	while (s->added) {
		trigger = split(s->triggers[--s->added], &kind);
		if (asprintf(&text, "!%s", trigger) < 0)
			continue;
		eventfiles_set_trigger(dir, kind, text);
		free(text);
	}
}

void steer_restore_filters(struct steer *s, int dir)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		char *old = s->old[kind];

		if (!old)
			continue;
		eventfiles_set_filter(dir, kind,
				      strcmp(old, "none") ? old : "0");
		free(old);
		s->old[kind] = NULL;
	}
}
