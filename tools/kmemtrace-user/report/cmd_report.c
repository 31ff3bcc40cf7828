// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "report/liveness.h"
#include "report/named.h"
#include "report/report.h"
#include "report/when.h"

static const char help[] =
	"Usage: kmemtrace-user report [OPTION]... [FILE]\n"
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

static const char *const by_names[] = { "site", "cache", "kind", "gfp",
					"order", "node", "cpu",	 "size",
					"process" };
/* --- the command --------------------------------------------------------------------- */

static bool add_all(struct report *r)
{
	const struct window *w;

	while ((w = input_next(&r->in)))
		if (!analysis_add_window(&r->a, w))
			return false;
	return true;
}

/* Frees of what matched count as well. */
static bool add_record(struct report *r, struct kmt_event *ev, struct extra *e,
		       uint32_t cpu)
{
	if (r->filter && !event_filter_match(r->filter, ev, e))
		return ev->event_id != KMEMTRACE_EVENT_FREE ||
		       analysis_add_free(&r->a, ev, cpu);
	r->matched++;
	if (r->by == BY_PROCESS)
		r->a.process = threads_process(&r->processes, ev, e);
	return analysis_add(&r->a, ev, cpu);
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
			if (w->events[i].lost)
				analysis_add_gap(&r->a, w->events[i].lost);
			if (!add_record(r, &ev, &e, w->events[i].cpu))
				return false;
		}
	}
	return true;
}

/* What the recording says of events that are missing. */
static void begin_losses(struct report *r)
{
	uint64_t whole;

	r->a.gaps_are_losses = !input_partial(&r->in);
	if (report_is_overwritten(r) &&
	    input_number(r->in.end, "seq_whole", &whole)) {
		r->a.begins = true;
		r->a.from = whole;
	}
}

/* Those behind the last record, too. */
static void end_losses(struct report *r)
{
	uint64_t missing = merge_stats(r->in.merge)->missing;

	if (!r->a.gaps_are_losses)
		analysis_lose_frees(&r->a);
	else if (missing > r->a.lost)
		analysis_lose(&r->a, missing - r->a.lost);
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
	begin_losses(r);
	r->no_live = liveness_lost(&r->in);
	ret = input_begin(&r->in, r->filter || r->by == BY_PROCESS);
	if (ret)
		return ret;
	if (!(r->filter || r->by == BY_PROCESS ? add_matching(r) : add_all(r)))
		return msg_error("out of memory");
	if (r->in.err)
		return EXIT_FAILED;
	end_losses(r);
	analysis_finish(&r->a);
	if (!report_sort(r))
		return msg_error("out of memory");
	return EXIT_DONE;
}

static int show(struct report *r)
{
	/* that key is taken already */
	report_columns[COL_NAME].key = r->by == BY_KIND ? "name" : by_names[r->by];
	report_columns[COL_NAME].title = r->by == BY_SITE ? "SITE" : "NAME";
	switch (r->format) {
	case TABLE_JSON:
		return report_print_json(r);
	case TABLE_CSV:
		table_print_csv(report_columns, COLS, r->nr_rows, report_cell, r);
		return EXIT_DONE;
	case TABLE_TEXT:
		report_print_text(r);
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
		if (report_columns[i].kind != TABLE_STRING &&
		    !strcmp(name, report_columns[i].key)) {
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
	struct named named;

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
	ret = named_find(&named, argv + optind, argc - optind);
	if (!ret)
		ret = input_open(&r.in, named.paths, named.count);
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
