// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "command.h"
#include "pagetypes/pagetypes.h"

#define NAME "page-types"

/* --- flags ------------------------------------------------------------------------ */

/* The kernel's page-types adds the same remarks to the names of flags. */
static const char *kind_of_flag(int bit)
{
	if (bit < PF_RESERVED)
		return "";
	return bit <= PF_ANON_EXCLUSIVE ? " (raw)" : " (raw, not the kernel's)";
}

static void list_flags(const struct pageflag_name *names)
{
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].name)
			printf("%2d  %c  %s%s\n", i,
			       names[i].letter ? names[i].letter : ' ',
			       names[i].name, kind_of_flag(i));
}

static json_t *json_meanings(const struct pageflag_name *names, uint64_t flags)
{
	json_t *all = json_array();
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (flags >> i & 1 && pageflags_meaning(names, i))
			json_array_append_new(
				all, json_pack("{s:s,s:s}", "name",
					       names[i].name, "meaning",
					       pageflags_meaning(names, i)));
	return all;
}

/* Prints a line for each flag that is set. */
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
	json_t *all = json_object();

	snprintf(hex, sizeof(hex), "0x%" PRIx64, flags);
	json_object_set_new(all, "flags", json_string(hex));
	json_object_set_new(all, "short", json_string(letters));
	json_object_set_new(all, "names", pageflags_json(names, flags));
	json_object_set_new(all, "meanings", json_meanings(names, flags));
	return json_print(all);
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
	/* the kernel's page-types prints the same line */
	printf("0x%016" PRIx64 "\t%s\t%s\n", flags, letters,
	       pageflags_long(names, flags, full, sizeof(full)));
	print_meanings(names, flags);
	return EXIT_DONE;
}

/* --- options ---------------------------------------------------------------------- */

/**
 * struct wanted - the command line
 * @t: the request
 * @describe: argument of --describe, or NULL
 * @lists_flags: --bits help was given
 */
struct wanted {
	struct pagetypes t;
	const char *describe;
	bool lists_flags;
};

