// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "command.h"
#include "pages/pages.h"

/**
 * struct mode - one kind of output
 * @option: name of the option that selects it; NULL: it needs no option
 * @show: prints it
 * @without: options that make no sense with it, ended by NULL
 */
struct mode {
	const char *option;
	int (*show)(const struct pages_options *o);
	const char *without[12];
};

static const struct mode modes[] = {
	{ NULL, pages_by, { NULL } },
	{ "leaks", pages_by, { "kind", "process" } },
	{ "fragmenting",
	  pages_fragmenting,
	  { "by", "kind", "process", "order", "min-age" } },
	{ "pinned", pages_pinned, { "by", "kind", "process", "order", "min-age" } },
	{ "page-owner",
	  pages_page_owner,
	  { "by", "process", "sort", "top", "json", "csv" } },
};

/* Options that select pages make no sense here: each row is the cost of a process. */
static const struct mode process_mode = {
	NULL,
	pages_process,
	{ "kind", "site", "zone", "node", "order", "min-age" },
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

/* --- the command line ------------------------------------------------------------ */

static int take_int(const struct option_use *use)
{
	size_t n;

	if (!option_count(use->text, &n) || n > INT_MAX)
		return option_wrong(use, "a number");
	*(int *)use->to = n;
	return EXIT_DONE;
}

static int take_kind(const struct option_use *use)
{
	struct pages_options *o = use->to;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (!strcmp(use->text, kind_names[kind])) {
			o->filter.kind = kind;
			return EXIT_DONE;
		}
	}
	return msg_usage(use->command,
			 "there is no kind '%s': --by kind lists the kinds",
			 use->text);
}

static int take_by(const struct option_use *use)
{
	struct pages_options *o = use->to;

	o->nr_by = pages_parse_by(use->text, o->by);
	if (o->nr_by)
		return EXIT_DONE;
	return option_wrong(use, "site, kind, flags, order, zone, node, migratetype, process, age or cgroup, or two of them with a comma");
}

static int take_min_age(const struct option_use *use)
{
	struct pages_options *o = use->to;
	size_t seconds;

	if (!option_count(use->text, &seconds) || seconds > INT_MAX)
		return option_wrong(use, "a number");
	o->filter.min_age = seconds * 100ull;
	return EXIT_DONE;
}

/* an allocation of 4 GiB, with pages of 4 KiB; no machine has larger ones */
#define ORDER_MAX 20

static int take_order(const struct option_use *use)
{
	size_t order;

	if (!option_count(use->text, &order) || order > ORDER_MAX)
		return option_wrong(use, "a number from 0 to 20");
	*(int *)use->to = order;
	return EXIT_DONE;
}

