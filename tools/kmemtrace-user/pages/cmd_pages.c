// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "pages/pages.h"

static const char help[] =
	"Usage: kmemtrace-user pages [OPTION]...\n\n"
	"Shows who allocated each page of memory, joined with what it is now.\n\n"
	"  -b, --by KEY[,KEY]  one row for each: site (default), kind (what it is now),\n"
	"                      flags, order, zone, node, migratetype, process, age\n"
	"  -k, --kind KIND     only pages that are now anon, file, slab, pgtable...\n"
	"      --site TEXT     only sites whose location has TEXT in it\n"
	"      --zone ZONE     only pages of a zone, as Normal\n"
	"      --node NODE     only pages of a NUMA node\n"
	"      --order N       only allocations of 1 << N pages\n"
	"      --min-age SECS  only pages allocated at least so long ago\n\n"
	"Instead of all pages:\n"
	"      --fragmenting   who has pages that cannot be moved in movable pageblocks,\n"
	"                      which keeps these from becoming huge pages\n"
	"      --pinned        who keeps slabs alive that are partly empty\n"
	"      --leaks         pages that are in use, but that nothing leads to\n"
	"  -p, --process PID   what a process costs, by number or name: its memory, and the\n"
	"                      kernel's for it; with --by KEY, only its pages.\n"
	"                      --by process: what each costs\n"
	"  -i, --input FILE    with these: a recording that tells what the kernel\n"
	"                      allocated for it (record --features time,cache,page,task)\n"
	"      --page-owner    as the kernel's debugfs/page_owner, for page_owner_sort\n\n"
	"  -s, --sort COLUMN   largest first: bytes, pages, mapped, maps, oldest...\n"
	"  -n, --top N         this many rows; 0 is all; default 25\n"
	"      --json          as JSON, with exact numbers\n"
	"      --csv           the table, as CSV\n"
	"  -h, --help          this text\n";

enum {
	OPT_SITE = 256,
	OPT_ZONE,
	OPT_NODE,
	OPT_ORDER,
	OPT_MIN_AGE,
	OPT_FRAGMENTING,
	OPT_PINNED,
	OPT_LEAKS,
	OPT_PAGE_OWNER,
	OPT_JSON,
	OPT_CSV,
	OPTIONS,
};

