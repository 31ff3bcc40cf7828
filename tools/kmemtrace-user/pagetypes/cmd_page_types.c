// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/msg.h"
#include "command.h"
#include "pagetypes/pagetypes.h"

#define NAME "page-types"

static const char help[] =
	"Usage: kmemtrace-user page-types [OPTION]...\n\n"
	"Shows the flags of page frames: how many have which, or a list. Options and\n"
	"output are those of the kernel's own page-types.\n\n"
	"  -r, --raw              all flags, also those for kernel developers\n"
	"  -a, --addr PAGES       these alone: N, N+M, N,M (up to M-1), N, or ,M;\n"
	"                         may be repeated\n"
	"  -b, --bits FLAGS       pages that have one of a,b; that have, of these, only\n"
	"                         a: a,b=a or a,~b; that have just a and b: =a,b; may\n"
	"                         be repeated; 'help' lists the flags\n"
	"  -c, --cgroup DIR       pages of a memory cgroup, also as @INODE\n"
	"  -p, --pid PROCESS      what a process maps, by number or name\n"
	"  -f, --file FILE        what is cached of a file, or below a directory\n"
	"  -l, --list             list the pages, in ranges\n"
	"  -L, --list-each        list the pages, one by one\n"
	"  -C, --list-cgroup      list the cgroup as well\n"
	"  -M, --list-mapcnt      list how often each is mapped as well\n"
	"  -N, --no-summary       no summary\n"
	"  -d, --describe FLAGS   what flags mean, nothing else\n"
	"  -F, --kpageflags FILE  a copy of /proc/kpageflags\n"
	"      --json             as JSON\n"
	"  -h, --help             this text\n\n"
	"What changes pages needs one of -a, -b, -c, -p and -f:\n"
	"  -X, --hwpoison         DANGER: take them out of use as broken memory, and kill\n"
	"                         who uses them\n"
	"  -x, --unpoison         take them back into use\n"
	"  -i, --mark-idle        mark them as not used\n";

/* --- flags ------------------------------------------------------------------------ */

/* What the kernel's page-types marks its names with. */
static const char *kind_of_flag(int bit)
{
	if (bit < PF_RESERVED)
		return "";
	return bit <= PF_ANON_EXCLUSIVE ? " (raw)" : " (raw, not the kernel's)";
}

static int list_flags(const struct pageflag_name *names)
{
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].name)
			printf("%2d  %c  %s%s\n", i,
			       names[i].letter ? names[i].letter : ' ',
			       names[i].name, kind_of_flag(i));
	return EXIT_DONE;
}

static json_t *json_meanings(const struct pageflag_name *names, uint64_t flags)
{
	json_t *all = json_object();
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (flags >> i & 1 && pageflags_meaning(names, i))
			json_object_set_new(
				all, names[i].name,
				json_string(pageflags_meaning(names, i)));
	return all;
}

/* A line for each flag that is set. */
static void print_meanings(const struct pageflag_name *names, uint64_t flags)
{
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (flags >> i & 1 && pageflags_meaning(names, i))
			printf("  %c  %-14s  %s\n",
			       names[i].letter ? names[i].letter : ' ',
			       names[i].name, pageflags_meaning(names, i));
}

static int describe_json(const struct pageflag_name *names, uint64_t flags,
			 const char *letters)
{
	char hex[20];
	json_t *all;

	snprintf(hex, sizeof(hex), "0x%" PRIx64, flags);
	all = json_pack("{s:s,s:s,s:o,s:o}", "flags", hex, "short", letters,
			"names", pageflags_json(names, flags), "meanings",
			json_meanings(names, flags));
	return json_print(all, JSON_INDENT(1));
}

static int describe(const struct pagetypes *t, const char *text)
{
	const struct pageflag_name *names = t->select.names;
	char why[PAGESPEC_WHY], letters[PAGEFLAGS + 1], full[PAGEFLAGS_LONG];
	uint64_t flags;

	if (!pagespec_flags(names, text, &flags, why))
		return msg_usage(NAME, "%s", why);
	pageflags_short(names, flags, letters);
	if (t->list.json)
		return describe_json(names, flags, letters);
	/* this line is the kernel's own page-types' */
	printf("0x%016" PRIx64 "\t%s\t%s\n", flags, letters,
	       pageflags_long(names, flags, full, sizeof(full)));
	print_meanings(names, flags);
	return EXIT_DONE;
}

/* --- options ---------------------------------------------------------------------- */

