// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "command.h"
#include "control.h"
#include "event_filter.h"
#include "input.h"
#include "msg.h"
#include "options.h"
#include "table.h"
#include "threads.h"
#include "when.h"

static const char help[] =
	"Usage: kmemtrace-user report [OPTION]... FILE\n"
	"       kmemtrace-user report [OPTION]... cpu0.out cpu1.out...\n\n"
	"Shows who allocated what in a recording, or in raw cpu<n> files.\n\n"
	"  -b, --by KEY     one row for each: site (default), cache, kind, gfp, order,\n"
	"                   node, cpu, size, process (needs the feature task)\n"
	"  -s, --sort COL   largest first: live (default), objects, allocs, frees, req,\n"
	"                   alloc, waste, waste_bytes, failed, remote_frees, implicit\n"
	"  -n, --top N      this many rows; 0 is all; default 20\n"
	"  -f, --filter EXPR\n"
	"                   only records that match, as 'bytes_req > 4K && cpu == 1'\n"
	WHEN_HELP
	"      --raw-ip     addresses instead of symbols\n"
	"      --json       everything, as JSON\n"
	"      --csv        the table, as CSV\n"
	"  -h, --help       this text\n";

static const char *const type_names[ANALYSIS_TYPES] = { "kmalloc", "cache",
							"pages", "percpu" };
static const char *const by_names[] = { "site", "cache", "kind", "gfp",
					"order", "node", "cpu",	 "size",
					"process" };
static const char *const class_names[CLASSES] = { "slab", "pages", "percpu" };

enum column {
	COL_LIVE,
	COL_OBJECTS,
	COL_ALLOCS,
	COL_FREES,
	COL_REQ,
	COL_ALLOC,
	COL_WASTE,
	COL_KIND,
	COL_NAME,
	COLS_TEXT, /* the columns up to here are in the text */
	COL_WASTE_BYTES = COLS_TEXT,
	COL_LIVE_REQ,
	COL_FAILED,
	COL_REMOTE,
	COL_IMPLICIT,
	COLS,
};

static struct table_column columns[COLS] = {
	[COL_LIVE] = { "LIVE", "live", TABLE_BYTES, 6 },
	[COL_OBJECTS] = { "OBJECTS", "objects", TABLE_COUNT, 7 },
	[COL_ALLOCS] = { "ALLOCS", "allocs", TABLE_COUNT, 6 },
	[COL_FREES] = { "FREES", "frees", TABLE_COUNT, 6 },
	[COL_REQ] = { "REQ", "req", TABLE_BYTES, 6 },
	[COL_ALLOC] = { "ALLOC", "alloc", TABLE_BYTES, 6 },
	[COL_WASTE] = { "WASTE", "waste", TABLE_PERCENT, 6 },
	[COL_KIND] = { "KIND", "kind", TABLE_STRING, 7 },
	[COL_NAME] = { "SITE", "site", TABLE_STRING, 0 },
	[COL_WASTE_BYTES] = { "WASTED", "waste_bytes", TABLE_BYTES, 6 },
	[COL_LIVE_REQ] = { "LIVEREQ", "live_req", TABLE_BYTES, 7 },
	[COL_FAILED] = { "FAILED", "failed", TABLE_COUNT, 6 },
	[COL_REMOTE] = { "REMOTE", "remote_frees", TABLE_COUNT, 6 },
	[COL_IMPLICIT] = { "IMPLICIT", "implicit", TABLE_COUNT, 8 },
};

struct report {
	enum analysis_by by;
	enum column sort;
	size_t top;
	bool raw_ip;
	enum table_format format;
	const char *expression; /* of --filter; NULL: all records count */
	const char *since;
	const char *until;
	struct event_filter *filter;
	uint64_t matched;
	struct input in;
	struct analysis a;
	struct pidnames processes;
	const struct group **rows;
	size_t nr_rows;
};

/* --- the table --------------------------------------------------------------- */

/* Less allocated than requested is a violation, but has no waste. */
static uint64_t wasted(uint64_t alloc, uint64_t req)
{
	return alloc > req ? alloc - req : 0;
}

