// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/plural.h"
#include "base/textfile.h"
#include "report/losses.h"
#include "report/report.h"

/* --- details ------------------------------------------------------------------- */

static void print_value(const char *label, const char *key, const char *text)
{
	char value[256];

	if (input_value(text, key, value, sizeof(value)) && *value)
		table_print_fact(14, label, "%s", value);
}

/* Prints all values of a key that may occur several times. */
static void print_values(const char *label, const char *key,
			 const struct input *in)
{
	const char *line;

	for (line = in->meta; line; line = textfile_next_line(line))
		if (!strncmp(line, key, strlen(key)) &&
		    line[strlen(key)] == '=')
			print_value(label, key, line);
}

static const struct table_column kind_columns[] = {
	FIGURE_KIND, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_TOTAL_REQUESTED, FIGURE_TOTAL,
	FIGURE_TOTAL_WASTE_PERCENT, FIGURE_EVENT_RATE,
};

/* the types with at least one allocation or free */
struct kinds {
	const struct report *r;		/* the report */
	int type[ANALYSIS_TYPES];	/* the types */
	size_t count;			/* number of types */
};

static void kinds_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct kinds *k = arg;
	const struct analysis *a = &k->r->a;
	int type = k->type[i];

	row_text(cell, analysis_types[type]);
	row_number(cell, a->allocs[type]);
	row_number(cell, a->frees[type]);
	row_number(cell, a->req[type]);
	row_number(cell, a->alloc[type]);
	row_number(cell, report_tenths_wasted(a->alloc[type], a->req[type]));
	if (row_wants(cell))
		cell->number = (a->allocs[type] + a->frees[type]) / report_seconds(k->r);
}

static void print_kinds(const struct report *r)
{
	struct kinds k = { .r = r };
	int i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		if (r->a.allocs[i] || r->a.frees[i])
			k.type[k.count++] = i;
	putchar('\n');
	/* without times, there is no rate, which is the last column */
	table_print_text(kind_columns, TABLE_COLUMNS(kind_columns) - !(report_seconds(r) > 0),
			 k.count, kinds_cell, &k);
}

static void print_live(const struct report *r, FILE *out)
{
	char b[2][16];
	int i;

	if (r->no_live) {
		fprintf(out, "There are no live figures: %s.\n", r->no_live);
		return;
	}
	for (i = 0; i < SITE_KINDS; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		if (!s->objects && !s->implicit && !s->unmatched)
			continue;
		fprintf(out, "live %-6s %7s in %" PRIu64 " allocation%s, uncertain %s\n",
			site_total_names[i], table_human(b[0], 16, s->live, 1),
			s->objects, plural(s->objects),
			table_human(b[1], 16, report_uncertain(r, i), 1));
		if (s->implicit)
			fprintf(out, "            %" PRIu64 " free%s (%s) had no event; the address was used again\n",
				s->implicit, plural(s->implicit),
				table_human(b[0], 16, s->implicit_bytes, 1));
		if (s->unmatched)
			fprintf(out, "            %" PRIu64 " free%s of memory allocated before the recording, or by a path without an event\n",
				s->unmatched, plural(s->unmatched));
	}
	if (report_is_uncertain(r))
		fputs(r->tree ? "Events are missing: report --by stack shows the bounds of what is live.\n" :
				"Events are missing: the live bytes of a row are between LOW and HIGH.\n",
		      out);
	if (report_is_overwritten(r))
		fputs("Only the last records were kept: live may be off.\n", out);
	if (r->since)
		fputs("Live memory is memory that was allocated from --since on.\n", out);
	if (r->filter)
		fputs("Frees of allocations that match the filter count, whether they match or not.\n",
		      out);
	fputs(REPORT_KINDS_NOTE "\n"
	      "A free that the module could not see is known only once the address is used\n"
	      "again; live slab may be off by those (see \"hole\" in the module's file stats).\n",
	      out);
}

/* Prints the number of lost events of each CPU, from lines like "lost_events.cpu3=7". */
static void print_lossy_cpus(const struct report *r, FILE *out)
{
	bool recorded[TRACE_CPUS_MAX];
	const char *line = r->in.end;
	unsigned int cpu;
	uint64_t n;

	input_recorded(&r->in, recorded);
	for (; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "lost_events", '=', &cpu, &n) &&
		    n && cpu < TRACE_CPUS_MAX && recorded[cpu])
			fprintf(out, "     %" PRIu64 " of them on CPU %u\n", n, cpu);
}

static void print_other_counts(const struct report *r, FILE *out)
{
	uint64_t failed = 0;
	int i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		failed += r->a.failed[i];
	if (failed)
		fprintf(out, "%" PRIu64 " allocation%s failed\n", failed, plural(failed));
	fprintf(out, "%" PRIu64 " free%s on another CPU than the allocation, %" PRIu64
		" through another interface\n",
		r->a.remote_frees, plural(r->a.remote_frees), r->a.cross_frees);
}

/* These lines qualify all figures, so they are printed in any case. */
static void print_errors(const struct report *r, FILE *out)
{
	losses_write(&r->in, out);
	if (input_lost(&r->in) && !r->in.timed)
		print_lossy_cpus(r, out);
	losses_write_faults(&r->in, "NOTE: ", out);
}

