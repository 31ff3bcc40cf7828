// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "account/trust.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/textfile.h"

uint64_t trust_counter(const struct tags *tags, const char *name)
{
	uint64_t value = 0;

	return textfile_number(tags->stats, name, &value) ? value : 0;
}

/* Return: bytes of all known errors. */
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

/* If the counter is missing, nothing is known about it. */
static bool is_off(const struct tags *tags)
{
	uint64_t on;

	return textfile_number(tags->stats, "accounting", &on) && !on;
}

/*
 * Return: false if calls were not seen while accounting was on: a hole is open, or calls were
 * missed. The figures do not include these calls, so the error has no known upper limit.
 */
static bool is_bounded(const struct tags *tags)
{
	return !strstr(tags->stats, " open\n") && !unseen_calls(tags);
}

static bool has_error(const struct tags *tags)
{
	return !is_bounded(tags) || error_bytes(tags);
}

bool trust_is_exact(const struct tags *tags)
{
	return *tags->stats && !is_off(tags) && !has_error(tags);
}

double trust_seconds_on(const struct tags *tags)
{
	uint64_t since, now;

	if (!trust_counter(tags, "accounting") ||
	    !textfile_number(tags->stats, "accounting_since_ns", &since) ||
	    !textfile_number(tags->stats, "clock_ns", &now) || now < since)
		return -1;
	return (now - since) / 1e9;
}

/* The kinds of known errors. @bytes and @count are names of counters. */
static const struct reason {
	const char *label;
	const char *bytes;
	const char *count;
	const char *noun;
	const char *why;
} reasons[] = {
	{ "untracked", "untracked_bytes", "untracked_objects",
	  "allocation", "that a table had no room for" },
	{ "implicit", "implicit_bytes", "implicit_frees",
	  "free", "noticed when the address was used again" },
	{ "reaped", "reaped_bytes", "reaped_objects",
	  "free", "noticed when the slab was freed" },
};
#define REASONS (sizeof(reasons) / sizeof(*reasons))

/* Print " (untracked 2048 in 3, ...)", without errors whose count is 0. */
static void print_reasons(const struct tags *tags, FILE *out)
{
	const char *before = " (";
	uint64_t count;
	char b[20];
	size_t i;

	for (i = 0; i < REASONS; i++) {
		count = trust_counter(tags, reasons[i].count);
		if (!count)
			continue;
		fprintf(out, "%s%s %s in %" PRIu64, before, reasons[i].label,
			table_human(b, sizeof(b),
				    trust_counter(tags, reasons[i].bytes), true),
			count);
		before = ", ";
	}
	if (*before == ',')
		fputc(')', out);
}

struct hole {
	char name[64];
	char state[16];
};

/* Read the next line "hole NAME STATE". Return: false if there is none. */
static bool next_hole(const char **line, struct hole *hole)
{
	bool found = false;

	while (*line && !found) {
		found = textfile_scan(*line, "hole %63s %15s", hole->name,
				      hole->state) == 2;
		*line = textfile_next_line(*line);
	}
	return found;
}

/* Print "; holes open on this kernel: NAME...", if there are any. */
static void print_holes(const struct tags *tags, FILE *out)
{
	const char *line = tags->stats;
	struct hole hole;
	int open = 0;

	while (next_hole(&line, &hole))
		if (!strcmp(hole.state, "open"))
			fprintf(out, "%s %s",
				open++ ? "" : "; holes open on this kernel:",
				hole.name);
}

static void print_bound(const struct tags *tags, FILE *out)
{
	char b[20];

	fprintf(out, "off by at %s %s", is_bounded(tags) ? "most" : "least",
		table_human(b, sizeof(b), error_bytes(tags), true));
	print_reasons(tags, out);
}

/*
 * The tables whose size a parameter sets, and the counters that are not 0 if one was full. The
 * second one is that of the moment: otherwise, memory may have been short.
 */
static const struct {
	const char *title;
	const char *refused;
	const char *full;
	const char *parameter;
} tables[] = {
	{ "objects", "objects_refused", "objects_refused", "max_objects" },
	{ "classes", "classes_refused", "classes_full", "max_tags" },
};

/* Print "; the table of objects was full: load the module with a larger max_objects= (now 9)". */
static void print_tables(const struct tags *tags, FILE *out)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (trust_counter(tags, tables[i].refused) && trust_counter(tags, tables[i].full))
			fprintf(out, "; the table of %s was full: load the module with a larger %s= (now %" PRIu64 ")",
				tables[i].title, tables[i].parameter,
				trust_counter(tags, tables[i].parameter));
	if (trust_counter(tags, "caches_refused"))
		fputs("; by cache, the row (other) is all caches that got no number", out);
}

static void print_error(const struct tags *tags, FILE *out)
{
	uint64_t unseen = unseen_calls(tags);
	double on = trust_seconds_on(tags);

	if (trust_is_exact(tags)) {
		fputs("live figures: exact since accounting was switched on", out);
		if (on >= 0)
			fprintf(out, ", %.0f s ago", on);
	} else if (is_off(tags)) {
		fputs("live figures: those of the moment when accounting was switched off", out);
		if (has_error(tags)) {
			fputs(", and ", out);
			print_bound(tags, out);
		}
		fputs("; " TRUST_SWITCH_ON, out);
	} else {
		fputs("live figures: ", out);
		print_bound(tags, out);
	}
	if (unseen)
		fprintf(out, "; %" PRIu64 " %s not seen", unseen,
			unseen == 1 ? "call was" : "calls were");
	print_tables(tags, out);
	print_holes(tags, out);
	fputc('\n', out);
}