const struct option cmd_pages_options[] = {
	{ "by", required_argument, NULL, 'b' },
	{ "kind", required_argument, NULL, 'k' },
	{ "site", required_argument, NULL, OPT_SITE },
	{ "zone", required_argument, NULL, OPT_ZONE },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "min-age", required_argument, NULL, OPT_MIN_AGE },
	{ "fragmenting", no_argument, NULL, OPT_FRAGMENTING },
	{ "pinned", no_argument, NULL, OPT_PINNED },
	{ "leaks", no_argument, NULL, OPT_LEAKS },
	{ "page-owner", no_argument, NULL, OPT_PAGE_OWNER },
	{ "process", required_argument, NULL, 'p' },
	{ "input", required_argument, NULL, 'i' },
	{ "sort", required_argument, NULL, 's' },
	{ "top", required_argument, NULL, 'n' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/**
 * struct mode - what can be shown
 * @option: that asks for it; 0: none does
 * @show: shows it
 * @without: options that make no sense with it, ended by 0
 */
struct mode {
	int option;
	int (*show)(const struct pages_options *o);
	int without[12];
};

static const struct mode modes[] = {
	{ 0, pages_by, { 0 } },
	{ OPT_LEAKS, pages_by, { 'k', 'p' } },
	{ OPT_FRAGMENTING,
	  pages_fragmenting,
	  { 'b', 'k', 'p', OPT_ORDER, OPT_MIN_AGE } },
	{ OPT_PINNED,
	  pages_pinned,
	  { 'b', 'k', 'p', OPT_ORDER, OPT_MIN_AGE } },
	{ OPT_PAGE_OWNER,
	  pages_page_owner,
	  { 'b', 'p', 's', 'n', OPT_JSON, OPT_CSV } },
};

/* what there is to choose a page is of no use for what a process costs */
static const struct mode process_mode = {
	0,
	pages_process,
	{ 'k', OPT_SITE, OPT_ZONE, OPT_NODE, OPT_ORDER, OPT_MIN_AGE },
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

/* --- the command line ------------------------------------------------------------ */

static int take_number(const char *option, int *to)
{
	size_t n;
	bool ok = option_count(optarg, &n) && n <= INT_MAX;

	*to = n;
	if (ok)
		return EXIT_DONE;
	return msg_usage("pages", "%s takes a number, not '%s'", option, optarg);
}

static int take_kind(struct page_filter *f)
{
	for (f->kind = 0; f->kind < KINDS; f->kind++)
		if (!strcmp(optarg, kind_names[f->kind]))
			return EXIT_DONE;
	return msg_usage("pages",
			 "there is no kind '%s': --by kind shows those that there are",
			 optarg);
}

static int take_by(struct pages_options *o)
{
	o->nr_by = pagegroups_parse_by(optarg, o->by);
	if (o->nr_by)
		return EXIT_DONE;
	return msg_usage("pages",
			 "--by takes site, kind, flags, order, zone, node, migratetype, process or age, or two of them with a comma, not '%s'",
			 optarg);
}

static int take_min_age(struct page_filter *f)
{
	int seconds, ret = take_number("--min-age", &seconds);

	f->min_age = seconds * 100ull;
	return ret;
}

static int take_filter(struct page_filter *f, int option)
{
	switch (option) {
	case 'k':
		return take_kind(f);
	case OPT_SITE:
		f->site = optarg;
		return EXIT_DONE;
	case OPT_ZONE:
		f->zone = optarg;
		return EXIT_DONE;
	case OPT_NODE:
		return take_number("--node", &f->node);
	case OPT_ORDER:
		return take_number("--order", &f->order);
	default:
		return take_min_age(f);
	}
}

static int take_option(struct pages_options *o, int option)
{
	int top = 0, ret = EXIT_DONE;

	switch (option) {
	case 'b':
		return take_by(o);
	case 'p':
		o->process = optarg;
		break;
	case 'i':
		o->input = optarg;
		break;
	case 's':
		o->sort = optarg;
		break;
	case 'n':
		ret = take_number("--top", &top);
		o->top = top;
		break;
	case OPT_JSON:
		o->format = TABLE_JSON;
		break;
	case OPT_CSV:
		o->format = TABLE_CSV;
		break;
	case OPT_LEAKS:
		o->leaks = true;
		break;
	case OPT_FRAGMENTING:
	case OPT_PINNED:
	case OPT_PAGE_OWNER:
		break;
	default:
		return take_filter(&o->filter, option);
	}
	return ret;
}

/* --- what is shown ---------------------------------------------------------------- */

static const char *option_name(int option)
{
	const struct option *c;

	for (c = cmd_pages_options; c->val != option; c++)
		;
	return c->name;
}

/* Rows for processes, and for nothing else. */
static bool is_by_process(const struct pages_options *o, const bool *given)
{
	return given['b'] ? o->nr_by == 1 && o->by[0] == PAGES_BY_PROCESS :
			    given['p'];
}

static const char *mode_name(const struct mode *m, const bool *given)
{
	static char name[32];

	if (!m->option)
		return given['p'] ? "--process" : "--by process";
	snprintf(name, sizeof(name), "--%s", option_name(m->option));
	return name;
}

/* Of what was given, at most one option says what to show. */
static int choose_mode(const struct pages_options *o, const bool given[OPTIONS],
		       const struct mode **mode)
{
	const struct mode *m;
	const int *option;

	*mode = &modes[0];
	for (m = modes + 1; m < modes + MODES; m++) {
		if (!given[m->option])
			continue;
		if ((*mode)->option)
			return msg_usage("pages", "either --%s or --%s",
					 option_name((*mode)->option),
					 option_name(m->option));
		*mode = m;
	}
	if (!(*mode)->option && is_by_process(o, given))
		*mode = &process_mode;
	for (option = (*mode)->without; *option; option++)
		if (given[*option])
			return msg_usage("pages", "--%s makes no sense with %s",
					 option_name(*option),
					 mode_name(*mode, given));
	if (given['i'] && *mode != &process_mode)
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
	bool given[OPTIONS] = { false };
	const struct mode *mode;
	int option, ret;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":b:k:p:i:s:n:h",
				     cmd_pages_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (option == ':' || option == '?')
			return msg_bad_option("pages", option, argv);
		ret = take_option(&o, option);
		if (ret)
			return ret;
		given[option] = true;
	}
	if (optind != argc)
		return msg_usage("pages", "it takes no argument: '%s'",
				 argv[optind]);
	ret = choose_mode(&o, given, &mode);
	return ret ? ret : mode->show(&o);
}
