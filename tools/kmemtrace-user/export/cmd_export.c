// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "command.h"
#include "export/formats.h"
#include "export/profile.h"

/* the command line */
struct wanted {
	struct export e;	/* what is exported */
	const char *path;	/* value of --output */
	bool lists;		/* --list was given */
};

static int take_format(const struct option_use *use)
{
	struct wanted *w = use->to;

	w->e.format = formats_find(use->text);
	return w->e.format ? EXIT_DONE :
			     msg_usage(use->command, "there is no format '%s': kmemtrace-user export --list shows the formats",
				       use->text);
}

static const struct option_row rows[] = {
	{ 0, "to", "FORMAT", "the format; --list shows all", .take = take_format,
	  .offers = "@exportformats" },
	{ 'o', "output", "FILE",
	  "output file, or directory of --to ctf; default: standard output",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "value", "VALUE",
	  "with --to folded: " PROFILE_VALUES_HELP,
	  .take = profile_take_value,
	  .to = OPTION_MEMBER(struct wanted, e.value, const char *),
	  .offers = "@exportvalues" },
	{ 'n', "top", "N",
	  "with --to prometheus: the N largest rows of each kind have series of their own; default 20; 0: all",
	  OPTION_COUNT(struct wanted, e.top) },
	EXPORT_OPTIONS_KIND(struct wanted, e),
	{ 0, "list", NULL, "show the formats", OPTION_TRUE(struct wanted, lists) },
	{ 0 },
};

const struct options cmd_export_options = {
	.command = "export",
	.synopsis = (const char *const[]){ "--to FORMAT [OPTION]... [FILE]",
					   "--to FORMAT [OPTION]... cpu0.out cpu1.out...",
					   "--to FORMAT --live [OPTION]...",
					   "--list", NULL },
	.about = "Converts a recording, or a state of accounting (allocinfo --save), to a format of other tools. Without FILE: kmemtrace.kmt; with allocinfo and prometheus, the present state of the module. With --live: the present state of the module.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

static int export_check(struct export *e, bool has_top, const char *path)
{
	if (!e->format)
		return msg_usage("export", "name a format: --to FORMAT; --list shows the formats");
	if (e->value && !e->format->has_values)
		return msg_usage("export", "--to %s has all values: it takes no --value",
				 e->format->name);
	if (has_top && !e->format->has_top)
		return msg_usage("export", "--to %s has all rows: it takes no --top",
				 e->format->name);
	return formats_take_inputs("export", e, path);
}

int cmd_export(int argc, char **argv)
{
	struct wanted w = { .path = "-", .e.top = 20 };
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
	ret = export_check(&w.e, cmdline_has(&line, &cmd_export_options, "top"), w.path);
	return ret ? ret : formats_write(&w.e, w.path);
}
