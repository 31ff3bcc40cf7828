// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/table.h"
#include "control/eventfiles.h"
#include "control/steer.h"
#include "kmt_filter.h"
#include "kmt_trigger.h"

/* --- which frees are recorded --------------------------------------------- */

#define ALLOC(type)                                                            \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_##type))

/* Each event that allocates objects, and the events that free these objects. */
static const struct {
	u32 alloc;
	u32 frees;
} pairs[] = {
	{ ALLOC(KMALLOC), FREES_KIND(KMALLOC) },
	/* kfree() of an object of a cache is legal */
	{ ALLOC(CACHE), FREES_KIND(CACHE) | FREES_KIND(KMALLOC) },
	{ ALLOC(PAGES), FREES_KIND(PAGES) },
	{ ALLOC(PERCPU), FREES_KIND(PERCPU) },
};

static bool is_common(const struct kmt_filter_term *t)
{
	u32 need = t->need & ~KMT_GROUP_NONE;

	if (need & (KMT_FEATURE_CACHE | KMT_GROUP_CACHE_NAME))
		return true;
	return !need && t->base == KMT_IN_EVENT &&
	       t->offset == offsetof(struct kmt_event, ptr);
}

bool frees_pass(const char *text)
{
	struct kmt_filter *f = xmalloc(kmt_filter_room(strlen(text)));
	struct kmt_filter_error error;
	bool passes;
	u32 i;

	passes = eventfiles_compile(f, text, ~0u, &error);
	for (i = 0; passes && i < f->nr_terms; i++)
		passes = is_common(&f->term[i]);
	free(f);
	return passes;
}

/*
 * @able: mask of the events that have the fields of the filter. @kinds: of those that are
 * recorded. Return: mask of the events to set the filter for: not those that free objects, if the
 * filter would drop frees of recorded allocations.
 */
static u32 frees_narrow(const char *text, u32 able, u32 kinds)
{
	if (!(able & kinds & ~FREES_KINDS) || frees_pass(text))
		return able;
	return able & ~FREES_KINDS;
}

/* Whether a filter drops frees of recorded allocations. @able: events it is set for. */
static bool frees_are_filtered(u32 able, u32 kinds, const char *text)
{
	return able & kinds & FREES_KINDS && kinds & ~FREES_KINDS &&
	       !frees_pass(text);
}

bool frees_are_complete(u32 kinds)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (kinds & pairs[i].alloc &&
		    (kinds & pairs[i].frees) != pairs[i].frees)
			return false;
	return true;
}

/* --- steer ---------------------------------------------------------------- */

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

/*
 * Frees are left out of the list: a report needs those of all allocations that are recorded.
 * @able: events that have the fields of the filter
 */
static void note_unfiltered(const char *filter, u32 able, u32 kinds)
{
	u32 lack = kinds & ~able & ~(kinds & ~FREES_KINDS ? FREES_KINDS : 0);
	struct memtext text;
	FILE *out = memtext_open(&text);
	const char *before = "";
	unsigned int kind;
	char *note;

	fprintf(out, "--filter '%s' are all recorded: ", filter);
	for (kind = 0; kind < KMT_EVENT_KINDS; kind++)
		if (lack & 1u << kind) {
			fprintf(out, "%s%s", before, kmt_kind_names[kind].event);
			before = ", ";
		}
	note = memtext_close(&text, NULL);
	table_clean(note);
	if (lack)
		msg_note("events without the fields of %s; to leave them out, use --events", note);
	free(note);
}

