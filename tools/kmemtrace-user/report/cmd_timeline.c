// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "command.h"
#include "report/liveness.h"
#include "report/named.h"
#include "report/timeline_view.h"
#include "report/when.h"

struct table_column timeline_columns[TIMELINE_COLS] = {
	[TIMELINE_PEAK] = { "PEAK", "peak", TABLE_BYTES, 6 },
	[TIMELINE_AT] = { "AT", "peak_s", TABLE_STRING, 12 },
	[TIMELINE_LIVE] = { "LIVE", "live", TABLE_BYTES, 6 },
	[TIMELINE_KIND] = { "KIND", "kind", TABLE_STRING, 7 },
	[TIMELINE_NAME] = { "SITE", "site", TABLE_STRING, 0 },
};

const struct timeline_series *timeline_view_series(const struct timeline_view *v,
						   size_t row)
{
	return &v->t.groups[v->list.row[row]];
}

static void get_cell(void *arg, size_t group, size_t column,
		     struct table_cell *cell)
{
	struct timeline_view *v = arg;
	const struct timeline_series *s = &v->t.groups[group];
	const struct group *g = &v->r.a.groups.groups[group];

	switch (column) {
	case TIMELINE_PEAK:
		cell->number = s->peak;
		break;
	case TIMELINE_AT:
		snprintf(cell->string, sizeof(cell->string), "%.9f",
			 s->peak_time / 1e9);
		break;
	case TIMELINE_LIVE:
		cell->number = s->live;
		break;
	case TIMELINE_KIND:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 analysis_types[g->type]);
		break;
	default:
		report_name(&v->r, g, cell->string, sizeof(cell->string));
	}
}

void timeline_view_cell(const struct timeline_view *v, size_t row, size_t column,
			struct table_cell *cell)
{
	get_cell((void *)v, v->list.row[row], column, cell);
}

bool timeline_view_mixes(const struct timeline_view *v)
{
	unsigned int seen = 0;
	size_t i;

	for (i = 0; i < v->t.nr_groups; i++)
		if (v->t.groups[i].peak)
			seen |= 1u << analysis_class_of(
					v->r.a.groups.groups[i].type);
	return seen >> CLASS_SLAB & 1 && seen >> CLASS_PAGES & 1;
}

/* --- rows ----------------------------------------------------------------- */

/* Groups with equal peaks are in the order of their first allocation. */
static bool make_rows(struct timeline_view *v)
{
	size_t i;

	v->list = (struct listing){
		.columns = timeline_columns,
		.nr_columns = TIMELINE_COLS,
		.nr_rows = v->t.nr_groups,
		.get = get_cell,
		.arg = v,
	};
	if (!listing_sort(&v->list, TIMELINE_PEAK, v->top))
		return false;
	for (i = 0; i < v->t.nr_groups; i++)
		v->count += v->t.groups[i].peak > 0;
	if (v->list.shown > v->count)
		v->list.shown = v->count;
	return true;
}

/* --- the command ---------------------------------------------------------- */

static int read_timeline(struct timeline_view *v)
{
	const char *no_live = liveness_lost(&v->r.in);
	int ret;

	if (no_live)
		return msg_error("what is live is not known: %s", no_live);
	ret = report_read(&v->r, "timeline");
	if (ret)
		return ret;
	if (!v->r.a.has_time)
		return when_no_times(&v->r.in);
	return timeline_finish(&v->t) && make_rows(v) ?
		       EXIT_DONE :
		       msg_oom();
}

static int show(struct timeline_view *v)
{
	timeline_columns[TIMELINE_NAME] = report_name_column(&v->r);
	switch (v->r.format) {
	case TABLE_JSON:
		return timeline_print_json(v);
	case TABLE_CSV:
		timeline_print_csv(v);
		return EXIT_DONE;
	case TABLE_TEXT:
		break;
	}
	return timeline_print_text(v);
}

static int take_by(const struct option_use *use)
{
	struct timeline_view *v = use->to;

	return report_take_by(use, &v->r);
}

static int take_kind(const struct option_use *use)
{
	struct timeline_view *v = use->to;
	/* accounting calls them page */
	int class = !strcmp(use->text, "page") ?
			    CLASS_PAGES :
			    option_name(report_classes, CLASSES, use->text);

	if (class < 0)
		return option_wrong(use, "slab, pages or percpu");
	v->t.classes = 1u << class;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY,...", "one row for each: the keys of report; default site",
	  .take = take_by, .offers = ",@reportkeys" },
	{ 'k', "kind", "KIND", "only memory of this kind: slab, pages or percpu",
	  .take = take_kind },
	{ 'n', "top", "N", "show the N rows with the highest peaks; 0 is all; default 5",
	  OPTION_COUNT(struct timeline_view, top) },
	{ 'f', "filter", "EXPR",
	  EVENT_FILTER_HELP,
	  OPTION_TEXT(struct timeline_view, r.expression) },
	{ 0, "since", "TIME", WHEN_SINCE,
	  OPTION_TEXT(struct timeline_view, r.since) },
	{ 0, "until", "TIME", WHEN_UNTIL,
	  OPTION_TEXT(struct timeline_view, r.until) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct timeline_view, r.keys.raw_ip) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct timeline_view, r.debuginfo), .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON",
	  OPTION_NUMBER(struct timeline_view, r.format, TABLE_JSON) },
	{ 0, "csv", NULL, "a line for each moment and row, as CSV",
	  OPTION_NUMBER(struct timeline_view, r.format, TABLE_CSV) },
	{ 0 },
};

const struct options cmd_timeline_options = {
	.command = "timeline",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...", NULL },
	.about = "Draws live memory over time: all of it, and that of the sites with the highest peaks. The recording must have the feature time.",
	.rows = rows,
	.notes = "The width is that of the terminal, or $COLUMNS. The exit status is 3 if events were lost.",
	.operands = "files",
};

static int run(struct timeline_view *v, const struct named *named)
{
	int ret = input_open(&v->r.in, named->paths, named->count);

	if (ret)
		return ret;
	v->r.timeline = &v->t;
	ret = read_timeline(v);
	if (!ret)
		ret = show(v);
	ret = report_end(&v->r, ret);
	listing_free(&v->list);
	timeline_exit(&v->t);
	return ret;
}

int cmd_timeline(int argc, char **argv)
{
	struct timeline_view *v = calloc(1, sizeof(*v));
	struct cmdline line;
	struct named named;
	int ret;

	if (!v)
		return msg_oom();
	v->top = 5;
	v->t.classes = (1u << CLASSES) - 1;
	keys_parse(&v->r.keys, key_names[BY_SITE]);
	line = cmdline_parse(&cmd_timeline_options, argc, argv, v);
	ret = line.ret;
	if (!line.is_over)
		ret = named_find(&named, line.words, line.count);
	if (!line.is_over && !ret)
		ret = run(v, &named);
	free(v);
	return ret;
}
