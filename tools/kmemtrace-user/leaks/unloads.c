// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "account/trust.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/plural.h"
#include "base/progress.h"
#include "base/table.h"
#include "base/textfile.h"
#include "leaks/unloads.h"

/* The module counts what is left after 10 s, and looks once a second. */
#define WAIT_TRIES 26
#define WAIT_STEP  0.5

int unloads_wait(uint64_t *count)
{
	struct progress progress;
	uint64_t pending = 1;
	struct tags tags;
	int tries, err = 0;

	progress_start(&progress, "s until modules that were unloaded are judged", 0);
	for (tries = 0; !err && pending && tries < WAIT_TRIES; tries++) {
		if (tries)
			clock_wait_until(clock_now() + WAIT_STEP);
		progress_step(&progress, tries * WAIT_STEP);
		err = tags_read_quick(&tags, NULL);
		pending = err ? 0 : trust_counter(&tags, "unloads_pending");
		if (count)
			*count = err ? 0 : trust_counter(&tags, "unload_leaks");
		tags_free(&tags);
	}
	progress_end(&progress);
	return err ? -1 : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct unload *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* @location: from xmalloc(); it is the row's afterwards */
static void add_leak(struct unloads *u, char *location, uint64_t bytes, uint64_t objects)
{
	size_t i;

	array_reserve(u->row, u->count);
	for (i = 0; i < u->count && strcmp(u->row[i].location, location); i++)
		;
	if (i == u->count)
		u->row[u->count++] = (struct unload){ .location = location };
	else
		free(location);
	u->row[i].bytes += bytes;
	u->row[i].objects += objects;
	u->row[i].times++;
}

/* Return: where the location of a leak begins in the line; 0 if it is not such a line. */
static int parse_leak(const char *line, uint64_t *bytes, uint64_t *objects)
{
	int at = 0;

	textfile_scan(line, "unload_leak %" SCNu64 " bytes %" SCNu64 " objects oldest_s %*u %n",
		      bytes, objects, &at);
	return at;
}

/* The module lists the newest leaks. */
void unloads_read(struct unloads *u, const char *stats, uint64_t before)
{
	uint64_t all = 0, number, bytes, objects;
	const char *line;
	char *text, *location;
	int at;

	*u = (struct unloads){ 0 };
	textfile_number(stats, "unload_leaks", &all);
	number = all;
	for (line = stats; line; line = textfile_next_line(line))
		number -= number && parse_leak(line, &bytes, &objects);
	u->unlisted = number > before ? number - before : 0;
	for (line = stats; line; line = textfile_next_line(line)) {
		at = parse_leak(line, &bytes, &objects);
		if (!at || number++ < before)
			continue;
		text = xstrndup(line + at, strcspn(line + at, "\n"));
		location = tags_location(text);
		free(text);
		add_leak(u, location, bytes, objects);
	}
	if (u->count)
		qsort(u->row, u->count, sizeof(*u->row), by_bytes);
}

void unloads_print(const struct unloads *u)
{
	char b[20];
	size_t i;

	if (u->count || u->unlisted)
		puts("modules left memory when they were unloaded:");
	for (i = 0; i < u->count; i++)
		printf("  %s in %" PRIu64 " object%s, %" PRIu64 " time%s: %s\n",
		       table_human(b, sizeof(b), u->row[i].bytes, 1), u->row[i].objects,
		       plural(u->row[i].objects), u->row[i].times, plural(u->row[i].times),
		       u->row[i].location);
	if (u->unlisted)
		printf("  and %" PRIu64 " time%s that the module does not list\n", u->unlisted,
		       plural(u->unlisted));
}

void unloads_json(json_t *to, const struct unloads *u)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < u->count; i++)
		json_array_append_new(rows, json_pack("{s:I,s:I,s:I,s:s}", "live",
						      (json_int_t)u->row[i].bytes, "objects",
						      (json_int_t)u->row[i].objects, "times",
						      (json_int_t)u->row[i].times, "site",
						      u->row[i].location));
	json_object_set_new(to, "unload_leaks", rows);
	json_object_set_new(to, "unload_leaks_unlisted", json_integer(u->unlisted));
}

void unloads_free(struct unloads *u)
{
	size_t i;

	for (i = 0; i < u->count; i++)
		free(u->row[i].location);
	free(u->row);
}