/* choose_mode() looks only at whether the option was given. */
static int take_mode(const struct option_use *use)
{
	(void)use;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY[,KEY]",
	  "one row for each: site (default), kind (current kind), flags, order, zone, node, migratetype, process, age, cgroup (memory cgroup, also a removed one)",
	  .take = take_by, .offers = ",@pagekeys" },
	{ 'k', "kind", "KIND",
	  "only pages whose current kind is anon, file, slab, pgtable...", .take = take_kind,
	  .offers = "@pagekinds" },
	{ 0, "site", "TEXT", "only sites with TEXT in their location",
	  OPTION_TEXT(struct pages_options, filter.site) },
	{ 0, "zone", "ZONE", "only pages of a zone, for example Normal",
	  OPTION_TEXT(struct pages_options, filter.zone) },
	{ 0, "node", "NODE", "only pages of a NUMA node", .take = take_int,
	  .to = OPTION_MEMBER(struct pages_options, filter.node, int) },
	{ 0, "order", "N", "only pages from allocations of 1 << N pages",
	  .take = take_order, .to = OPTION_MEMBER(struct pages_options, filter.order, int) },
	{ 0, "min-age", "SECONDS", "only pages allocated at least this long ago",
	  .take = take_min_age },
	OPTION_HEADING("Instead of all pages:"),
	{ 0, "fragmenting", NULL,
	  "sites with unmovable pages in movable pageblocks, which keep these from becoming huge pages",
	  .take = take_mode },
	{ 0, "pinned", NULL, "sites that keep more memory allocated than they use: partly empty slabs, and blocks of pages of which parts are in use",
	  .take = take_mode },
	{ 0, "leaks", NULL, "pages in use that no kernel structure accounts for",
	  OPTION_TRUE(struct pages_options, leaks) },
	{ 'p', "process", "PID",
	  "the cost of a process, given by number or name: its memory, and the kernel's for it; with --by KEY only its pages; --by process: the cost of each process",
	  OPTION_TEXT(struct pages_options, process) },
	{ 'i', "input", "FILE",
	  "with --process and --by process: also show what the kernel allocated for it, from a recording (record -F +task)",
	  OPTION_TEXT(struct pages_options, input), .offers = "files" },
	{ 0, "page-owner", NULL,
	  "the text of debugfs/page_owner, for page_owner_sort", .take = take_mode },
	OPTION_HEADING("Output:"),
	{ 's', "sort", "COLUMN", "largest first: bytes, pages, mapped, maps, oldest...",
	  OPTION_TEXT(struct pages_options, sort) },
	{ 'n', "top", "N", "show N rows; 0 is all; default 25",
	  OPTION_COUNT(struct pages_options, top) },
	{ 0, "json", NULL, "as JSON, with exact numbers",
	  OPTION_NUMBER(struct pages_options, format, TABLE_JSON) },
	{ 0, "csv", NULL, "the table, as CSV",
	  OPTION_NUMBER(struct pages_options, format, TABLE_CSV) },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct pages_options, verbose) },
	{ 0 },
};

const struct options cmd_pages_options = {
	.command = "pages",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows which code allocated each page of memory in use, and the current use of the page.",
	.rows = rows,
};

static bool has(const struct cmdline *line, const char *option)
{
	return cmdline_has(line, &cmd_pages_options, option);
}

/* --- choice of the output --------------------------------------------------------- */

/* The table has one row for each process, and process is its only key. */
static bool is_by_process(const struct pages_options *o, const struct cmdline *line)
{
	return has(line, "by") ? o->nr_by == 1 && o->by[0] == PAGES_BY_PROCESS :
				 has(line, "process");
}

static const char *mode_name(const struct mode *m, const struct cmdline *line)
{
	static char name[32];

	if (!m->option)
		return has(line, "process") ? "--process" : "--by process";
	snprintf(name, sizeof(name), "--%s", m->option);
	return name;
}

/* The command line may have at most one option of a mode. */
static int choose_mode(const struct pages_options *o, const struct cmdline *line,
		       const struct mode **mode)
{
	const char *const *option;
	const struct mode *m;

	*mode = &modes[0];
	for (m = modes + 1; m < modes + MODES; m++) {
		if (!has(line, m->option))
			continue;
		if ((*mode)->option)
			return msg_usage("pages", "either --%s or --%s",
					 (*mode)->option, m->option);
		*mode = m;
	}
	if (!(*mode)->option && is_by_process(o, line))
		*mode = &process_mode;
	for (option = (*mode)->without; *option; option++)
		if (has(line, *option))
			return msg_usage("pages", "--%s cannot be combined with %s%s",
					 *option, mode_name(*mode, line),
					 *mode == &process_mode ?
						 "; --by site,process can" : "");
	if (has(line, "input") && *mode != &process_mode)
		return msg_usage("pages",
				 "--input is for --process or --by process");
	return EXIT_DONE;
}

int cmd_pages(int argc, char **argv)
{
	struct pages_options o = {
		.top = 25,
		.by = { PAGES_BY_SITE },
		.nr_by = 1,
		.filter = PAGE_FILTER_NONE,
	};
	struct cmdline line = cmdline_parse(&cmd_pages_options, argc, argv, &o);
	const struct mode *mode;
	int ret;

	if (line.is_over)
		return line.ret;
	ret = choose_mode(&o, &line, &mode);
	return ret ? ret : mode->show(&o);
}
