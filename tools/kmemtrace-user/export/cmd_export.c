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
#include "export/outdir.h"
#include "export/profile.h"
#include "export/unfinished.h"
#include "report/event_filter.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/when.h"

/**
 * struct wanted - the command line
 * @e: what is exported
 * @path: value of --output
 * @lists: --list was given
 */
struct wanted {
	struct export e;
	const char *path;
	bool lists;
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
	w->e.classes = 1u << class;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 0, "to", "FORMAT", "the format; --list shows all", .take = take_format,
	  .offers = "@exportformats" },
	{ 'o', "output", "FILE",
	  "output file, or directory of --to ctf; default: standard output",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "value", "VALUE",
	  "with --to folded: live (default), objects, peak, peak_objects, alloc, allocs, temporary, temporary_objects",
	  .take = take_value, .offers = "@exportvalues" },
	{ 'k', "kind", "KIND", "only memory of this kind: slab, pages or percpu",
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
					   "--list", NULL },
	.about = "Converts a recording, or a state of accounting (allocinfo --save), to a format of other tools. Without FILE: the present state of the module.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

static int check(struct export *e)
{
	if (!e->format)
		return msg_usage("export", "name a format: --to FORMAT; --list shows the formats");
	if (e->value && !e->format->has_values)
		return msg_usage("export", "--to %s has all values: it takes no --value",
				 e->format->name);
	e->input = !e->count || tags_is_saved_file(e->paths[0]) ? EXPORT_STATE :
							 EXPORT_RECORDING;
	if (e->input == EXPORT_STATE && e->count > 1)
		return msg_usage("export", "name one state of accounting");
	if (!(e->format->inputs & e->input))
		return msg_usage("export", "--to %s needs a %s", e->format->name,
				 e->input == EXPORT_STATE ?
					 "recording" :
					 "state of accounting: name no file, or one of allocinfo --save");
	return e->input == EXPORT_STATE ? formats_check_state("export", e) :
					  EXIT_DONE;
}

/* Return: EXIT_* of the format; EXIT_FAILED if the output is incomplete. */
static int write_output(const struct export *e)
{
	/* memory may have run out meanwhile */
	return msg_status(e->format->write(e));
}

static bool is_complete(int ret)
{
	return ret == EXIT_DONE || ret == EXIT_LOST;
}

static int write_directory(struct export *e)
{
	struct outdir *dir;
	int ret;

	if (outdir_create(e->name, &dir))
		return EXIT_FAILED;
	e->path = outdir_part(dir);
	unfinished_add(e->path);
	ret = write_output(e);
	if (!is_complete(ret))
		outdir_discard(dir);
	else if (outdir_finish(dir))
		ret = EXIT_FAILED;
	unfinished_clear();
	return ret;
}

/* Return: EXIT_DONE if the format can write to this file. */
static int check_file(struct export *e, const struct outfile *out)
{
	FILE *stream = outfile_stream(out);

	if (e->format->output == EXPORT_FILE && !outfile_part(out))
		return msg_error("%s needs a file: name one with -o that is no pipe and no device",
				 e->format->name);
	if (e->format->is_binary && isatty(fileno(stream)))
		return msg_error("%s is not text: write it to a file with -o, or to a pipe",
				 e->format->name);
	if (e->format->output == EXPORT_FILE)
		e->path = outfile_part(out);
	else
		e->out = stream;
	return EXIT_DONE;
}

static int write_file(struct export *e)
{
	struct outfile *out;
	int ret;

	if (outfile_create(e->name, &out))
		return EXIT_FAILED;
	if (outfile_part(out))
		unfinished_add(outfile_part(out));
	ret = check_file(e, out);
	if (!ret)
		ret = write_output(e);
	if (!is_complete(ret))
		outfile_discard(out);
	else if (outfile_finish(out, 0, false))
		ret = EXIT_FAILED;
	unfinished_clear();
	return ret;
}

static int write_to(struct export *e, const char *path)
{
	e->name = path;
	if (e->format->output == EXPORT_STREAM)
		return write_file(e);
	if (!strcmp(path, "-"))
		return msg_usage("export", e->format->output == EXPORT_FILE ?
				 "--to %s writes a file: name it with -o FILE" :
				 "--to %s writes a directory: name it with -o DIRECTORY",
				 e->format->name);
	return e->format->output == EXPORT_FILE ? write_file(e) : write_directory(e);
}

int cmd_export(int argc, char **argv)
{
	struct wanted w = { .path = "-" };
	struct cmdline line = cmdline_parse(&cmd_export_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	if (w.lists) {
		formats_print(stdout);
		return EXIT_DONE;
	}
	w.e.paths = line.words;
	w.e.count = line.count;
	ret = check(&w.e);
	return ret ? ret : write_to(&w.e, w.path);
}
