// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "accuracy.h"
#include "control.h"
#include "table.h"

static uint64_t count(const char *stats, const char *name)
{
	uint64_t value = 0;

	return control_stat(stats, name, &value) ? value : 0;
}

uint64_t accuracy_counter(const char *stats, const char *name)
{
	return count(stats, name);
}

/* What was found to be wrong, or not to be known, may be so again. */
static uint64_t error_bytes(const char *stats)
{
	return count(stats, "untracked_bytes") +
	       count(stats, "implicit_bytes") + count(stats, "reaped_bytes");
}

static void print_holes(const char *stats)
{
	const char *line = stats;
	char name[64], state[16];
	int open = 0;

	for (; line; line = control_next_line(line))
		if (sscanf(line, "hole %63s %15s", name, state) == 2 &&
		    !strcmp(state, "open"))
			printf("%s%s",
			       open++ ? " " : "holes open on this kernel: ",
			       name);
	if (open)
		putchar('\n');
}

/* What could not be seen at all is in no figure. */
static bool is_bounded(const char *stats)
{
	return !strstr(stats, " open\n") && !count(stats, "missed_calls") &&
	       !count(stats, "unseen_nested");
}

void accuracy_print(const char *stats)
{
	char b[4][16];
	uint64_t missed =
		count(stats, "missed_calls") + count(stats, "unseen_nested");

	if (!*stats) {
		puts("error: not known, the file has no counters");
		return;
	}
	if (!count(stats, "accounting"))
		puts("accounting is off: the numbers stand still (/proc/sys/vm/mem_profiling)");
	if (missed)
		printf("%" PRIu64 " %s could not be seen\n", missed,
		       missed == 1 ? "call" : "calls");
	print_holes(stats);
	printf("error: at %s %s (untracked %s in %" PRIu64
	       ", implicit %s in %" PRIu64 ", reaped %s in %" PRIu64
	       "); unmatched: %" PRIu64 " frees and %" PRIu64
	       " pages, most from before the start\n",
	       is_bounded(stats) ? "most" : "least",
	       table_human(b[0], sizeof(b[0]), error_bytes(stats), 1),
	       table_human(b[1], sizeof(b[1]), count(stats, "untracked_bytes"),
			   1),
	       count(stats, "untracked_objects"),
	       table_human(b[2], sizeof(b[2]), count(stats, "implicit_bytes"),
			   1),
	       count(stats, "implicit_frees"),
	       table_human(b[3], sizeof(b[3]), count(stats, "reaped_bytes"), 1),
	       count(stats, "reaped_objects"), count(stats, "unmatched_frees"),
	       count(stats, "unmatched_pages"));
}

struct json_t *accuracy_json(const char *stats)
{
	static const char *const names[] = {
		"untracked_objects", "untracked_bytes", "implicit_frees",
		"implicit_bytes",    "reaped_objects",	"reaped_bytes",
		"unmatched_frees",   "unmatched_pages", "missed_calls",
		"unseen_nested",
	};
	json_t *error = json_object();
	size_t i;

	json_object_set_new(error, "bytes", json_integer(error_bytes(stats)));
	json_object_set_new(error, "is_bound", json_boolean(is_bounded(stats)));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		json_object_set_new(error, names[i],
				    json_integer(count(stats, names[i])));
	return error;
}

struct json_t *accuracy_json_holes(const char *stats)
{
	const char *line = stats;
	json_t *holes = json_object();
	char name[64], state[16];

	for (; line; line = control_next_line(line))
		if (sscanf(line, "hole %63s %15s", name, state) == 2)
			json_object_set_new(holes, name, json_string(state));
	return holes;
}
