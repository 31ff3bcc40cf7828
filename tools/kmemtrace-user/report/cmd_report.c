// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "command.h"
#include "report/liveness.h"
#include "report/losses.h"
#include "report/named.h"
#include "report/report.h"
#include "report/when.h"

static const char *const by_names[] = { "site", "cache", "kind", "gfp",
					"order", "node", "cpu",	 "size",
					"process" };

static bool add_all(struct report *r)
{
	const struct window *w;

	while ((w = input_next(&r->in)))
		if (!analysis_add_window(&r->a, w))
			return false;
	return true;
}

/* A free that does not match the filter counts if its allocation matched. */
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

/* Adds the records one by one, with the filter, and with the process if needed. */
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

/* Tells the analysis which events may be missing. */
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

/* Adds the losses after the last record. */
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
		return msg_oom();
	if (r->by == BY_SITE && names_have_places(r->in.names))
		r->a.names = r->in.names;
	r->no_live = liveness_lost(&r->in);
	ret = input_begin(&r->in, r->filter || r->by == BY_PROCESS);
	if (ret)
		return ret;
	/* of a stream, END may be known only now */
	begin_losses(r);
	if (!(r->filter || r->by == BY_PROCESS ? add_matching(r) : add_all(r)))
		return msg_oom();
	if (r->in.err)
		return EXIT_FAILED;
	end_losses(r);
	analysis_finish(&r->a);
	if (!report_sort(r))
		return msg_oom();
	return EXIT_DONE;
}

static int show(struct report *r)
{
	/* the column COL_KIND already has the key "kind" */
	report_columns[COL_NAME].key = r->by == BY_KIND ? "name" : by_names[r->by];
	report_columns[COL_NAME].title = r->by == BY_SITE ? "SITE" : "NAME";
	switch (r->format) {
	case TABLE_JSON:
		return report_print_json(r);
	case TABLE_CSV:
		listing_print(&r->list, TABLE_CSV);
		return EXIT_DONE;
	case TABLE_TEXT:
		report_print_text(r);
	}
	return EXIT_DONE;
}

static int take_by(const struct option_use *use)
{
	struct report *r = use->to;
	size_t i;

	for (i = 0; i < sizeof(by_names) / sizeof(by_names[0]); i++) {
		if (!strcmp(use->text, by_names[i])) {
			r->by = i;
			return EXIT_DONE;
		}
	}
	return option_wrong(use, "site, cache, kind, gfp, order, node, cpu, size or process");
}

static int take_sort(const struct option_use *use)
{
	struct report *r = use->to;
	int column = listing_column(report_columns, COLS, use->text);

	if (column < 0)
		return msg_usage(use->command, "there is no column '%s' to sort by",
				 use->text);
	r->sort = column;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY",
	  "one row for each: site (default), cache, kind, gfp, order, node, cpu, size, process (needs the feature task)",
	  .take = take_by },
	{ 's', "sort", "COLUMN",
	  "largest first: live (default), objects, allocs, frees, req, alloc, waste, waste_bytes, failed, remote_frees, implicit",
	  .take = take_sort },
	{ 'n', "top", "N", "show N rows; 0 is all; default 20",
	  OPTION_COUNT(struct report, top) },
	{ 'f', "filter", "EXPR",
	  "only records that match, for example\n'bytes_req > 4K && cpu == 1'",
	  OPTION_TEXT(struct report, expression) },
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(struct report, since) },
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(struct report, until) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct report, raw_ip) },
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

int cmd_report(int argc, char **argv)
{
	struct report r = { .sort = COL_LIVE, .top = 20 };
	struct cmdline line = cmdline_parse(&cmd_report_options, argc, argv, &r);
	struct named named;
	int ret;

	if (line.is_over)
		return line.ret;
	ret = named_find(&named, line.words, line.count);
	if (!ret)
		ret = input_open(&r.in, named.paths, named.count);
	if (ret)
		return ret;
	ret = analyse(&r);
	if (!ret)
		ret = show(&r);
	if (!ret && r.filter) {
		fflush(stdout); /* the note comes after the output */
		event_filter_note(r.filter);
	}
	if (!ret)
		ret = losses_exit(&r.in);
	event_filter_destroy(r.filter);
	listing_free(&r.list);
	free(r.rows);
	pidnames_exit(&r.processes);
	analysis_exit(&r.a);
	input_close(&r.in);
	return ret;
}
