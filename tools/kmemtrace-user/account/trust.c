// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "account/trust.h"
#include "base/table.h"
#include "base/textfile.h"

uint64_t trust_counter(const struct tags *tags, const char *name)
{
	uint64_t value = 0;

	return textfile_number(tags->stats, name, &value) ? value : 0;
}

/* What was found to be wrong, or not to be known, may be so again. */
static uint64_t error_bytes(const struct tags *tags)
{
	return trust_counter(tags, "untracked_bytes") +
	       trust_counter(tags, "implicit_bytes") +
	       trust_counter(tags, "reaped_bytes");
}

static uint64_t unseen_calls(const struct tags *tags)
{
	return trust_counter(tags, "missed_calls") +
	       trust_counter(tags, "unseen_nested");
}

/* What could not be seen at all is in no figure. */
static bool is_bounded(const struct tags *tags)
{
	return !strstr(tags->stats, " open\n") && !unseen_calls(tags);
}

static void print_holes(const struct tags *tags)
{
	const char *line = tags->stats;
	char name[64], state[16];
	int open = 0;

	for (; line; line = textfile_next_line(line))
		if (sscanf(line, "hole %63s %15s", name, state) == 2 &&
		    !strcmp(state, "open"))
			printf("%s%s", open++ ? " " : "holes open on this kernel: ",
			       name);
	if (open)
		putchar('\n');
}

static const char *bytes_of(char to[20], const struct tags *tags,
			    const char *name)
{
	return table_human(to, 20, trust_counter(tags, name), true);
}

void trust_print(const struct tags *tags)
{
	uint64_t unseen = unseen_calls(tags);
	char b[4][20];

	if (!*tags->stats) {
		puts("error: not known, the file has no counters");
		return;
	}
	if (!trust_counter(tags, "accounting"))
		puts("accounting is off: the numbers stand still (/proc/sys/vm/mem_profiling)");
	if (unseen)
		printf("%" PRIu64 " %s could not be seen\n", unseen,
		       unseen == 1 ? "call" : "calls");
	print_holes(tags);
	printf("error: at %s %s (untracked %s in %" PRIu64
	       ", implicit %s in %" PRIu64 ", reaped %s in %" PRIu64
	       "); unmatched: %" PRIu64 " frees and %" PRIu64
	       " pages, allocated before the start or unseen\n",
	       is_bounded(tags) ? "most" : "least",
	       table_human(b[0], sizeof(b[0]), error_bytes(tags), true),
	       bytes_of(b[1], tags, "untracked_bytes"),
	       trust_counter(tags, "untracked_objects"),
	       bytes_of(b[2], tags, "implicit_bytes"),
	       trust_counter(tags, "implicit_frees"),
	       bytes_of(b[3], tags, "reaped_bytes"),
	       trust_counter(tags, "reaped_objects"),
	       trust_counter(tags, "unmatched_frees"),
	       trust_counter(tags, "unmatched_pages"));
}

json_t *trust_json(const struct tags *tags)
{
	static const char *const names[] = {
		"untracked_objects", "untracked_bytes", "implicit_frees",
		"implicit_bytes",    "reaped_objects",	"reaped_bytes",
		"unmatched_frees",   "unmatched_pages", "missed_calls",
		"unseen_nested",
	};
	json_t *error = json_object();
	size_t i;

	json_object_set_new(error, "bytes", json_integer(error_bytes(tags)));
	json_object_set_new(error, "is_bound", json_boolean(is_bounded(tags)));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		json_object_set_new(error, names[i],
				    json_integer(trust_counter(tags, names[i])));
	return error;
}

json_t *trust_json_holes(const struct tags *tags)
{
	const char *line = tags->stats;
	json_t *holes = json_object();
	char name[64], state[16];

	for (; line; line = textfile_next_line(line))
		if (sscanf(line, "hole %63s %15s", name, state) == 2)
			json_object_set_new(holes, name, json_string(state));
	return holes;
}
