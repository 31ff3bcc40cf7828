// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "base/memtext.h"
#include "report/caveats.h"
#include "report/losses.h"

/* A recording that keeps only the last records has no losses, but is not complete. */
bool caveats_is_complete(const struct report *r)
{
	return !input_lost(&r->in) && !input_kept(&r->in) &&
	       !input_snapshots(&r->in) && !input_ending(&r->in);
}

void caveats_write(const struct report *r, FILE *out)
{
	losses_write_faults(&r->in, "NOTE: ", out);
}

/* Make one line of several. */
static char *caveats_join(const char *lines)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

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

	losses_write_faults(&r->in, NULL, out);
	lines = memtext_close(&text, NULL);
	joined = caveats_join(lines);
	free(lines);
	return joined;
}

json_t *caveats_json(const struct report *r)
{
	char *text = caveats_text(r);
	json_t *note = *text ? json_string(text) : json_null();

	free(text);
	return note;
}
