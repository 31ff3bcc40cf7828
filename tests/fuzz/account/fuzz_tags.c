// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a file of allocinfo --save. A form feed separates the current file from an
 * older one.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "account/tags.h"
#include "base/msg.h"
#include "command.h"
#include "commands.h"
#include "fuzz.h"

/* Check that each row has a valid kind and a location. */
static bool check_rows(const char *text)
{
	char why[256];
	struct tags tags;
	size_t i;
	int err = tags_parse(&tags, text, why, sizeof(why));

	FUZZ_MUST(!err || *why);
	for (i = 0; i < tags.rows.count; i++) {
		const struct site_row *t = &tags.rows.row[i];

		FUZZ_MUST((unsigned int)t->kind < SITE_KINDS);
		FUZZ_MUST(strstr(t->location, " func:"));
	}
	tags_free(&tags);
	return !err;
}

/* The difference of a file and itself is empty. */
static void check_same(const char *text)
{
	struct tags a, b;
	char why[256];

	tags_parse(&a, text, why, sizeof(why));
	tags_parse(&b, text, why, sizeof(why));
	tags_subtract(&a, &b);
	FUZZ_MUST(!a.rows.count);
	tags_free(&a);
	tags_free(&b);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	static const char *const sort[] = {"live", "waste", "oldest",
					   "site"};
	uint32_t options = crc32(0, data, size);
	const uint8_t *feed = memchr(data, '\f', size);
	size_t now = feed ? (size_t)(feed - data) : size;
	const char *path = commands_file(0, data, now), *then = NULL;
	const char *json = options & 1 ? "--json" : "--top=3";
	char *text = fuzz_text(data, now);
	bool good = check_rows(text);

	if (good)
		check_same(text);
	if (feed)
		then = commands_file(1, feed + 1, size - now - 1);
	if (commands_run(cmd_allocinfo, "allocinfo", "--input", path, json,
			 "--sort", sort[options / 2 % 4],
			 then ? "--diff" : NULL, then, NULL) == EXIT_DONE &&
	    options & 1)
		commands_json(false);
	free(text);
	return good;
}
