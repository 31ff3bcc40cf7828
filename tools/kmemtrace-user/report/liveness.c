// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/textfile.h"
#include "control/steer.h"
#include "report/liveness.h"

/* Parses "KEY=SYSTEM:EVENT: TEXT". Return: TEXT; NULL for any other line. */
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

	for (line = in->meta; line; line = textfile_next_line(line)) {
		text = text_of(line, "filter", &kind);
		if (!text || !(kind & FREES_KINDS))
			continue;
		filter[0] = '\0';
		strncat(filter, text,
			strcspn(text, "\n") < sizeof(filter) ?
				strcspn(text, "\n") :
				0);
		if (!frees_pass(filter))
			return true;
	}
	return false;
}

/*
 * The value is a list of "SYSTEM:EVENT", separated by blanks. Return: mask of the events
 * that were recorded; 0 if it is not known.
 */
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

/*
 * Return: whether frees may be missing because of this trigger. traceoff alone is
 * harmless, because it ends the recording. The filter of the trigger is not searched.
 */
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

	for (line = in->meta; line; line = textfile_next_line(line))
		if (!strncmp(line, "trigger=", 8) && switches_on(line + 8))
			return true;
	return false;
}

const char *liveness_lost(const struct input *in)
{
	if (filters_frees(in))
		return "a filter kept frees out of the recording";
	if (!frees_are_complete(events_of(in)))
		return "frees of the recorded allocations were not recorded";
	if (is_switched(in))
		return "a trigger may have kept frees out of the recording";
	return NULL;
}
