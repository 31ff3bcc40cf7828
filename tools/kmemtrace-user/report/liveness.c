// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "eventfiles.h"
#include "kmt_field.h"
#include "liveness.h"

#define KIND(event, type)                                                      \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_##event, KMEMTRACE_TYPE_##type))
#define FREES                                                                  \
	(KIND(FREE, KMALLOC) | KIND(FREE, CACHE) | KIND(FREE, PAGES) |         \
	 KIND(FREE, PERCPU))

/* Each event that allocates, and those that free what it allocated. */
static const struct {
	u32 alloc;
	u32 frees;
} pairs[] = {
	{ KIND(ALLOC, KMALLOC), KIND(FREE, KMALLOC) },
	/* kfree() of an object of a cache is legal */
	{ KIND(ALLOC, CACHE), KIND(FREE, CACHE) | KIND(FREE, KMALLOC) },
	{ KIND(ALLOC, PAGES), KIND(FREE, PAGES) },
	{ KIND(ALLOC, PERCPU), KIND(FREE, PERCPU) },
};

static bool is_common(const struct kmt_filter_term *t)
{
	u32 need = t->need & ~KMT_GROUP_NONE;

	if (need & (KMT_FEATURE_CACHE | KMT_GROUP_CACHE_NAME))
		return true;
	return !need && t->base == KMT_IN_EVENT &&
	       t->offset == offsetof(struct kmt_event, ptr);
}

bool liveness_passes_frees(const char *text)
{
	struct kmt_filter *f = malloc(kmt_filter_room(strlen(text)));
	struct kmt_filter_error error;
	bool passes;
	u32 i;

	passes = f && eventfiles_compile(f, text, ~0u, &error);
	for (i = 0; passes && i < f->nr_terms; i++)
		passes = is_common(&f->term[i]);
	free(f);
	return passes;
}

u32 liveness_narrow(const char *text, u32 able, u32 kinds)
{
	if (!(able & kinds & ~FREES) || liveness_passes_frees(text))
		return able;
	return able & ~FREES;
}

bool liveness_filters_frees(u32 able, u32 kinds, const char *text)
{
	return able & kinds & FREES && kinds & ~FREES &&
	       !liveness_passes_frees(text);
}

/* "KEY=SYSTEM:EVENT: TEXT". Return: where TEXT begins; NULL: another line. */
static const char *text_of(const char *line, const char *key, u32 *kind)
{
	size_t len = strlen(key);
	const char *end;
	int found;

	if (strncmp(line, key, len) || line[len] != '=')
		return NULL;
	line += len + 1;
	end = strstr(line, ": ");
	found = end ? kmt_kind_find(line, end - line) : -1;
	if (found < 0)
		return NULL;
	*kind = 1u << found;
	return end + 2;
}

static bool filters_frees(const struct input *in)
{
	const char *line, *text;
	char filter[4096];
	u32 kind;

	for (line = in->meta; line; line = control_next_line(line)) {
		text = text_of(line, "filter", &kind);
		if (!text || !(kind & FREES))
			continue;
		filter[0] = '\0';
		strncat(filter, text,
			strcspn(text, "\n") < sizeof(filter) ?
				strcspn(text, "\n") :
				0);
		if (!liveness_passes_frees(filter))
			return true;
	}
	return false;
}

/* "SYSTEM:EVENT", separated by blanks. 0: not known */
static u32 events_of(const struct input *in)
{
	char list[1024], *word, *save = NULL;
	u32 kinds = 0;
	int kind;

	if (!input_value(in->meta, "events", list, sizeof(list)))
		return 0;
	for (word = strtok_r(list, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		kind = kmt_kind_find(word, strlen(word));
		if (kind >= 0)
			kinds |= 1u << kind;
	}
	return kinds;
}

bool liveness_has_frees(u32 kinds)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (kinds & pairs[i].alloc &&
		    (kinds & pairs[i].frees) != pairs[i].frees)
			return false;
	return true;
}

/* Up to its filter, a trigger that switches recording, or an event, on again. */
static bool switches_on(const char *trigger)
{
	static const char *const commands[] = { "traceon", "enable_event",
						"disable_event" };
	const char *end = strchrnul(trigger, '\n');
	const char *filter = strstr(trigger, " if ");
	size_t i;

	if (filter && filter < end)
		end = filter;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (memmem(trigger, end - trigger, commands[i],
			   strlen(commands[i])))
			return true;
	return false;
}

static bool is_switched(const struct input *in)
{
	const char *line;

	for (line = in->meta; line; line = control_next_line(line))
		if (!strncmp(line, "trigger=", 8) && switches_on(line + 8))
			return true;
	return false;
}

const char *liveness_lost(const struct input *in)
{
	if (filters_frees(in))
		return "a filter kept frees out of the recording";
	if (!liveness_has_frees(events_of(in)))
		return "the events that free what was allocated were not recorded";
	if (is_switched(in))
		return "a trigger may have kept frees out of the recording";
	return NULL;
}