static uint64_t tenths_wasted(uint64_t alloc, uint64_t req)
{
	return alloc ? 1000.0 * wasted(alloc, req) / alloc + 0.5 : 0;
}

static uint64_t group_number(const struct group *g, enum column column)
{
	switch (column) {
	case COL_LIVE:
		return group_live(g);
	case COL_OBJECTS:
		return group_objects(g);
	case COL_ALLOCS:
		return g->allocs;
	case COL_FREES:
		return g->frees;
	case COL_REQ:
		return g->req;
	case COL_ALLOC:
		return g->alloc;
	case COL_WASTE:
		return tenths_wasted(g->alloc, g->req);
	case COL_WASTE_BYTES:
		return wasted(g->alloc, g->req);
	case COL_LIVE_REQ:
		return group_live_req(g);
	case COL_FAILED:
		return g->failed;
	case COL_REMOTE:
		return g->remote_frees;
	case COL_IMPLICIT:
		return g->implicit;
	default:
		return 0;
	}
}

static void group_name(struct report *r, const struct group *g, char *to,
		       size_t size)
{
	switch (r->by) {
	case BY_SITE:
		if (r->raw_ip)
			snprintf(to, size, "0x%" PRIx64, g->key);
		else
			names_symbol(r->in.names, g->key, g->place, to,
				     size);
		break;
	case BY_CACHE:
		if (g->type == KMEMTRACE_TYPE_CACHE)
			names_cache(r->in.names, g->key, to, size);
		else
			snprintf(to, size, "%s-%" PRIu64, type_names[g->type],
				 g->key);
		break;
	case BY_KIND:
		snprintf(to, size, "%s", type_names[g->type]);
		break;
	case BY_GFP:
		names_gfp(r->in.names, g->key, to, size);
		break;
	case BY_PROCESS:
		threads_name(&r->processes, g->key, to, size);
		break;
	case BY_NODE:
		snprintf(to, size, "%" PRId32, (int32_t)g->key);
		break;
	default:
		snprintf(to, size, "%" PRIu64, g->key);
	}
}

static void clean_name(struct report *r, const struct group *g, char *to,
		       size_t size)
{
	group_name(r, g, to, size);
	table_clean(to);
}

static void get_cell(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	struct report *r = arg;
	const struct group *g = r->rows[row];

	if (column == COL_KIND)
		snprintf(cell->string, sizeof(cell->string), "%s",
			 type_names[g->type]);
	else if (column == COL_NAME)
		clean_name(r, g, cell->string, sizeof(cell->string));
	else
		cell->number = group_number(g, column);
}

static enum column sort_column;

static int by_column(const void *x, const void *y)
{
	const struct group *a = *(const struct group **)x;
	const struct group *b = *(const struct group **)y;
	uint64_t m = group_number(a, sort_column);
	uint64_t n = group_number(b, sort_column);

	if (m != n)
		return m < n ? 1 : -1;
	if (a->alloc != b->alloc)
		return a->alloc < b->alloc ? 1 : -1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->type != b->type ? a->type - b->type : a->place - b->place;
}

static bool sort_rows(struct report *r)
{
	size_t i;

	r->nr_rows = r->a.groups.count;
	r->rows = calloc(r->nr_rows + 1, sizeof(*r->rows));
	if (!r->rows)
		return false;
	for (i = 0; i < r->nr_rows; i++)
		r->rows[i] = &r->a.groups.groups[i];
	sort_column = r->sort;
	qsort(r->rows, r->nr_rows, sizeof(*r->rows), by_column);
	if (r->top && r->top < r->nr_rows)
		r->nr_rows = r->top;
	return true;
}

/* --- the summary --------------------------------------------------------------- */

static double span_seconds(const struct report *r)
{
	return r->a.has_time ? (r->a.time_last - r->a.time_first) / 1e9 : 0;
}

/*
 * How much of a live figure is known to be uncertain. Lost records: a lost
 * free leaves one allocation too many, a lost allocation one too few; either
 * is taken to be the largest that was seen of the class. Frees that have no
 * event: they show only where the address is used again; what else is live at
 * such call sites may be free by now as well. Frees that went unseen at call
 * sites where none has shown yet are in neither, so that this is no bound on
 * the error; the text below the figures says so. The module hooks those
 * functions that free without a tracepoint, as far as the kernel allows.
 */