static int take_range(const struct option_use *use)
{
	struct pagetypes *t = use->to;
	char why[PAGESPEC_WHY];

	if (t->nr_ranges == PAGETYPES_RANGES)
		return msg_usage(NAME, "--addr can be given %d times at most",
				 PAGETYPES_RANGES);
	if (!pagespec_range(use->text, &t->range[t->nr_ranges++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int take_bits(const struct option_use *use)
{
	struct wanted *w = use->to;
	struct pageselect *s = &w->t.select;
	char why[PAGESPEC_WHY];

	if (!strcmp(use->text, "help")) {
		w->lists_flags = true;
		return EXIT_DONE;
	}
	if (s->nr_bits == PAGESELECT_BITS)
		return msg_usage(NAME, "--bits can be given %d times at most",
				 PAGESELECT_BITS);
	if (!pagespec_bits(s->names, use->text, &s->bits[s->nr_bits++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int take_cgroup(const struct option_use *use)
{
	struct pagetypes *t = use->to;
	const char *text = use->text;
	struct stat st;
	char *end;

	t->by_cgroup = true;
	if (*text == '@') {
		t->cgroup = strtoull(text + 1, &end, 0);
		if (text[1] < '0' || text[1] > '9' || *end)
			return option_wrong(use, "a directory or @INODE");
		return EXIT_DONE;
	}
	if (stat(text, &st))
		return msg_error("cannot read the cgroup %s: %s", text,
				 strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return msg_error("%s is not a cgroup: a cgroup is a directory below /sys/fs/cgroup",
				 text);
	t->cgroup = st.st_ino;
	return EXIT_DONE;
}

static int take_process(const struct option_use *use)
{
	struct pagetypes *t = use->to;

	t->process = use->text;
	t->list.page = "voffset";
	return EXIT_DONE;
}

static int take_file(const struct option_use *use)
{
	struct pagetypes *t = use->to;

	t->file = use->text;
	t->list.page = "foffset";
	return EXIT_DONE;
}

static int take_mark(const struct option_use *use)
{
	struct pagetypes *t = use->to;

	t->marks |= use->row->number;
	return EXIT_DONE;
}

static int check_options(const struct pagetypes *t)
{
	if (t->process && t->file)
		return msg_usage(NAME, "--pid and --file exclude each other");
	if (t->marks && !t->nr_ranges && !t->select.nr_bits && !t->by_cgroup &&
	    !t->process && !t->file)
		return msg_usage(NAME,
				 "all pages of the machine cannot be changed at once: select pages");
	if (t->marks && t->kpageflags)
		return msg_usage(NAME, "pages cannot be changed through a copy of their flags");
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'r', "raw", NULL, "all flags, also those for kernel developers",
	  OPTION_TRUE(struct wanted, t.select.raw) },
	{ 'a', "addr", "PAGES",
	  "only these pages: N, N+M, N,M (up to M-1), N, or ,M", .repeats = true,
	  .take = take_range },
	{ 'b', "bits", "FLAGS",
	  "only pages that have a or b: a,b; of a and b only a: a,b=a or a,~b; exactly a and b: =a,b; 'help' lists the flags",
	  .repeats = true,
	  .take = take_bits, .offers = ",@pageflags" },
	{ 'c', "cgroup", "DIR|@INODE", "only pages of a memory cgroup", .take = take_cgroup,
	  .offers = "files" },
	{ 'p', "pid", "PROCESS", "the pages that a process maps, by number or name",
	  .take = take_process },
	{ 'f', "file", "FILE|DIR",
	  "the cached pages of a file, or of all files below a directory", .take = take_file,
	  .offers = "files" },
	{ 'l', "list", NULL, "list the pages, in ranges",
	  OPTION_NUMBER(struct wanted, t.list.kind, PAGELIST_RANGES) },
	{ 'L', "list-each", NULL, "list the pages, one by one",
	  OPTION_NUMBER(struct wanted, t.list.kind, PAGELIST_EACH) },
	{ 'C', "list-cgroup", NULL, "list the cgroup as well",
	  OPTION_TRUE(struct wanted, t.list.cgroup) },
	{ 'M', "list-mapcnt", NULL, "list the number of mappings as well",
	  OPTION_TRUE(struct wanted, t.list.count) },
	{ 'N', "no-summary", NULL, "no summary",
	  OPTION_TRUE(struct wanted, t.no_summary) },
	{ 'd', "describe", "FLAGS", "show only the names and meanings of these flags",
	  OPTION_TEXT(struct wanted, describe), .offers = ",@pageflags" },
	{ 'F', "kpageflags", "FILE", "read a copy of /proc/kpageflags",
	  OPTION_TEXT(struct wanted, t.kpageflags), .offers = "files" },
	{ 0, "json", NULL, "as JSON", OPTION_TRUE(struct wanted, t.list.json) },
	OPTION_HEADING("These change pages, and need one of -a, -b, -c, -p and -f:"),
	{ 'X', "hwpoison", NULL,
	  "DANGER: take the pages out of use as broken memory; the kernel kills processes that map them",
	  .take = take_mark, .number = PAGEMARK_POISON },
	{ 'x', "unpoison", NULL, "take them back into use", .take = take_mark,
	  .number = PAGEMARK_UNPOISON },
	{ 'i', "mark-idle", NULL, "mark them as idle", .take = take_mark,
	  .number = PAGEMARK_IDLE },
	{ 0 },
};

const struct options cmd_page_types_options = {
	.command = NAME,
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows the flags of page frames: the number of pages with each combination, or a list. Options, with their letters, and output are those of the kernel's own page-types.",
	.rows = rows,
};

static int page_types_run(struct wanted *w, int argc, char **argv)
{
	struct pagetypes *t = &w->t;
	struct cmdline line;
	int ret;

	t->select.names = t->list.names = pageflags_names(NULL);
	line = cmdline_parse(&cmd_page_types_options, argc, argv, w);
	if (line.is_over)
		return line.ret;
	if (w->lists_flags) {
		list_flags(t->select.names);
		return 0;
	}
	if (w->describe)
		return describe(t, w->describe);
	ret = check_options(t);
	return ret ? ret : pagetypes_show(t);
}

int cmd_page_types(int argc, char **argv)
{
	struct wanted *w = xcalloc(1, sizeof(*w));
	int ret;

	ret = page_types_run(w, argc, argv);
	free(w);
	return ret;
}
