// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "command.h"
#include "report/losses.h"
#include "report/named.h"
#include "report/report.h"
#include "report/when.h"

/* default of --min, in tenths of a percent */
#define MIN_TENTHS 10

static bool is_at_peak(const struct report *r)
{
	return r->at && !strncmp(r->at, "peak", 4);
}

/* --at TIME: all records up to this time. */
static int take_at(struct report *r)
{
	if (is_at_peak(r))
		return peaks_class(r->at, &r->peaks.classes) ?
			       msg_usage("report", "--at takes peak, peak:slab, peak:pages, peak:percpu or a time: '%s'", r->at) :
			       EXIT_DONE;
	if (r->at && r->until)
		return msg_usage("report", "--at TIME means --until TIME: give one of them");
	if (r->at)
		r->until = r->at;
	return EXIT_DONE;
}

/* Reading may take minutes. So a recording is refused before, if possible. */
static int check_recording(const struct report *r)
{
	const char *no_live = liveness_lost(&r->in);

	if (is_at_peak(r) && input_is_stream(&r->in))
		return msg_error("--at peak reads the recording twice, and a pipe can be read only once: save the recording to a file");
	if (is_at_peak(r) && no_live)
		return msg_error("--at: what is live is not known: %s", no_live);
	return report_view_check(r);
}

/* Finds the moment of --at peak, up to which the recording is then read. */
static int find_moment(struct report *r, const struct named *named)
{
	struct report first = {
		.keys = { .by = { BY_KIND }, .count = 1 },
		.expression = r->expression,
		.since = r->since,
		.until = r->until,
		.wants_peaks = true,
		.numbers_records = true,
		.peaks.classes = r->peaks.classes,
	};
	int ret = input_open(&first.in, named->paths, named->count);

	if (ret)
		return ret;
	ret = report_read(&first, "report");
	if (!ret && !first.peaks.at)
		ret = msg_error("--at %s: the recording has no such allocation",
				r->at);
	r->in_limit = first.peaks.at;
	report_free(&first);
	input_close(&first.in);
	return ret;
}

/* Reads the recording, and makes the table. */
static int analyse(struct report *r)
{
	int ret;

	r->wants_peaks = r->view == VIEW_ROWS &&
			 (r->verbose || r->at || r->format != TABLE_TEXT ||
			  r->sort >= COL_PEAK);
	r->in.limit = r->in_limit;
	ret = report_read(r, "report");
	if (!ret && r->view == VIEW_LIFETIMES && !r->a.has_time)
		ret = msg_error("there are no lifetimes without times: record with --features time");
	if (!ret)
		report_sort(r);
	return ret;
}

static int report_show(struct report *r)
{
	switch (r->format) {
	case TABLE_JSON:
		return report_print_json(r);
	case TABLE_CSV:
		listing_print(&r->list, TABLE_CSV);
		return EXIT_DONE;
	case TABLE_TEXT:
		break;
	}
	report_print_text(r);
	return 0;
}

int report_take_by(const struct option_use *use, struct report *r)
{
	return keys_parse(&r->keys, use->text) ?
		       EXIT_DONE :
		       option_wrong(use, "different keys, separated by commas: site, function, module, cache, kind, gfp, order, node, cpu, size, stack, process, comm, cgroup");
}

int report_take_kind(const struct option_use *use)
{
	int kind = site_kind_option(use->text);

	if (kind < 0)
		return option_wrong(use, "slab, pages or percpu");
	*(unsigned int *)use->to |= 1u << kind;
	return EXIT_DONE;
}

static int take_by(const struct option_use *use)
{
	return report_take_by(use, use->to);
}

/* Options that show other figures than the table of live memory. */
static int take_view(const struct option_use *use)
{
	struct report *r = use->to;

	if (r->view != VIEW_ROWS && r->view != (enum report_view)use->row->number)
		return msg_usage(use->command, "--lifetimes, --temporary and --matrix show different tables: give one of them");
	r->view = use->row->number;
	if (r->view != VIEW_MATRIX || !strcmp(use->text, "cpu"))
		return EXIT_DONE;
	r->by_node = !strcmp(use->text, "node");
	return r->by_node ? EXIT_DONE : option_wrong(use, "cpu or node");
}

/* The columns depend on the other options. */
static int find_sort(struct report *r)
{
	if (r->sort_name && report_view_sort(r, r->sort_name))
		return EXIT_USAGE;
	if (!r->within)
		return msg_usage("report", "--within takes a number above 0");
	if (r->within > 1 && r->view != VIEW_TEMPORARY)
		return msg_usage("report", "--within needs --temporary");
	return EXIT_DONE;
}

