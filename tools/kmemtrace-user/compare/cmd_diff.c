// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "compare/diffview.h"

/**
 * struct wanted - the command line, and what is compared
 * @view: settings of the output
 * @force: --force was given
 * @old: the first file
 * @now: the second file
 * @changes: the changes
 */
struct wanted {
	struct diffview view;
	bool force;
	struct state old;
	struct state now;
	struct changes changes;
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int diff_check(const struct wanted *w)
{
	char why[2600];
	const char *base;

	if (state_incomparable(&w->old, &w->now, why, sizeof(why)))
		return msg_error("%s and %s cannot be compared: %s", w->old.path,
				 w->now.path, why);
	base = state_other_base(&w->old, &w->now);
	if (!base)
		return EXIT_DONE;
	if (!w->force)
		return msg_error("%s and %s cannot be compared: %s; save both again, or use --force",
				 w->old.path, w->now.path, base);
	msg_note("%s and %s: %s; the changes mean little", w->old.path,
		 w->now.path, base);
	return EXIT_DONE;
}

static bool is_same_base(const struct wanted *w)
{
	return w->old.source == STATE_ACCOUNTING &&
	       !tags_incomparable(&w->now.tags, &w->old.tags);
}

static int diff_compare(struct wanted *w, char **paths)
{
	int ret = state_read(&w->old, paths[0]);

	if (!ret)
		ret = state_read(&w->now, paths[1]);
	if (!ret)
		ret = diff_check(w);
	if (ret)
		return ret;
	changes_make(&w->changes, &w->old.holdings, &w->now.holdings,
		     is_same_base(w), state_same_kernel(&w->old, &w->now));
	w->view.old = &w->old;
	w->view.now = &w->now;
	w->view.changes = &w->changes;
	w->view.is_same_file = is_same_file(paths[0], paths[1]);
	ret = diffview_print(&w->view);
	if (ret || w->view.is_same_file)
		return ret;
	return w->old.is_lossy || w->now.is_lossy ? EXIT_LOST : EXIT_DONE;
}

static int take_sort(const struct option_use *use)
{
	struct wanted *w = use->to;
	int column = listing_column(diff_columns, DIFF_COLUMNS, use->text);

	if (!strcmp(use->text, "site"))
		column = DIFF_SORT_LOCATION;
	if (column < 0)
		return listing_no_column(use->command, diff_columns, DIFF_COLUMNS,
					 use->text, "site");
	w->view.sort = column;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 's', "sort", "KEY",
	  "largest first, by absolute value: live (default), objects, requested, allocs, frees, live_before; or by site",
	  .take = take_sort },
	{ 'n', "top", "N", "show N rows; 0 is all; default 25, with --json and --csv all",
	  OPTION_COUNT(struct wanted, view.top) },
	{ 0, "force", NULL,
	  "compare states of accounting even if it was restarted in between",
	  OPTION_TRUE(struct wanted, force) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct wanted, view.verbose) },
	{ 0, "json", NULL, "everything, as JSON",
	  OPTION_NUMBER(struct wanted, view.format, TABLE_JSON) },
	{ 0, "csv", NULL, "the table, as CSV",
	  OPTION_NUMBER(struct wanted, view.format, TABLE_CSV) },
	{ 0 },
};

const struct options cmd_diff_options = {
	.command = "diff",
	.synopsis = (const char *const[]){ "[OPTION]... OLD NEW", NULL },
	.about = "Shows which sites hold more or less in NEW than in OLD, also from different kernels. Both are recordings (or output of report --json --top 0), or both are states of accounting (allocinfo --save or --json).",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

int cmd_diff(int argc, char **argv)
{
	struct wanted w = { .view.sort = DIFF_BYTES };
	struct cmdline line = cmdline_parse(&cmd_diff_options, argc, argv, &w);
	int ret;

	if (line.is_over)
		return line.ret;
	if (line.count != 2)
		return msg_usage("diff", "name two files");
	if (!cmdline_has(&line, &cmd_diff_options, "top") &&
	    w.view.format == TABLE_TEXT)
		w.view.top = 25;
	ret = diff_compare(&w, line.words);
	changes_free(&w.changes);
	state_free(&w.now);
	state_free(&w.old);
	return ret;
}
