// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/tags.h"
#include "base/cmdline.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "command.h"
#include "export/formats.h"
#include "export/profile.h"
#include "report/event_filter.h"
#include "report/lines.h"
#include "report/named.h"
#include "report/report.h"
#include "report/when.h"

/**
 * struct wanted - the command line
 * @e: what is exported
 * @path: value of --output
 * @lists: --list was given
 * @live: --live was given
 */
struct wanted {
	struct export e;
	const char *path;
	bool lists;
	bool live;
};

static int take_format(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->e.format = formats_find(use->text);
	return w->e.format ? EXIT_DONE :
			     msg_usage(use->command, "there is no format '%s': kmemtrace-user export --list shows the formats",
				       use->text);
}

static int take_value(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->e.value = use->text;
	return profile_find(use->text) < 0 ?
		       option_wrong(use, "live, objects, peak, peak_objects, alloc, allocs, temporary or temporary_objects") :
		       EXIT_DONE;
}

static int take_kind(const struct option_use *use)
{
	struct wanted *w = use->to;
	/* accounting calls them page */
	int class = !strcmp(use->text, "page") ?
			    CLASS_PAGES :
			    option_name(report_classes, CLASSES, use->text);

	if (class < 0)
		return option_wrong(use, "slab, pages or percpu");
	w->e.classes |= 1u << class;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 0, "to", "FORMAT", "the format; --list shows all", .take = take_format,
	  .offers = "@exportformats" },
	{ 'o', "output", "FILE", "output file; default: standard output",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "value", "VALUE",
	  "with --to folded: live (default), objects, peak, peak_objects, alloc, allocs, temporary, temporary_objects",
	  .take = take_value, .offers = "@exportvalues" },
	{ 0, "live", NULL, "live memory now, from accounting; takes no file",
	  OPTION_TRUE(struct wanted, live) },
	{ 'k', "kind", "KIND",
	  "only memory of this kind: slab, pages or percpu; may be repeated",
	  .take = take_kind },
	{ 'f', "filter", "EXPR",
	  EVENT_FILTER_HELP,
	  OPTION_TEXT(struct wanted, e.expression) },
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(struct wanted, e.since) },
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(struct wanted, e.until) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct wanted, e.raw_ip) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct wanted, e.debuginfo), .offers = "files" },
	{ 0, "list", NULL, "show the formats", OPTION_TRUE(struct wanted, lists) },
	{ 0 },
};

const struct options cmd_export_options = {
	.command = "export",
	.synopsis = (const char *const[]){ "--to FORMAT [OPTION]... [FILE]",
					   "--to FORMAT [OPTION]... cpu0.out cpu1.out...",
					   "--to FORMAT --live [OPTION]...",
					   "--list", NULL },
	.about = "Converts a recording, or a state of accounting (allocinfo --save), to a format of other tools. Without FILE: kmemtrace.kmt. With --live: the present state of the module.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

/* A state has at most one file; without one it is that of the module. */
static int find_input(struct export *e, bool live)
{
	struct named named;
	int ret;

	if (live && e->count)
		return msg_usage("export", "--live takes no file");
	e->input = live || (e->count && tags_is_saved_file(e->paths[0])) ?
			   EXPORT_STATE :
			   EXPORT_RECORDING;
	if (e->input == EXPORT_STATE && e->count > 1)
		return msg_usage("export", "name one state of accounting");
	if (!(e->format->inputs & e->input))
		return msg_usage("export", "--to %s needs a %s", e->format->name,
				 e->input == EXPORT_STATE ?
					 "recording" :
					 "state of accounting: use --live, or name a file of allocinfo --save");
	if (e->input == EXPORT_STATE)
		return formats_check_state("export", e);
	ret = named_find(&named, e->paths, e->count);
	e->paths = named.paths;
	e->count = named.count;
	return ret;
}

static int check(struct wanted *w)
{
	struct export *e = &w->e;
	int ret;

	if (!e->format)
		return msg_usage("export", "name a format: --to FORMAT; --list shows the formats");
	if (e->value && !e->format->has_values)
		return msg_usage("export", "--to %s has all values: it takes no --value",
				 e->format->name);
	ret = find_input(e, w->live);
	return ret ? ret : formats_check_output("export", e, w->path);
}

static int write_to(struct export *e, const char *path)
{
	struct outfile *out;
	int ret;

	if (outfile_create(path, &out))
		return EXIT_FAILED;
	e->out = outfile_stream(out);
	if (e->format->is_binary && isatty(fileno(e->out))) {
		outfile_discard(out);
		return msg_error("%s is not text: write it to a file with -o, or to a pipe",
				 e->format->name);
	}
	ret = e->format->write(e);
	if (ret != EXIT_DONE && ret != EXIT_LOST) {
		outfile_discard(out);
		return ret;
	}
	/* memory ran out meanwhile: the file would be incomplete */
	if (msg_status(ret) == EXIT_FAILED) {
		outfile_discard(out);
		return EXIT_FAILED;
	}
	return outfile_finish(out, 0, false) ? EXIT_FAILED : ret;
}

int cmd_export(int argc, char **argv)
{
	struct wanted w = { .path = "-" };
	struct cmdline line = cmdline_parse(&cmd_export_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	if (w.lists && line.count)
		return msg_usage("export", "--list takes no file");
	if (w.lists) {
		formats_print(stdout);
		return EXIT_DONE;
	}
	w.e.paths = line.words;
	w.e.count = line.count;
	ret = check(&w);
	return ret ? ret : write_to(&w.e, w.path);
}