static void print_events(const struct report *r)
{
	uint64_t events = merge_stats(r->in.merge)->events;
	char text[256], time[32] = "";

	if (report_seconds(r) > 0)
		snprintf(time, sizeof(time), " in %.3f s", report_seconds(r));
	if (!r->filter) {
		table_print_fact(14, "events", "%" PRIu64 "%s", events, time);
		return;
	}
	snprintf(text, sizeof(text), "%s", r->expression);
	table_clean(text);
	table_print_fact(14, "filter", "%s", text);
	table_print_fact(14, "events", "%" PRIu64 " of %" PRIu64 " match%s",
			 r->matched, events, time);
}

static const char *time_text(char to[32], uint64_t ns)
{
	snprintf(to, 32, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
		 ns % 1000000000);
	return to;
}

/* Prints the times of --since and --until, if given. */
static void print_times(const struct report *r)
{
	bool ends = r->in.last != UINT64_MAX;
	char first[32], last[32];

	if (!r->in.timed)
		return;
	table_print_fact(14, "from", "%s%s%s", time_text(first, r->in.first),
			 ends ? " to " : "",
			 ends ? time_text(last, r->in.last) : "");
}

/* all columns of the text before the keys, in their order */
static const enum column text_columns[] = {
	COL_LIVE,  COL_LOW, COL_HIGH,  COL_PEAK,  COL_OBJECTS, COL_ALLOCS,
	COL_FREES, COL_REQ, COL_ALLOC, COL_WASTE, COL_KIND,
};

#define TEXT_COLUMNS (sizeof(text_columns) / sizeof(text_columns[0]))

/* the columns of the text that are shown */
struct shown {
	struct report *r;			/* the report */
	size_t column[TEXT_COLUMNS + KEYS_MAX];	/* the columns of r->list */
	size_t count;				/* number of columns */
	/* index of the key BY_STACK; the number of keys if there is none */
	size_t stack;
	struct keys_frames frames;		/* the stack of the row whose lines are printed */
	char line[MEMO_TEXT_MAX + 8];		/* a line below a row */
};

static bool is_shown(const struct report *r, enum column column)
{
	switch (column) {
	case COL_LOW:
	case COL_HIGH:
		return report_is_uncertain(r);
	case COL_PEAK:
		return r->wants_peaks;
	default:
		return true;
	}
}

static void report_shown_cell(void *arg, size_t row, struct table_cell *cell)
{
	const struct shown *shown = arg;
	const struct listing *l = &shown->r->list;

	cell->before = shown->column[cell->before];
	l->get(l->arg, l->row[row], cell);
}

/* Below a row is its stack, from the second function on. */
static bool report_caller_line(void *arg, size_t row, size_t i, const char **line)
{
	struct shown *shown = arg;
	struct report *r = shown->r;
	struct keys_frames *f = &shown->frames;
	char symbol[MEMO_TEXT_MAX];

	if (shown->stack == r->keys.count)
		return false;
	if (!i)
		keys_frames(&r->keys, r->rows[r->list.row[row]], shown->stack,
			    f);
	if (i + 1 >= f->depth)
		return false;
	keys_symbol(&r->keys, f->callers[i + 1], f->places[i + 1], symbol,
		    sizeof(symbol));
	snprintf(shown->line, sizeof(shown->line), "<- %s", symbol);
	*line = shown->line;
	return true;
}

static void choose_columns(struct shown *shown)
{
	const struct report *r = shown->r;
	size_t i;

	if (r->view != VIEW_ROWS) {
		for (i = 0; i < listing_text_columns(&r->list); i++)
			shown->column[shown->count++] = i;
		return;
	}
	for (i = 0; i < TEXT_COLUMNS; i++)
		if (is_shown(r, text_columns[i]))
			shown->column[shown->count++] =
				report_column(r, text_columns[i]);
	for (i = 0; i < r->keys.count; i++)
		shown->column[shown->count++] = COL_NAME + i;
}

static void report_text_print_table(struct report *r)
{
	struct table_column columns[TEXT_COLUMNS + KEYS_MAX];
	struct shown shown = { .r = r };
	size_t i;

	if (r->view == VIEW_MATRIX && report_print_matrix(r))
		return;
	choose_columns(&shown);
	for (i = 0; i < shown.count; i++)
		columns[i] = r->columns[shown.column[i]];
	while (shown.stack < r->keys.count && (r->view == VIEW_MATRIX ||
	       r->keys.by[shown.stack] != BY_STACK))
		shown.stack++;
	table_print_tree(columns, shown.count, r->list.shown, report_shown_cell,
			 report_caller_line, &shown);
	table_print_left_out(r->list.nr_rows - r->list.shown);
}

/* --- below the table --------------------------------------------------------------- */