/*
 * Only switching accounting off stops a survey; switching it on begins another one.
 * Return: why the survey did not see all memory; NULL if it did.
 */
static const char *why_incomplete(const struct tags *tags)
{
	if (trust_counter(tags, "survey_running"))
		return "the survey is running";
	if (trust_counter(tags, "survey_complete"))
		return NULL;
	if (is_off(tags))
		return "switching accounting off has stopped the survey";
	return "the survey could not read the lists of free pages of all CPUs (memory may have gone offline at that time); to repeat it, switch accounting off and on (/proc/sys/vm/mem_profiling)";
}

/* The slabs that the survey could not charge exactly. */
static void print_survey_slabs(const struct tags *tags, FILE *out)
{
	uint64_t untracked = trust_counter(tags, "survey_untracked_slabs");
	uint64_t unread = trust_counter(tags, "survey_unread_slabs");

	if (untracked)
		fprintf(out, "rows earlier/: the objects of %" PRIu64 " slab%s are missing, because their layout is not known, or there was no memory to track them (mem_profiling=1,compressed tracks none)\n",
			untracked, plural(untracked));
	if (unread)
		fprintf(out, "rows earlier/: the free objects of %" PRIu64 " slab%s count as well, because the list of free objects changed while the survey read it\n",
			unread, plural(unread));
}

/* The rows of memory that was allocated before accounting was switched on. */
static void print_survey(const struct tags *tags, FILE *out)
{
	const char *why = why_incomplete(tags);
	char b[20];

	if (!trust_counter(tags, "survey"))
		return;
	if (why)
		fprintf(out, "rows earlier/: incomplete, because %s\n", why);
	else if (trust_counter(tags, "survey_cpu_lists"))
		fputs("rows earlier/: allocated before accounting was switched on\n", out);
	else
		fprintf(out, "rows earlier/: allocated before; those of slab caches may include free objects that CPUs keep (%s corrected so far)\n",
			table_human(b, sizeof(b),
				    trust_counter(tags, "survey_corrected_bytes"), true));
	print_survey_slabs(tags, out);
}

void trust_write(const struct tags *tags, FILE *out)
{
	if (!*tags->stats) {
		fputs("live figures: the error is unknown, because the file has no counters\n",
		      out);
		return;
	}
	print_error(tags, out);
	print_survey(tags, out);
}

void trust_write_reasons(const struct tags *tags, FILE *out)
{
	char b[20];
	size_t i;

	for (i = 0; i < REASONS; i++)
		fprintf(out, "  %-10s %8s in %" PRIu64 " %s%s %s\n", reasons[i].label,
			table_human(b, sizeof(b),
				    trust_counter(tags, reasons[i].bytes), true),
			trust_counter(tags, reasons[i].count), reasons[i].noun,
			plural(trust_counter(tags, reasons[i].count)), reasons[i].why);
	fprintf(out,
		"  %-10s %" PRIu64 " free%s and %" PRIu64
		" page%s, allocated before accounting was switched on, or not seen; no figure includes them\n",
		"unmatched", trust_counter(tags, "unmatched_frees"),
		plural(trust_counter(tags, "unmatched_frees")),
		trust_counter(tags, "unmatched_pages"),
		plural(trust_counter(tags, "unmatched_pages")));
}

void trust_print(const struct tags *tags, bool verbose)
{
	trust_write(tags, stdout);
	if (*tags->stats && verbose)
		trust_write_reasons(tags, stdout);
}

struct trust_changes trust_changes(const struct tags *old,
				   const struct tags *now)
{
	return (struct trust_changes){
		.is_known = *old->stats && *now->stats && !tags_other_base(now, old),
		.is_bound = is_bounded(old) && is_bounded(now),
		.bytes = error_bytes(old) + error_bytes(now),
	};
}

void trust_print_changes(const struct tags *old, const struct tags *now,
			 bool verbose)
{
	struct trust_changes t = trust_changes(old, now);
	char b[20];

	if (!t.is_known)
		puts("changes: their error is not known");
	else if (t.is_bound && !t.bytes)
		puts("changes: exact");
	else
		printf("changes: off by at %s %s, the sum of both sides\n",
		       t.is_bound ? "most" : "least",
		       table_human(b, sizeof(b), t.bytes, true));
	if (*old->stats) {
		fputs("old ", stdout);
		print_error(old, stdout);
		if (verbose)
			trust_write_reasons(old, stdout);
	}
	fputs("new ", stdout);
	trust_print(now, verbose);
}

json_t *trust_json(const struct tags *tags)
{
	static const char *const names[] = {
		"untracked_objects", "untracked_bytes", "implicit_frees",
		"implicit_bytes",    "reaped_objects",	"reaped_bytes",
		"unmatched_frees",   "unmatched_pages", "missed_calls",
		"unseen_nested",     "survey_untracked_slabs", "survey_unread_slabs",
	};
	json_t *error = json_object();
	size_t i;

	json_object_set_new(error, "bytes", json_integer(error_bytes(tags)));
	json_object_set_new(error, "is_bound", json_boolean(is_bounded(tags)));
	json_object_set_new(error, "is_surveyed",
			    json_boolean(trust_counter(tags, "survey") && !why_incomplete(tags)));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		json_object_set_new(error, names[i],
				    json_integer(trust_counter(tags, names[i])));
	return error;
}

json_t *trust_json_holes(const struct tags *tags)
{
	const char *line = tags->stats;
	json_t *holes = json_object();
	struct hole hole;

	while (next_hole(&line, &hole))
		json_object_set_new(holes, hole.name, json_string(hole.state));
	return holes;
}
