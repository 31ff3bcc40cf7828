// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "waste/live_waste.h"
#include "waste/wasteview.h"

static int take_sort(const struct option_use *use)
{
	struct wasteview *v = use->to;

	if (listing_column(waste_columns, WASTE_COLUMNS, use->text) < 0)
		return listing_no_column(use->command, waste_columns, WASTE_COLUMNS,
					 use->text, NULL);
	v->sort = use->text;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 's', "sort", "KEY",
	  "largest first: saved (default), waste, waste_percent, live, objects, requested, size, nr_sizes",
	  .take = take_sort },
	{ 'n', "top", "N", "show N rows; 0 is all; default 10, with --json and --csv all",
	  OPTION_COUNT(struct wasteview, top) },
	{ 0, "site", "TEXT", "only sites whose name contains TEXT",
	  OPTION_TEXT(struct wasteview, only) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wasteview, verbose) },
	{ 0, "json", NULL, "everything, with all sizes and remedies, as JSON",
	  OPTION_NUMBER(struct wasteview, format, TABLE_JSON) },
	{ 0, "csv", NULL, "the rows, as CSV",
	  OPTION_NUMBER(struct wasteview, format, TABLE_CSV) },
	{ 0 },
};

const struct options cmd_waste_options = {
	.command = "waste",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]", NULL },
	.about = "Shows which sites and caches hold memory that was not requested, the sizes that were, and what would save memory. The figures are those of accounting now, or of what is live at the end of the recording FILE.",
	.rows = rows,
	.notes = "The exit status is 3 if the recording lost events.",
	.operands = "files",
};

int cmd_waste(int argc, char **argv)
{
	struct wasteview v = { .sort = "saved" };
	struct cmdline line = cmdline_parse(&cmd_waste_options, argc, argv, &v);

	if (line.is_over)
		return line.ret;
	if (line.count > 1)
		return msg_usage("waste", "name one recording, or none");
	if (!cmdline_has(&line, &cmd_waste_options, "top") &&
	    v.format == TABLE_TEXT)
		v.top = 10;
	return line.count ? recorded_waste(&v, line.words[0], false, NULL) : live_waste(&v);
}
