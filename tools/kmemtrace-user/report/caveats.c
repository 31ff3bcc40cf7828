// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memtext.h"
#include "report/caveats.h"
#include "report/skipped.h"

/* A recording that keeps only the last records has no losses, but is not complete. */
bool caveats_is_complete(const struct report *r)
{
	return !input_lost(&r->in) && !input_kept(&r->in) &&
	       !input_snapshots(&r->in) && !input_ending(&r->in);
}

/* @note: begins the line about a damaged file; NULL: leave out what changes no figure */
static void write_lines(const struct report *r, const char *note, FILE *out)
{
	const struct merge_stats *s = merge_stats(r->in.merge);
	const char *kept = input_kept(&r->in), *ending = input_ending(&r->in);

	if (input_partial(&r->in))
		fputs("only some CPUs were recorded: frees on others were not seen\n", out);
	if (input_snapshots(&r->in))
		fputs("a snapshot took events during the recording\n", out);
	if (kept && (note || report_is_overwritten(r)))
		fprintf(out, "%s: %" PRIu64 " records kept%s\n",
			strcmp(kept, "snapshot") ? "flight recorder" : "snapshot", s->events,
			report_is_overwritten(r) ? "; older ones are not in it" : "");
	if (s->backwards || s->broken || s->bad)
		fputs("the records violate the ABI: see kmemtrace-user check\n", out);
	if (skipped_text(&r->in))
		fprintf(out, "%s\n", skipped_text(&r->in));
	if (ending)
		fprintf(out, "%s%s\n", note ? note : "", ending);
}

void caveats_write(const struct report *r, FILE *out)
{
	write_lines(r, "NOTE: ", out);
}

/* Make one line of several. */
static char *join(const char *lines)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	if (!out)
		return NULL;
	for (; *lines; lines++) {
		if (*lines != '\n')
			fputc(*lines, out);
		else if (lines[1])
			fputs("; ", out);
	}
	return memtext_close(&text, NULL);
}

char *caveats_text(const struct report *r)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	char *lines, *joined;

	if (!out)
		return NULL;
	write_lines(r, NULL, out);
	lines = memtext_close(&text, NULL);
	joined = lines ? join(lines) : NULL;
	free(lines);
	return joined;
}

json_t *caveats_json(const struct report *r)
{
	char *text = caveats_text(r);
	json_t *note = text && *text ? json_string(text) : text ? json_null() : NULL;

	free(text);
	return note;
}