static uint64_t uncertain(const struct report *r, enum analysis_class class)
{
	const struct analysis_class_sums *s = &r->a.sums[class];

	return s->uncertain + input_lost(&r->in) * s->largest;
}

static void print_value(const char *label, const char *key, const char *text)
{
	char value[256];

	if (input_value(text, key, value, sizeof(value)) && *value)
		printf("%-14s %s\n", label, value);
}

/* A key that may be there several times. */
static void print_values(const char *label, const char *key,
			 const struct input *in)
{
	const char *line;

	for (line = in->meta; line; line = control_next_line(line))
		if (!strncmp(line, key, strlen(key)) &&
		    line[strlen(key)] == '=')
			print_value(label, key, line);
}

static void print_kinds(const struct report *r)
{
	const struct analysis *a = &r->a;
	double seconds = span_seconds(r);
	uint64_t waste;
	char b[3][16];
	int i;

	printf("\n%-8s %9s %9s %8s %8s %6s", "KIND", "ALLOCS", "FREES", "REQ",
	       "ALLOC", "WASTE");
	puts(seconds > 0 ? "  EVENTS/S" : "");
	for (i = 0; i < ANALYSIS_TYPES; i++) {
		if (!a->allocs[i] && !a->frees[i])
			continue;
		waste = tenths_wasted(a->alloc[i], a->req[i]);
		printf("%-8s %9" PRIu64 " %9" PRIu64 " %8s %8s %3" PRIu64
		       ".%" PRIu64 "%%",
		       type_names[i], a->allocs[i], a->frees[i],
		       table_human(b[0], 16, a->req[i], 1),
		       table_human(b[1], 16, a->alloc[i], 1),
		       waste / 10, waste % 10);
		if (seconds > 0)
			printf(" %9s",
			       table_human(b[2], 16,
					   (a->allocs[i] + a->frees[i]) /
						   seconds,
					   0));
		putchar('\n');
	}
}

/* Whether older records are not there any more. */
static bool is_overwritten(const struct report *r)
{
	uint64_t overwritten = 1, exchanged = 1;

	input_number(r->in.end, "overwritten", &overwritten);
	input_number(r->in.end, "exchanged", &exchanged);
	return input_kept(&r->in) && (overwritten || exchanged);
}

static void print_live(const struct report *r)
{
	char b[2][16];
	int i;

	putchar('\n');
	for (i = 0; i < CLASSES; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		if (!s->objects && !s->implicit && !s->unmatched)
			continue;
		printf("live %-6s %7s in %" PRIu64 " allocations, uncertain %s\n",
		       class_names[i], table_human(b[0], 16, s->live, 1),
		       s->objects,
		       table_human(b[1], 16, uncertain(r, i), 1));
		if (s->implicit)
			printf("            %" PRIu64 " frees (%s) had no event; the address was used again\n",
			       s->implicit,
			       table_human(b[0], 16, s->implicit_bytes, 1));
		if (s->unmatched)
			printf("            %" PRIu64 " frees of what was allocated before, or without an event\n",
			       s->unmatched);
	}
	if (is_overwritten(r))
		puts("Only the last records were kept: live may be off.");
	if (r->since)
		puts("Live is what was allocated from --since on.");
	if (r->filter)
		puts("Frees that do not match the filter are not seen: live may be too much.");
	puts("Pages include those of slabs and of large kmallocs: do not add the lines up.\n"
	     "A free that the module could not see is known only once the address is used\n"
	     "again; live slab may be off by those (see \"hole\" in the module's file stats).");
}

/* "lost_events.cpu3=7": which CPUs they were on. */
static void print_lossy_cpus(const struct report *r)
{
	static const char key[] = "lost_events.cpu";
	const char *line = r->in.end;
	char *end;

	for (; line; line = control_next_line(line)) {
		unsigned long cpu, n;

		if (strncmp(line, key, strlen(key)))
			continue;
		cpu = strtoul(line + strlen(key), &end, 10);
		n = *end == '=' ? strtoul(end + 1, NULL, 10) : 0;
		if (n)
			printf("     %lu of them on CPU %lu\n", n, cpu);
	}
}

