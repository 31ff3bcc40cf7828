// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/caches.h"
#include "base/array.h"
#include "base/die.h"
#include "base/table.h"

/* The name of a cache may contain blanks, but its numbers are the last two words. */
static bool parse_row(struct site_rows *rows, char *line)
{
	char *objects, *bytes = strrchr(line, ' ');
	struct figures f = { .oldest_ms = -1 };
	int end[2] = { 0, 0 };

	if (!bytes)
		return false;
	*bytes++ = '\0';
	objects = strrchr(line, ' ');
	if (!objects || objects == line)
		return false;
	*objects++ = '\0';
	if (sscanf(objects, "%" SCNd64 "%n", &f.objects, &end[0]) != 1 ||
	    sscanf(bytes, "%" SCNd64 "%n", &f.bytes, &end[1]) != 1 ||
	    objects[end[0]] || bytes[end[1]])
		return false;
	table_clean(line);
	site_rows_add(rows, SITE_SLAB, xstrdup(line))->f = f;
	return true;
}

int caches_parse(struct tags *tags, const char *text, char *why, size_t size)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	size_t number = 0;
	int err = 0;

	memset(tags, 0, sizeof(*tags));
	tags->stats = xstrdup("");
	while (!err && (line = strsep(&rest, "\n"))) {
		number++;
		if (!*line || parse_row(&tags->rows, line))
			continue;
		snprintf(why, size, "line %zu is no row of caches_live", number);
		err = -EINVAL;
	}
	free(copy);
	return err;
}

int caches_read_module(struct tags *tags, char *why, size_t size)
{
	return tags_read_file(tags, "caches_live", caches_parse, why, size);
}