void steer_keep_frees(struct steer *s, const char *events)
{
	u32 kinds = kinds_of(events), able;
	bool kept = false, lost = !frees_are_complete(kinds);
	unsigned int i;

	for (i = 0; i < s->nr_filters; i++) {
		note_unfiltered(s->filters[i], s->able[i], kinds);
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

/*
 * @text: EVENT:TRIGGER or SYSTEM:EVENT:TRIGGER. Return: the trigger; of a foreign event,
 * with its name; NULL if invalid.
 */
static const char *split(const char *text, int *kind)
{
	const char *colon = strchr(text, ':');
	struct kmt_trigger_event event;
	struct kmt_trigger_spec spec;
	unsigned int one;

	while (colon) {
		one = eventfiles_one(eventfiles_find(text, colon - text));
		*kind = one;
		if (one < KMT_EVENT_KINDS)
			return colon + 1;
		colon = strchr(colon + 1, ':');
	}
	*kind = KMT_FOREIGN;
	if (!kmt_trigger_parse_named(text, &event, &spec) &&
	    (spec.error == KMT_TRIGGER_NO_NAME ||
	     spec.error == KMT_TRIGGER_NO_COMMAND))
		return NULL;
	return text;
}

/* @kind: kind of the event; KMT_FOREIGN: @trigger begins with the name of the event */
static bool has_command(const char *trigger, int kind,
			enum kmt_trigger_command command)
{
	struct kmt_trigger_event event;
	struct kmt_trigger_spec spec;
	bool valid = kind == KMT_FOREIGN ?
			     kmt_trigger_parse_named(trigger, &event, &spec) :
			     kmt_trigger_parse(trigger, &spec);

	return valid && spec.command == command;
}

int steer_add_trigger(struct steer *s, const char *text)
{
	const char *trigger;
	int kind;

	if (s->nr_triggers == STEER_MAX)
		return msg_usage("record", "too many triggers");
	trigger = split(text, &kind);
	if (!trigger)
		return msg_usage(
			"record",
			"--trigger takes EVENT:TRIGGER, for example kmalloc:stacktrace or block:block_unplug:snapshot, not '%s'",
			text);
	if (*trigger == '!')
		return msg_usage(
			"record",
			"--trigger adds triggers; to remove one: kmemtrace-user events trigger");
	if (has_command(trigger, kind, KMT_TRIGGER_HIST))
		return msg_usage(
			"record",
			"a histogram needs no recording; to make one: kmemtrace-user events trigger EVENT '%s'",
			strstr(text, "hist:"));
	s->triggers[s->nr_triggers++] = text;
	return eventfiles_check_trigger("--trigger", trigger, kind);
}

bool steer_takes_snapshots(const struct steer *s)
{
	const char *trigger;
	unsigned int i;
	int kind;

	for (i = 0; i < s->nr_triggers; i++) {
		trigger = split(s->triggers[i], &kind);
		if (has_command(trigger, kind, KMT_TRIGGER_SNAPSHOT))
			return true;
	}
	return false;
}

/* Return: the joined filters of an event. */
static char *steer_join(const struct steer *s, unsigned int kind)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	unsigned int i, n = 0;

	for (i = 0; i < s->nr_filters; i++)
		if (s->able[i] & 1u << kind)
			fprintf(out, s->nr_filters > 1 ? "%s(%s)" : "%s%s",
				n++ ? " && " : "", s->filters[i]);
	return memtext_close(&text, NULL);
}

static int set_filter(struct steer *s, int dir, unsigned int kind)
{
	char *text = steer_join(s, kind);
	int ret = EXIT_DONE;

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
	static const char hist[] = "hist:";
	size_t len = strlen(trigger), i;
	const char *end;

	/* its filter is a part of a histogram; its state, " [active]", is not */
	if (!strncmp(trigger, hist, sizeof(hist) - 1)) {
		end = strrchr(trigger, '[');
		return end && end > trigger ? (size_t)(end - trigger) - 1 : len;
	}
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

static void note_trigger(const char *event, const char *trigger)
{
	msg_note("%s still has a trigger: %s. To remove it: kmemtrace-user events trigger %s '!%.*s'",
		 event, trigger, event, (int)removal_length(trigger), trigger);
}

static void note_triggers(int dir, unsigned int kind)
{
	char *text = eventfiles_read(dir, kind, "trigger"), *at = text, *line;

	while (at && (line = eventfiles_next_trigger(&at))) {
		table_clean(line);
		note_trigger(kmt_kind_names[kind].event, line);
	}
	free(text);
}

static void note_foreign(int dir)
{
	struct foreign f;
	size_t i;

	if (foreign_read(dir, &f))
		return;
	for (i = 0; i < f.count; i++)
		note_trigger(f.trigger[i].event, f.trigger[i].trigger);
	foreign_free(&f);
}

void steer_note_others(const struct steer *s, int dir)
{
	unsigned int kind;

	for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
		if (!s->old[kind])
			note_filter(dir, kind);
		note_triggers(dir, kind);
	}
	note_foreign(dir);
}

static bool switches(const char *trigger)
{
	return !strncmp(trigger, "traceo", 6);
}

static bool foreign_may_switch(int dir)
{
	struct foreign f;
	bool may = false;
	size_t i;

	if (foreign_try(dir, &f))
		return true;
	for (i = 0; i < f.count; i++)
		may |= switches(f.trigger[i].trigger);
	foreign_free(&f);
	return may;
}

/* A file that cannot be read may have a trigger that switches recording. */
static bool event_may_switch(int dir, unsigned int kind)
{
	char *text = eventfiles_read(dir, kind, "trigger"), *at = text, *line;
	bool may = false;

	if (!text)
		return true;
	while ((line = eventfiles_next_trigger(&at)))
		may |= switches(line);
	free(text);
	return may;
}

bool steer_may_switch(int dir)
{
	bool may = foreign_may_switch(dir);
	unsigned int kind;

	for (kind = 0; !may && kind < KMT_EVENT_KINDS; kind++)
		may = event_may_switch(dir, kind);
	return may;
}

int steer_set_triggers(struct steer *s, int dir)
{
	const char *trigger;
	int kind;
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
	/* needs no memory, which may have run out; the module takes no longer texts */
	char text[4096];
	const char *trigger;
	int kind;

	while (s->added) {
		trigger = split(s->triggers[--s->added], &kind);
		snprintf(text, sizeof(text), "!%s", trigger);
		eventfiles_set_trigger(dir, kind, text);
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