/* The value is a percentage, with or without "%". */
/* The tree is made of the rows by stack. */
static int check_tree(struct report *r)
{
	if (!r->tree && (r->callers || r->callees || r->depth ||
			 r->min_tenths != MIN_TENTHS))
		return msg_usage("report", "--callers, --callees, --depth and --min need --tree");
	if (!r->tree)
		return EXIT_DONE;
	if (r->callers && r->callees)
		return msg_usage("report", "--callers and --callees exclude each other");
	if (r->format == TABLE_CSV)
		return msg_usage("report", "--tree has no CSV: use --by stack --csv");
	if (r->view != VIEW_ROWS)
		return msg_usage("report", "--tree shows none of --lifetimes, --temporary and --matrix");
	if (!report_tree_sorts(r->sort))
		return msg_usage("report", "--tree is sorted by live, objects, alloc, allocs or peak");
	if (r->keys.count && (r->keys.count > 1 || r->keys.by[0] != BY_STACK))
		return msg_usage("report", "--tree shows stacks: it takes no --by");
	return keys_parse(&r->keys, key_names[BY_STACK]) ? EXIT_DONE :
							   EXIT_FAILED;
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY,...",
	  "one row for each: site (default), function, module, cache, kind, gfp, order, node, cpu, size; stack (needs the feature stack); process, comm (task); cgroup (cgroup)",
	  .take = take_by, .offers = ",@reportkeys" },
	{ 's', "sort", "COLUMN",
	  "largest first: live (default), objects, allocs, frees, total_requested, total_allocated, total_waste, failed, remote_frees, implicit, peak; or another column",
	  OPTION_TEXT(struct report, sort_name) },
	{ 0, "at", "MOMENT",
	  "what was live at this moment: peak, when live memory was highest; peak:slab, peak:pages or peak:percpu, when this class was highest; or a time, as for --until",
	  OPTION_TEXT(struct report, at) },
	{ 0, "lifetimes", NULL,
	  "lifetimes of each row's allocations: the median and other percentiles, and how many were never freed",
	  .take = take_view, .number = VIEW_LIFETIMES },
	{ 0, "temporary", NULL,
	  "allocations of each row that were freed before the next allocation on the same CPU",
	  .take = take_view, .number = VIEW_TEMPORARY },
	{ 0, "within", "N", "with --temporary: before the next N allocations; default 1",
	  OPTION_COUNT(struct report, within) },
	{ 0, "matrix", "cpu|node",
	  "frees by the CPU, or its node, of the allocation and of the free",
	  .take = take_view, .number = VIEW_MATRIX },
	{ 0, "tree", NULL,
	  "a call tree instead of the table (needs the feature stack); --sort takes live, objects, total_allocated, allocs, peak",
	  OPTION_TRUE(struct report, tree) },
	{ 0, "callers", NULL, "begin the tree with the outermost callers (default)",
	  OPTION_TRUE(struct report, callers) },
	{ 0, "callees", NULL, "begin the tree with the functions that allocate",
	  OPTION_TRUE(struct report, callees) },
	{ 0, "depth", "N", "show N functions of each path of the tree; 0 is all (default)",
	  OPTION_COUNT(struct report, depth) },
	{ 0, "min", "PERCENT", "show what has this part of the memory of its class; default 1%",
	  .take = option_take_tenths,
	  .to = OPTION_MEMBER(struct report, min_tenths, unsigned int) },
	{ 'n', "top", "N", "show N rows; 0 is all; default 20",
	  OPTION_COUNT(struct report, top) },
	{ 'f', "filter", "EXPR",
	  EVENT_FILTER_HELP,
	  OPTION_TEXT(struct report, expression) },
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(struct report, since) },
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(struct report, until) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct report, keys.raw_ip) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct report, debuginfo), .offers = "files" },
	{ 'v', "verbose", NULL, "also print the recording's origin, sums for each kind, and the limits of the live figures",
	  OPTION_TRUE(struct report, verbose) },
	{ 0, "json", NULL, "everything, as JSON",
	  OPTION_NUMBER(struct report, format, TABLE_JSON) },
	{ 0, "csv", NULL, "the table, as CSV",
	  OPTION_NUMBER(struct report, format, TABLE_CSV) },
	{ 0 },
};

const struct options cmd_report_options = {
	.command = "report",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...", NULL },
	.about = "Shows which code allocated what in a recording, or in raw cpu<n> files.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

static int report_run(struct report *r, const struct named *named)
{
	int ret = take_at(r);

	if (!ret)
		ret = input_open(&r->in, named->paths, named->count);
	if (ret)
		return ret;
	ret = check_recording(r);
	if (!ret && is_at_peak(r))
		ret = find_moment(r, named);
	if (!ret)
		ret = analyse(r);
	if (!ret)
		ret = report_show(r);
	return report_end(r, ret);
}

int cmd_report(int argc, char **argv)
{
	struct report r = { .sort = COL_LIVE,
			    .top = 20,
			    .within = 1,
			    .min_tenths = MIN_TENTHS };
	struct cmdline line = cmdline_parse(&cmd_report_options, argc, argv, &r);
	struct named named;
	int ret;

	if (line.is_over)
		return line.ret;
	ret = find_sort(&r);
	if (!ret)
		ret = check_tree(&r);
	if (!r.keys.count)
		keys_parse(&r.keys, key_names[BY_SITE]);
	if (!ret)
		ret = named_find(&named, line.words, line.count);
	return ret ? ret : report_run(&r, &named);
}