static int add_range(struct pagetypes *t, const char *text)
{
	char why[PAGESPEC_WHY];

	if (t->nr_ranges == PAGETYPES_RANGES)
		return msg_usage(NAME, "--addr can be given %d times at most",
				 PAGETYPES_RANGES);
	if (!pagespec_range(text, &t->range[t->nr_ranges++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int add_bits(struct pagetypes *t, const char *text)
{
	struct pageselect *s = &t->select;
	char why[PAGESPEC_WHY];

	if (s->nr_bits == PAGESELECT_BITS)
		return msg_usage(NAME, "--bits can be given %d times at most",
				 PAGESELECT_BITS);
	if (!pagespec_bits(s->names, text, &s->bits[s->nr_bits++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int set_cgroup(struct pagetypes *t, const char *text)
{
	struct stat st;
	char *end;

	t->by_cgroup = true;
	if (*text == '@') {
		t->cgroup = strtoull(text + 1, &end, 0);
		if (text[1] < '0' || text[1] > '9' || *end)
			return msg_usage(NAME,
					 "--cgroup takes a directory or @INODE, not '%s'",
					 text);
		return EXIT_DONE;
	}
	if (stat(text, &st))
		return msg_error("cannot look at the cgroup %s: %s", text,
				 strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return msg_error("%s is no cgroup: that is a directory, as of /sys/fs/cgroup",
				 text);
	t->cgroup = st.st_ino;
	return EXIT_DONE;
}

static int check_options(const struct pagetypes *t)
{
	if (t->process && t->file)
		return msg_usage(NAME, "--pid and --file exclude each other");
	if (t->marks && !t->nr_ranges && !t->select.nr_bits && !t->by_cgroup &&
	    !t->process && !t->file)
		return msg_usage(NAME,
				 "all pages of the machine are too many to change: say which");
	if (t->marks && t->kpageflags)
		return msg_usage(NAME, "pages cannot be changed by a copy of their flags");
	return EXIT_DONE;
}

enum { OPT_JSON = 256 };

const struct option cmd_page_types_options[] = {
	{ "raw", no_argument, NULL, 'r' },
	{ "addr", required_argument, NULL, 'a' },
	{ "bits", required_argument, NULL, 'b' },
	{ "cgroup", required_argument, NULL, 'c' },
	{ "pid", required_argument, NULL, 'p' },
	{ "file", required_argument, NULL, 'f' },
	{ "list", no_argument, NULL, 'l' },
	{ "list-each", no_argument, NULL, 'L' },
	{ "list-cgroup", no_argument, NULL, 'C' },
	{ "list-mapcnt", no_argument, NULL, 'M' },
	{ "no-summary", no_argument, NULL, 'N' },
	{ "describe", required_argument, NULL, 'd' },
	{ "kpageflags", required_argument, NULL, 'F' },
	{ "hwpoison", no_argument, NULL, 'X' },
	{ "unpoison", no_argument, NULL, 'x' },
	{ "mark-idle", no_argument, NULL, 'i' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(struct pagetypes *t, int option)
{
	switch (option) {
	case 'r':
		t->select.raw = true;
		break;
	case 'a':
		return add_range(t, optarg);
	case 'b':
		return add_bits(t, optarg);
	case 'c':
		return set_cgroup(t, optarg);
	case 'p':
		t->process = optarg;
		t->list.page = "voffset";
		break;
	case 'f':
		t->file = optarg;
		t->list.page = "foffset";
		break;
	case 'l':
		t->list.kind = PAGELIST_RANGES;
		break;
	case 'L':
		t->list.kind = PAGELIST_EACH;
		break;
	case 'C':
		t->list.cgroup = true;
		break;
	case 'M':
		t->list.count = true;
		break;
	case 'N':
		t->no_summary = true;
		break;
	case 'F':
		t->kpageflags = optarg;
		break;
	case 'X':
		t->marks |= PAGEMARK_POISON;
		break;
	case 'x':
		t->marks |= PAGEMARK_UNPOISON;
		break;
	case 'i':
		t->marks |= PAGEMARK_IDLE;
		break;
	case OPT_JSON:
		t->list.json = true;
		break;
	}
	return EXIT_DONE;
}

static int run(struct pagetypes *t, int argc, char **argv)
{
	const char *flags = NULL;
	int c, ret = EXIT_DONE;

	t->select.names = t->list.names = pageflags_names(NULL);
	opterr = 0;
	optind = 0;
	while (!ret && (c = getopt_long(argc, argv, ":ra:b:c:p:f:lLCMNd:F:Xxih",
					cmd_page_types_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (c == '?' || c == ':')
			return msg_bad_option(NAME, c, argv);
		if (c == 'b' && !strcmp(optarg, "help"))
			return list_flags(t->select.names);
		if (c == 'd')
			flags = optarg;
		else
			ret = set_option(t, c);
	}
	if (!ret && optind != argc)
		ret = msg_usage(NAME, "it takes no argument: '%s'", argv[optind]);
	if (!ret && flags)
		return describe(t, flags);
	if (!ret)
		ret = check_options(t);
	return ret ? ret : pagetypes_show(t);
}

int cmd_page_types(int argc, char **argv)
{
	struct pagetypes *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return msg_error("memory ran out");
	ret = run(t, argc, argv);
	free(t);
	return ret;
}
