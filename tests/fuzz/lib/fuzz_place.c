// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as rows of the file codetags. An accepted row must fit into the module, and
 * must be the same row after it is printed and parsed again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kmt_place.h"

/* Print the row as the module does, and parse it again. */
static void check_again(const struct kmt_place *p)
{
	char row[512], *text = row;
	struct kmt_place q;

	FUZZ_MUST((size_t)snprintf(row, sizeof(row), "0x%" PRIx64 " %s:%u %s\n",
				   p->site, p->file, p->line,
				   p->function) < sizeof(row));
	FUZZ_MUST(kmt_place_next(&text, &q) == KMT_PLACE_ROW);
	FUZZ_MUST(q.site == p->site && q.line == p->line);
	FUZZ_MUST(!strcmp(q.file, p->file) && !strcmp(q.function, p->function));
	FUZZ_MUST(kmt_place_next(&text, &q) == KMT_PLACE_NONE);
}

static void check(const struct kmt_place *p)
{
	FUZZ_MUST(p->site);
	FUZZ_MUST(*p->file && strlen(p->file) <= KMT_PLACE_FILE_MAX);
	FUZZ_MUST(*p->function &&
		  strlen(p->function) <= KMT_PLACE_FUNCTION_MAX);
	FUZZ_MUST(!strpbrk(p->file, " \t\n") && !strpbrk(p->function, " \t\n"));
	check_again(p);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *all = fuzz_text(data, size), *text = all;
	enum kmt_place_result result;
	struct kmt_place place;
	bool any = false;

	while ((result = kmt_place_next(&text, &place)) == KMT_PLACE_ROW) {
		check(&place);
		any = true;
	}
	free(all);
	return any;
}
