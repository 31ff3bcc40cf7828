// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/textfile.h"
#include "control/steer.h"
#include "report/losses.h"

/* of each CPU, by the module */
#define BUFFER_MAX (4ull << 30)

int losses_exit(const struct input *in)
{
	return input_lost(in) || input_snapshots(in) ? EXIT_LOST : EXIT_DONE;
}

/* Return: the largest number of events that a CPU has lost. */
static uint64_t worst_cpu(const struct input *in)
{
	uint64_t n, worst = 0;
	const char *line;
	unsigned int cpu;

	for (line = in->end; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "lost_events", '=', &cpu, &n) && n > worst)
			worst = n;
	return worst;
}

uint64_t losses_buffer(const struct input *in)
{
	uint64_t buffer, events, bytes, size = 1;
	double needed;

	if (!input_number(in->end, "buffer_bytes_per_cpu", &buffer) ||
	    !input_number(in->end, "lost_events", &events) || !events ||
	    !input_number(in->end, "lost_bytes", &bytes))
		return 0;
	needed = buffer + (double)bytes / events * worst_cpu(in);
	while (size < needed && size <= BUFFER_MAX)
		size *= 2;
	return size <= BUFFER_MAX ? size : 0;
}

bool losses_are_overwritten(const struct input *in)
{
	uint64_t overwritten = 1, exchanged = 1;

	input_number(in->end, "overwritten", &overwritten);
	input_number(in->end, "exchanged", &exchanged);
	return input_kept(in) && (overwritten || exchanged);
}

const char *losses_skipped(const struct input *in)
{
	static char sentence[192];
	const struct merge_stats *s = merge_stats(in->merge);

	if (!s->unknown && !s->skipped_features && !in->unknown)
		return NULL;
	snprintf(sentence, sizeof(sentence),
		 "skipped %" PRIu64 " record%s, %" PRIu64 " feature%s and %" PRIu64
		 " chunk%s that this version does not know: use a newer kmemtrace-user",
		 s->unknown, plural(s->unknown), s->skipped_features,
		 plural(s->skipped_features), in->unknown, plural(in->unknown));
	return sentence;
}

/* A recording that keeps only the last records has no losses, but is not complete. */
bool losses_none(const struct input *in)
{
	return !input_lost(in) && !input_kept(in) && !input_snapshots(in) &&
	       !input_ending(in);
}

void losses_write(const struct input *in, FILE *out)
{
	const struct merge_stats *s = merge_stats(in->merge);
	uint64_t n = input_lost(in);

	if (n)
		fprintf(out, "LOST %" PRIu64 " event%s in %" PRIu64 " gap%s, up to %" PRIu64 " in a row\n",
			n, plural(n), s->gaps, plural(s->gaps), s->worst_gap);
}

void losses_write_faults(const struct input *in, const char *note, FILE *out)
{
	const struct merge_stats *s = merge_stats(in->merge);
	const char *kept = input_kept(in), *ending = input_ending(in);
	bool overwritten = losses_are_overwritten(in);

	if (input_partial(in))
		fputs("only some CPUs were recorded: frees on others were not seen\n", out);
	if (input_snapshots(in))
		fputs("a snapshot took events during the recording\n", out);
	if (kept && (note || overwritten))
		fprintf(out, "%s: %" PRIu64 " record%s kept%s\n",
			strcmp(kept, "snapshot") ? "flight recorder" : "snapshot", s->events,
			plural(s->events), overwritten ? "; older ones are not in it" : "");
	if (s->backwards || s->broken || s->bad)
		fputs("the records violate the ABI: see kmemtrace-user check\n", out);
	if (losses_skipped(in))
		fprintf(out, "%s\n", losses_skipped(in));
	if (ending)
		fprintf(out, "%s%s\n", note ? note : "", ending);
}

void losses_note(const struct input *in)
{
	char *lines, *line, *rest;
	struct memtext text;
	FILE *out = memtext_open(&text);

	losses_write(in, out);
	losses_write_faults(in, NULL, out);
	lines = memtext_close(&text, NULL);
	for (line = strtok_r(lines, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		msg_note("%s", line);
	free(lines);
}

/* Several lines become one. */
char *losses_text(const struct input *in)
{
	struct memtext text, joined;
	FILE *out = memtext_open(&text);
	char *lines, *line, *rest;

	losses_write_faults(in, NULL, out);
	lines = memtext_close(&text, NULL);
	out = memtext_open(&joined);
	for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		fprintf(out, "%s%s", line > lines ? "; " : "", line);
	free(lines);
	return memtext_close(&joined, NULL);
}

json_t *losses_json(const struct input *in)
{
	char *text = losses_text(in);
	json_t *note = *text ? json_string(text) : json_null();

	free(text);
	return note;
}

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
