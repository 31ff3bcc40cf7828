// SPDX-License-Identifier: GPL-2.0-only
#include "base/cmdline.h"
#include "base/svg.h"
#include "command.h"
#include "export/flame.h"
#include "export/profile.h"

/**
 * struct wanted - the command line
 * @e: what is drawn
 * @path: value of --output
 */
struct wanted {
	struct export e;
	const char *path;
};

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default: flame.svg",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "value", "VALUE", PROFILE_VALUES_HELP, .take = profile_take_value,
	  .to = OPTION_MEMBER(struct wanted, e.value, const char *),
	  .offers = "@exportvalues" },
	{ 0, "min", "PERCENT", "one frame for those functions of a caller that have less than this of their kind of memory; default 0.1",
	  .take = option_take_tenths,
	  .to = OPTION_MEMBER(struct wanted, e.min_tenths, unsigned int) },
	{ 0, "width", "PIXELS", "width of the picture; default 1200",
	  .take = svg_take_width,
	  .to = OPTION_MEMBER(struct wanted, e.width, size_t) },
	EXPORT_OPTIONS_KIND(struct wanted, e),
	{ 0 },
};

const struct options cmd_flame_options = {
	.command = "flame",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...",
					   "--live [OPTION]...", NULL },
	.about = "Draws the stacks of a recording, or of a state of accounting (allocinfo --save), as a flame graph: an SVG picture for a browser. A click zooms in. Without FILE: kmemtrace.kmt.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

static const struct export_format format = {
	.name = "flame",
	.inputs = EXPORT_RECORDING | EXPORT_STATE,
	.has_values = true,
	.begins = SVG_BEGINS,
	.write = flame_write,
};

int cmd_flame(int argc, char **argv)
{
	struct wanted w = { .e = { .format = &format, .min_tenths = 1, .width = 1200 },
			    .path = "flame.svg" };
	struct cmdline line = cmdline_parse(&cmd_flame_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	w.e.paths = line.words;
	w.e.count = line.count;
	ret = formats_take_inputs("flame", &w.e, w.path);
	return ret ? ret : formats_write(&w.e, w.path);
}
