// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/cmdline.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/svg.h"
#include "command.h"
#include "report/losses.h"
#include "report/named.h"
#include "report/timeline_view.h"
#include "report/when.h"
#include "trace/anonymized.h"

static bool wants_picture(const struct timeline_view *v)
{
	return (int)v->r.format == TIMELINE_SVG;
}

static int check_picture(const struct timeline_view *v)
{
	if (wants_picture(v) || (!v->path && !v->width))
		return EXIT_DONE;
	return msg_usage("timeline", "%s needs --svg", v->path ? "--output" : "--width");
}

/* The picture is written after all was read, so that a failure leaves no file. */
static int write_picture(const struct timeline_view *v)
{
	struct outfile *out;

	if (outfile_create(v->path ? v->path : "-", SVG_BEGINS, &out))
		return EXIT_FAILED;
	timeline_write_svg(v, outfile_stream(out));
	losses_note(&v->r.in);
	return outfile_finish(out, 0, false) ? EXIT_FAILED : EXIT_DONE;
}

static int timeline_show(struct timeline_view *v)
{
	if (wants_picture(v))
		return write_picture(v);
	switch (v->r.format) {
	case TABLE_JSON:
		return timeline_print_json(v);
	case TABLE_CSV:
		timeline_print_csv(v);
		return EXIT_DONE;
	case TABLE_TEXT:
		break;
	}
	timeline_print_text(v);
	return 0;
}

static int take_by(const struct option_use *use)
{
	struct timeline_view *v = use->to;

	return report_take_by(use, &v->r);
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY,...", "one row for each: the keys of report; default site",
	  .take = take_by, .offers = ",@reportkeys" },
	{ 'k', "kind", "KIND", "only memory of this kind: slab, pages or percpu", .repeats = true,
	  .take = report_take_kind,
	  .to = OPTION_MEMBER(struct timeline_view, t.classes, unsigned int) },
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
	ANONYMIZE_OPTIONS(struct timeline_view, anonymize),
	{ 0, "svg", NULL, "a picture for a browser, as SVG",
	  OPTION_NUMBER(struct timeline_view, r.format, TIMELINE_SVG) },
	{ 'o', "output", "FILE", "with --svg: output file; default: standard output",
	  OPTION_TEXT(struct timeline_view, path), .offers = "files" },
	{ 0, "width", "PIXELS", "with --svg: width of the picture; default 1000",
	  .take = svg_take_width,
	  .to = OPTION_MEMBER(struct timeline_view, width, size_t) },
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

static int check_output(const struct timeline_view *v, const struct named *named)
{
	size_t i;

	for (i = 0; v->path && i < named->count; i++)
		if (outfile_is(v->path, named->paths[i]))
			return msg_usage("timeline", "%s would replace its input: name another file with --output",
					 v->path);
	return check_picture(v);
}

static int read_files(struct timeline_view *v, char **paths, size_t count)
{
	int ret = timeline_view_read(v, paths, count, "timeline");

	if (!ret)
		ret = timeline_show(v);
	return timeline_view_end(v, ret);
}

static int timeline_run(struct timeline_view *v, const struct named *named)
{
	struct anonymized copy;
	int ret = check_output(v, named);

	if (ret)
		return ret;
	v->t.has_kinds = wants_picture(v);
	ret = anonymized_make(&copy, &v->anonymize, named->paths, named->count,
			      v->r.expression);
	if (!ret)
		ret = copy.path ? read_files(v, &copy.path, 1) :
				  read_files(v, named->paths, named->count);
	anonymized_remove(&copy);
	return ret;
}

int cmd_timeline(int argc, char **argv)
{
	struct timeline_view *v = xcalloc(1, sizeof(*v));
	struct cmdline line;
	struct named named;
	int ret;

	timeline_view_init(v);
	v->top = 5;
	line = cmdline_parse(&cmd_timeline_options, argc, argv, v);
	ret = line.ret;
	if (!line.is_over)
		ret = named_find(&named, line.words, line.count);
	if (!line.is_over && !ret)
		ret = timeline_run(v, &named);
	free(v);
	return ret;
}