static void print_view(const struct report *r)
{
	switch (r->view) {
	case VIEW_ROWS:
		break;
	case VIEW_LIFETIMES:
		puts("NEVER: not freed up to the end. The percentiles take this into account; >T: longer than T.");
		if (r->a.frees_unseen)
			puts("Frees are missing: lifetimes are not known.");
		else if (r->a.lost)
			printf("%" PRIu64 " event%s lost: up to so many lifetimes are wrong or missing.\n",
			       r->a.lost, plural_was(r->a.lost));
		break;
	case VIEW_TEMPORARY:
		printf("TEMP: freed before the next %zu allocation%s on the same CPU\n",
		       r->within, plural(r->within));
		break;
	case VIEW_MATRIX:
		break;
	}
}

/* The moment of --at peak; with -v, the highest live memory up to the end. */
static void print_peak(const struct report *r, FILE *out)
{
	char bytes[16], time[32];

	if (!r->wants_peaks || r->no_live || !r->peaks.highest)
		return;
	table_human(bytes, sizeof(bytes), r->peaks.highest, 1);
	fputs(r->in_limit ? "This is the moment when live memory was highest" :
			    "Live memory was highest",
	      out);
	if (r->peaks.time)
		fprintf(out, ", at %s", time_text(time, r->peaks.time));
	fprintf(out, ": %s%s", bytes,
		r->peaks.lost ? ", after events were lost" : "");
	fprintf(out, "%s\n",
		peaks_mix(&r->peaks) ?
			" (slab pages and the objects on them both count)" :
			"");
}

/* What is live, and how far this may be wrong. */
static void print_accuracy(const struct report *r, FILE *out)
{
	print_live(r, out);
	print_other_counts(r, out);
	if (losses_none(&r->in))
		fputs("no event lost\n", out);
}

void report_title(const struct report *r, const char *path, char *to)
{
	char release[256] = "";
	bool known = input_value(r->in.meta, "release", release, sizeof(release));

	snprintf(to, REPORT_TITLE_MAX, "%s%s%s", path, known ? ", Linux " : "",
		 release);
	table_clean(to);
}

void report_words(const struct report *r, FILE *out)
{
	print_accuracy(r, out);
	print_peak(r, out);
	print_errors(r, out);
}

static void print_details(const struct report *r)
{
	print_value("kernel", "release", r->in.meta);
	print_value("machine", "hostname", r->in.meta);
	print_value("command", "command", r->in.meta);
	print_values("recorded if", "filter", &r->in);
	print_values("trigger", "trigger", &r->in);
	print_times(r);
	print_events(r);
	print_kinds(r);
	putchar('\n');
	print_accuracy(r, stdout);
}

static void print_live_briefly(const struct report *r)
{
	const char *before = "";
	char b[16];
	int i;

	if (r->no_live) {
		printf("There are no live figures: %s.\n", r->no_live);
		return;
	}
	printf(r->in_limit ? "live then: " : "live: ");
	for (i = 0; i < SITE_KINDS; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		if (!s->objects)
			continue;
		printf("%s%s %s in %" PRIu64 " allocation%s", before,
		       site_total_names[i], table_human(b, sizeof(b), s->live, 1),
		       s->objects, plural(s->objects));
		before = ", ";
	}
	printf("%s%s%s%s\n", *before ? "" : "nothing",
	       !report_is_uncertain(r) ? "" :
	       r->tree		       ? "; events are missing: --by stack shows the bounds" :
					 "; events are missing: a true value lies between LOW and HIGH",
	       report_is_overwritten(r) ? "; older records are missing" : "",
	       r->since ? "; allocated from --since on" : "");
}

static void print_briefly(const struct report *r)
{
	uint64_t events = merge_stats(r->in.merge)->events;

	print_values("recorded if", "filter", &r->in);
	print_live_briefly(r);
	if (r->filter)
		printf("%" PRIu64 " of ", r->matched);
	printf("%" PRIu64 " event%s%s", events, plural(events),
	       r->filter ? r->matched == 1 ? " matches" : " match" : "");
	if (report_seconds(r) > 0)
		printf(" in %.3f s", report_seconds(r));
	printf("%s; -v for details\n", losses_none(&r->in) ? ", no event lost" : "");
}

/* All rows then have "(no stack)" or "(not recorded)". */
static void print_lack(const struct report *r)
{
	const char *lack = keys_lack(&r->keys, &r->in);

	if (lack)
		printf("no record has the feature %s: record with --features +%s\n",
		       lack, lack);
}

/* What the numbers of some keys are. */
static void print_numbers(const struct report *r)
{
	if (keys_have(&r->keys, BY_NODE))
		puts("NODE: the NUMA node that the caller requested; -1: none, and pages and per-CPU memory always");
	if (r->keys.numbered)
		puts("CGROUP: a number is the inode of a directory whose path is not in the recording: find /sys/fs/cgroup -inum NUMBER");
}

void report_print_text(struct report *r)
{
	if (!r->tree)
		report_text_print_table(r);
	else
		report_print_tree(r);
	putchar('\n');
	print_view(r);
	if (r->verbose)
		print_details(r);
	else
		print_briefly(r);
	if (r->verbose || r->in_limit)
		print_peak(r, stdout);
	print_lack(r);
	print_numbers(r);
	print_errors(r, stdout);
}
