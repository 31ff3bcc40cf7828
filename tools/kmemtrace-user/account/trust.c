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

static bool is_on(const struct tags *tags)
{
	return trust_counter(tags, "accounting");
}

/* Return: for how many seconds accounting has been on; -1: this is not known. */
static double seconds_on(const struct tags *tags)
{
	uint64_t since = trust_counter(tags, "accounting_since_ns");
	uint64_t now = trust_counter(tags, "clock_ns");

	return is_on(tags) && since && now >= since ? (now - since) / 1e9 : -1;
}

/* An error that was found: @bytes and @count are counters, @label names them. */
static const struct reason {
	const char *label;
	const char *bytes;
	const char *count;
	const char *why;
} reasons[] = {
	{ "untracked", "untracked_bytes", "untracked_objects",
	  "allocations that a table had no room for" },
	{ "implicit", "implicit_bytes", "implicit_frees",
	  "frees noticed when the address was used again" },
	{ "reaped", "reaped_bytes", "reaped_objects",
	  "frees noticed when the slab was freed" },
};
#define REASONS (sizeof(reasons) / sizeof(*reasons))

/* " (untracked 2048 in 3, ...)": only those that are not 0. */
static void print_reasons(const struct tags *tags)
{
	const char *before = " (";
	uint64_t count;
	char b[20];
	size_t i;

	for (i = 0; i < REASONS; i++) {
		count = trust_counter(tags, reasons[i].count);
		if (!count)
			continue;
		printf("%s%s %s in %" PRIu64, before, reasons[i].label,
		       table_human(b, sizeof(b),
				   trust_counter(tags, reasons[i].bytes), true),
		       count);
		before = ", ";
	}
	if (*before == ',')
		putchar(')');
}

/* "; holes open on this kernel: NAME..." */
static void print_holes(const struct tags *tags)
{
	const char *line = tags->stats;
	char name[64], state[16];
	int open = 0;

	for (; line; line = textfile_next_line(line))
		if (sscanf(line, "hole %63s %15s", name, state) == 2 &&
		    !strcmp(state, "open"))
			printf("%s %s", open++ ? "" : "; holes open on this kernel:",
			       name);
}

static void print_error(const struct tags *tags)
{
	uint64_t unseen = unseen_calls(tags), error = error_bytes(tags);
	double on = seconds_on(tags);
	char b[20];

	if (is_bounded(tags) && !error) {
		fputs("live figures: exact since accounting was switched on",
		      stdout);
		if (on >= 0)
			printf(", %.0f s ago", on);
	} else {
		printf("live figures: off by at %s %s",
		       is_bounded(tags) ? "most" : "least",
		       table_human(b, sizeof(b), error, true));
		print_reasons(tags);
	}
	if (unseen)
		printf("; %" PRIu64 " %s not seen", unseen,
		       unseen == 1 ? "call was" : "calls were");
	print_holes(tags);
	putchar('\n');
}

static void print_all_reasons(const struct tags *tags)
{
	char b[20], count[32];
	size_t i;

	for (i = 0; i < REASONS; i++) {
		snprintf(count, sizeof(count), "%" PRIu64,
			 trust_counter(tags, reasons[i].count));
		printf("  %-10s %8s in %s %s\n", reasons[i].label,
		       table_human(b, sizeof(b),
				   trust_counter(tags, reasons[i].bytes), true),
		       count, reasons[i].why);
	}
	printf("  %-10s %" PRIu64 " frees and %" PRIu64
	       " pages, allocated before accounting was switched on, or not seen; no figure has them\n",
	       "unmatched", trust_counter(tags, "unmatched_frees"),
	       trust_counter(tags, "unmatched_pages"));
}

void trust_print(const struct tags *tags, bool verbose)
{
	if (!*tags->stats) {
		puts("live figures: their error is not known, the file has no counters");
		return;
	}
	print_error(tags);
	if (!is_on(tags))
		puts("accounting is off: the numbers stand still (/proc/sys/vm/mem_profiling)");
	if (verbose)
		print_all_reasons(tags);
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