static void print_losses(const struct report *r)
{
	const struct merge_stats *s = merge_stats(r->in.merge);
	const char *ending = input_ending(&r->in);
	uint64_t n = input_lost(&r->in), failed = 0;
	int i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		failed += r->a.failed[i];
	if (failed)
		printf("%" PRIu64 " allocations failed\n", failed);
	printf("%" PRIu64 " frees on another CPU than the allocation, %" PRIu64
	       " through another interface\n",
	       r->a.remote_frees, r->a.cross_frees);
	if (input_partial(&r->in))
		printf("only some CPUs were recorded: frees on others were not seen\n");
	if (n) {
		printf("LOST %" PRIu64 " events in %" PRIu64
		       " gaps, up to %" PRIu64 " in a row\n",
		       n, s->gaps, s->worst_gap);
		if (!r->in.timed)
			print_lossy_cpus(r);
	} else if (!input_kept(&r->in)) {
		puts("no event lost");
	}
	if (input_kept(&r->in))
		printf("%s: %" PRIu64 " records kept%s\n",
		       strcmp(input_kept(&r->in), "snapshot") ?
			       "flight recorder" :
			       "snapshot",
		       s->events,
		       is_overwritten(r) ? "; older ones are not in it" : "");
	if (s->backwards || s->broken || s->bad)
		puts("the records violate the ABI: see kmemtrace-user check");
	if (s->unknown || s->skipped_features)
		printf("skipped %" PRIu64 " records and %" PRIu64
		       " features that this version does not know\n",
		       s->unknown, s->skipped_features);
	if (ending)
		printf("NOTE: %s\n", ending);
}

static void print_events(const struct report *r)
{
	uint64_t events = merge_stats(r->in.merge)->events;

	if (r->filter) {
		char text[256];

		snprintf(text, sizeof(text), "%s", r->expression);
		table_clean(text);
		printf("%-14s %s\n", "filter", text);
		printf("%-14s %" PRIu64 " of %" PRIu64 " match", "events",
		       r->matched, events);
	} else {
		printf("%-14s %" PRIu64, "events", events);
	}
	if (span_seconds(r) > 0)
		printf(" in %.3f s", span_seconds(r));
	putchar('\n');
}

/* Between which times, if that was asked for. */
static void print_times(const struct report *r)
{
	uint64_t last = r->in.last;

	if (!r->in.timed)
		return;
	printf("%-14s %" PRIu64 ".%09" PRIu64, "from",
	       r->in.first / 1000000000, r->in.first % 1000000000);
	if (last != UINT64_MAX)
		printf(" to %" PRIu64 ".%09" PRIu64, last / 1000000000,
		       last % 1000000000);
	putchar('\n');
}

static void print_text(struct report *r)
{
	print_value("kernel", "release", r->in.meta);
	print_value("machine", "hostname", r->in.meta);
	print_value("command", "command", r->in.meta);
	print_values("recorded if", "filter", &r->in);
	print_values("trigger", "trigger", &r->in);
	print_times(r);
	print_events(r);
	print_kinds(r);
	print_live(r);
	print_losses(r);
	putchar('\n');
	table_print_text(columns, COLS_TEXT, r->nr_rows, get_cell, r);
	if (r->nr_rows < r->a.groups.count)
		printf("(%zu more rows: --top 0)\n",
		       r->a.groups.count - r->nr_rows);
}

/* --- JSON ------------------------------------------------------------------------ */

static json_t *json_kinds(const struct analysis *a)
{
	json_t *kinds = json_object();
	int i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_object_set_new(
			kinds, type_names[i],
			json_pack("{s:I,s:I,s:I,s:I,s:I}", "allocs",
				  (json_int_t)a->allocs[i], "frees",
				  (json_int_t)a->frees[i], "failed",
				  (json_int_t)a->failed[i], "req",
				  (json_int_t)a->req[i], "alloc",
				  (json_int_t)a->alloc[i]));
	return kinds;
}

static json_t *json_live(const struct report *r)
{
	json_t *live = json_object();
	int i;

	for (i = 0; i < CLASSES; i++) {
		const struct analysis_class_sums *s = &r->a.sums[i];

		json_object_set_new(
			live, class_names[i],
			json_pack("{s:I,s:I,s:I,s:I,s:I}", "bytes",
				  (json_int_t)s->live, "objects",
				  (json_int_t)s->objects, "uncertain",
				  (json_int_t)uncertain(r, i), "implicit",
				  (json_int_t)s->implicit, "unmatched",
				  (json_int_t)s->unmatched));
	}
	return live;
}

/* An array of all values of a key, if there are any. */
static void json_set_values(json_t *all, const char *name, const char *key,
			    const char *text)
{
	json_t *values = json_array();
	size_t len = strlen(key);
	char value[256];

	for (; text; text = control_next_line(text))
		if (!strncmp(text, key, len) && text[len] == '=' &&
		    input_value(text, key, value, sizeof(value)))
			json_array_append_new(values, json_string(value));
	if (json_array_size(values))
		json_object_set(all, name, values);
	json_decref(values);
}

static int print_json(struct report *r)
{
	const struct merge_stats *s = merge_stats(r->in.merge);
	const char *ending = input_ending(&r->in);
	char release[256] = "";
	json_t *all;
	int ret;

	input_value(r->in.meta, "release", release, sizeof(release));
	all = json_pack("{s:s,s:I,s:f,s:I,s:I,s:I,s:I,s:I,s:s?,s:o,s:o,s:o}",
			"kernel", release, "events", (json_int_t)s->events,
			"seconds", span_seconds(r), "lost_events",
			(json_int_t)input_lost(&r->in), "gaps", (json_int_t)s->gaps,
			"worst_gap", (json_int_t)s->worst_gap, "remote_frees",
			(json_int_t)r->a.remote_frees, "cross_frees",
			(json_int_t)r->a.cross_frees, "note", ending, "kinds",
			json_kinds(&r->a), "live", json_live(r), "rows",
			table_json(columns, COLS, r->nr_rows, get_cell, r));
	if (!all)
		return msg_error("out of memory");
	if (input_kept(&r->in))
		json_object_set_new(all, "kept",
				    json_string(input_kept(&r->in)));
	if (r->in.timed)
		json_object_set_new(all, "from_ns", json_integer(r->in.first));
	if (r->in.timed && r->in.last != UINT64_MAX)
		json_object_set_new(all, "to_ns", json_integer(r->in.last));
	json_set_values(all, "recorded_if", "filter", r->in.meta);
	json_set_values(all, "triggers", "trigger", r->in.meta);
	if (r->filter) {
		json_object_set_new(all, "filter", json_string(r->expression));
		json_object_set_new(all, "matching", json_integer(r->matched));
	}
	ret = json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER |
					 JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(all);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

/* --- the command --------------------------------------------------------------------- */

static bool add_all(struct report *r)
{
	const struct window *w;

	while ((w = input_next(&r->in)))
		if (!analysis_add_window(&r->a, w))
			return false;
	return true;
}

/* Those that match the filter, if there is one; with their process, if wanted. */
static bool add_matching(struct report *r)
{
	const struct window *w;
	struct kmt_event ev;
	struct extra e;
	size_t i;

	extra_init(&e, &r->in);
	while ((w = input_next(&r->in))) {
		for (i = 0; i < w->count; i++) {
			ev = w->events[i].ev;
			extra_take(&e, &w->events[i]);
			if (r->filter && !event_filter_match(r->filter, &ev, &e))
				continue;
			r->matched++;
			if (r->by == BY_PROCESS)
				r->a.process = threads_process(&r->processes,
							       &ev, &e);
			if (!analysis_add(&r->a, &ev, w->events[i].cpu))
				return false;
		}
	}
	return true;
}

static int analyse(struct report *r)
{
	int ret = when_limit(&r->in, "report", r->since, r->until);

	if (!ret && r->expression)
		ret = event_filter_create(&r->filter, r->expression, &r->in);
	if (ret)
		return ret;
	if (!analysis_init(&r->a, r->by, r->in.page_size) ||
	    !pidnames_init(&r->processes))
		return msg_error("out of memory");
	if (r->by == BY_SITE && names_have_places(r->in.names))
		r->a.names = r->in.names;
	ret = input_begin(&r->in, r->filter || r->by == BY_PROCESS);
	if (ret)
		return ret;
	if (!(r->filter || r->by == BY_PROCESS ? add_matching(r) : add_all(r)))
		return msg_error("out of memory");
	analysis_finish(&r->a);
	if (!sort_rows(r))
		return msg_error("out of memory");
	return EXIT_DONE;
}

static int show(struct report *r)
{
	/* that key is taken already */
	columns[COL_NAME].key = r->by == BY_KIND ? "name" : by_names[r->by];
	columns[COL_NAME].title = r->by == BY_SITE ? "SITE" : "NAME";
	switch (r->format) {
	case TABLE_JSON:
		return print_json(r);
	case TABLE_CSV:
		table_print_csv(columns, COLS, r->nr_rows, get_cell, r);
		return EXIT_DONE;
	case TABLE_TEXT:
		print_text(r);
	}
	return EXIT_DONE;
}

enum { OPT_RAW_IP = 256, OPT_JSON, OPT_CSV, OPT_SINCE, OPT_UNTIL };

const struct option cmd_report_options[] = {
	{ "by", required_argument, NULL, 'b' },
	{ "sort", required_argument, NULL, 's' },
	{ "top", required_argument, NULL, 'n' },
	{ "filter", required_argument, NULL, 'f' },
	{ "since", required_argument, NULL, OPT_SINCE },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "raw-ip", no_argument, NULL, OPT_RAW_IP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int take_by(struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(by_names) / sizeof(by_names[0]); i++) {
		if (!strcmp(name, by_names[i])) {
			r->by = i;
			return EXIT_DONE;
		}
	}
	return msg_usage("report", "--by takes site, cache, kind, gfp, order, node, cpu, size or process, not '%s'",
			 name);
}

static int take_sort(struct report *r, const char *name)
{
	int i;

	for (i = 0; i < COLS; i++) {
		if (columns[i].kind != TABLE_STRING &&
		    !strcmp(name, columns[i].key)) {
			r->sort = i;
			return EXIT_DONE;
		}
	}
	return msg_usage("report", "there is no column '%s' to sort by", name);
}

static int take_option(struct report *r, int option)
{
	switch (option) {
	case 'b':
		return take_by(r, optarg);
	case 's':
		return take_sort(r, optarg);
	case 'n':
		if (!option_count(optarg, &r->top))
			return msg_usage("report", "--top takes a number, not '%s'",
					 optarg);
		return EXIT_DONE;
	case 'f':
		r->expression = optarg;
		return EXIT_DONE;
	case OPT_SINCE:
		r->since = optarg;
		return EXIT_DONE;
	case OPT_UNTIL:
		r->until = optarg;
		return EXIT_DONE;
	case OPT_RAW_IP:
		r->raw_ip = true;
		return EXIT_DONE;
	case OPT_JSON:
		r->format = TABLE_JSON;
		return EXIT_DONE;
	case OPT_CSV:
		r->format = TABLE_CSV;
		return EXIT_DONE;
	}
	return EXIT_USAGE;
}

int cmd_report(int argc, char **argv)
{
	struct report r = { .sort = COL_LIVE, .top = 20 };
	int option, ret;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":b:s:n:f:h", cmd_report_options,
				     NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (option == ':' || option == '?')
			return msg_bad_option("report", option, argv);
		ret = take_option(&r, option);
		if (ret)
			return ret;
	}
	if (optind == argc)
		return msg_usage("report", "which recording?");
	ret = input_open(&r.in, argv + optind, argc - optind);
	if (ret)
		return ret;
	ret = analyse(&r);
	if (!ret)
		ret = show(&r);
	if (!ret && r.filter) {
		fflush(stdout); /* it is said at the end */
		event_filter_note(r.filter);
	}
	event_filter_destroy(r.filter);
	free(r.rows);
	pidnames_exit(&r.processes);
	analysis_exit(&r.a);
	input_close(&r.in);
	return ret;
}
