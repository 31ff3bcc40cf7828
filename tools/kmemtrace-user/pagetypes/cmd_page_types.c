// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "command.h"
#include "pagetypes/pagelist.h"
#include "pagetypes/pagemark.h"
#include "pagetypes/pageruns.h"
#include "pagetypes/pagespec.h"
#include "pagetypes/pagesum.h"
#include "process/filecache.h"
#include "process/process.h"

#define NAME "page-types"

#define RANGES_MAX 1024
#define BITS_MAX   64
#define MEMOS	   256

/**
 * struct memo - cached result for one combination of flags
 * @flags: the flags of a page, as read
 * @shown: the flags to show
 * @known: this entry is in use
 * @fits: pages with these flags are shown
 * @row: row of the summary that counts these pages; NULL: not determined yet
 */
struct memo {
	uint64_t flags;
	uint64_t shown;
	bool known;
	bool fits;
	struct pagesum_row *row;
};

/**
 * struct wanted - the command line, and the state of the command
 * @names: names of the flags
 * @raw: show all flags, with separate bits for second meanings; else only the well-known
 *	flags
 * @bits: conditions on flags; a page must meet all of them
 * @nr_bits: number of conditions
 * @range: ranges of pages
 * @nr_ranges: number of ranges; 0: all pages, or all complete pages of each file
 * @by_cgroup: select only pages of the memory cgroup @cgroup
 * @cgroup: inode number of the memory cgroup; 0: pages without a memory cgroup
 * @process: walk over the pages of this process, given by number or name; or NULL
 * @file: walk over the cached pages of this file or directory; or NULL
 * @kpageflags: file to read instead of /proc/kpageflags, or NULL
 * @marks: changes to make to the pages: mask of PAGEMARK_*
 * @no_summary: print no summary
 * @describe: argument of --describe, or NULL
 * @lists_flags: --bits help was given
 * @list: the list; @list.json also applies to the summary
 * @memo: cache, by a hash of the flags; only few combinations of flags occur
 * @walk: the walk over the pages
 * @p: the process
 * @st: status of the file
 * @cache: reads the page cache of files
 * @incomplete: a file could not be read, and a message was printed
 * @mark: the files for the changes
 * @sum: the summary
 */
struct wanted {
	const struct pageflag_name *names;
	bool raw;
	struct pagespec_bits bits[BITS_MAX];
	size_t nr_bits;
	struct pagespec_range range[RANGES_MAX];
	size_t nr_ranges;
	bool by_cgroup;
	uint64_t cgroup;
	const char *process;
	const char *file;
	const char *kpageflags;
	unsigned int marks;
	bool no_summary;
	const char *describe;
	bool lists_flags;
	struct pagelist list;
	struct memo memo[MEMOS];
	struct pageruns walk;
	struct process p;
	struct stat st;
	struct filecache cache;
	bool incomplete;
	struct pagemark mark;
	struct pagesum sum;
};

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

	snprintf(hex, sizeof(hex), "0x%" PRIx64, flags);
	return json_print(json_pack("{s:s,s:s,s:o,s:o}", "flags", hex, "short", letters, "names",
				    pageflags_json(names, flags), "meanings",
				    json_meanings(names, flags)));
}

static int describe(const struct wanted *t, const char *text)
{
	const struct pageflag_name *names = t->names;
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

/* --- pages ---------------------------------------------------------------------- */

/* Return: the result for pages with some flags, valid until the next call. */
static struct memo *page_types_judge(struct wanted *t, uint64_t flags)
{
	struct memo *m = &t->memo[flags * 0x9e3779b97f4a7c15ull >> 56];
	size_t i;

	if (m->flags == flags && m->known)
		return m;
	*m = (struct memo){
		.flags = flags,
		.shown = t->raw ? pageflags_raw(t->names, flags) : pageflags_well_known(flags),
		.known = true,
		.fits = true,
	};
	for (i = 0; i < t->nr_bits; i++)
		m->fits = m->fits && pagespec_fits(&t->bits[i], m->shown);
	return m;
}

static int pagetypes_take(void *arg, const struct pagerun *run)
{
	struct wanted *t = arg;
	struct memo *m = page_types_judge(t, run->flags);

	if (!m->fits)
		return 0;
	if (t->by_cgroup && (run->swapped || run->cgroup != t->cgroup))
		return 0;
	if (!m->row)
		m->row = pagesum_row(&t->sum, m->shown);
	if (!m->row)
		return -1;
	if (t->marks && !run->swapped)
		pagemark_frames(&t->mark, run->frame, run->n);
	if (t->list.kind) {
		struct pagerun shown = *run;

		shown.flags = m->shown;
		pagelist_add(&t->list, &shown);
	}
	m->row->pages += run->n;
	t->sum.total += run->n;
	return 0;
}

/* --- the pages of files --------------------------------------------------------- */

static void fails(struct wanted *t, const char *path, int err)
{
	msg_error("cannot look at %s: %s", path, strerror(err));
	t->incomplete = true;
}

/* A list names the file of each range. */
static void enter_file(struct wanted *t, const char *path)
{
	pagelist_flush(&t->list);
	t->list.file = path;
}

static int walk_range(struct wanted *t, int fd, uint64_t page, uint64_t end,
		      int *err)
{
	struct pageruns *w = &t->walk;
	uint64_t n;

	for (; page < end; page += n) {
		n = end - page < FRAMES_BATCH ? end - page : FRAMES_BATCH;
		*err = -filecache_entries(&t->cache, fd, page, w->entry, n);
		if (*err)
			break;
		if (pageruns_entries(w, page, w->entry, n))
			return -1;
	}
	return pageruns_flush(w);
}

/* Return: 0; -1 if the walk failed. Sets *err to the errno of the file, or to 0. */
static int walk_ranges(struct wanted *t, const char *path, int fd, int *err)
{
	struct pagespec_range whole = { 0 };
	const struct pagespec_range *range = t->nr_ranges ? t->range : &whole;
	size_t n = t->nr_ranges ? t->nr_ranges : 1;
	uint64_t page_size = t->cache.page_size, pages;
	struct stat st;
	int ret = 0;

	*err = fstat(fd, &st) ? errno : 0;
	if (*err)
		return 0;
	/* like the kernel's page-types, leave out an incomplete last page */
	whole.end = st.st_size / page_size;
	pages = (st.st_size + page_size - 1) / page_size;
	for (; n && !ret && !*err; n--, range++) {
		enter_file(t, path);
		ret = walk_range(t, fd, range->start,
				 range->end < pages ? range->end : pages, err);
		enter_file(t, NULL);
	}
	return ret;
}

static int walk_file(struct wanted *t, const char *path, bool below)
{
	/* follow a symbolic link only if it is the requested path itself */
	int fd = open(path, O_RDONLY | O_NOATIME | O_NONBLOCK | O_CLOEXEC |
				    (below ? O_NOFOLLOW : 0));
	int ret = 0, err = errno;

	if (fd >= 0) {
		ret = walk_ranges(t, path, fd, &err);
		close(fd);
	}
	/* below a directory, files may vanish, or have no pages, for example in /sys */
	if (err && !(below && (err == ENOENT || err == ENODEV)))
		fails(t, path, err);
	return ret;
}

static int walk_entry(struct wanted *t, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		return walk_file(t, entry->fts_path, entry->fts_level > 0);
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (entry->fts_errno != ENOENT)
			fails(t, entry->fts_path, entry->fts_errno);
		break;
	default:
		break;
	}
	return 0;
}

/* Below a directory, symbolic links and other file systems are skipped. */
static int walk_files(struct wanted *t)
{
	char *paths[] = { (char *)t->file, NULL };
	int ret = filecache_open(&t->cache);
	FTSENT *entry;
	FTS *tree;

	pageruns_begin(&t->walk, "pages of files", 0);
	tree = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_XDEV |
				       FTS_NOCHDIR, NULL);
	if (!tree)
		fails(t, t->file, errno);
	while (!ret && tree && (entry = fts_read(tree)))
		ret = walk_entry(t, entry);
	if (tree)
		fts_close(tree);
	if (!ret)
		ret = pageruns_flush(&t->walk);
	filecache_close(&t->cache);
	progress_end(&t->walk.progress);
	return ret;
}

static int pagetypes_walk(struct wanted *t)
{
	int ret = 0;
	size_t i;

	if (t->file)
		return walk_files(t);
	if (!t->nr_ranges)
		t->range[t->nr_ranges++].end = UINT64_MAX;
	for (i = 0; i < t->nr_ranges && !ret; i++)
		if (t->process)
			ret = pageruns_process(&t->walk, &t->p, &t->range[i]);
		else
			ret = pageruns_frames(&t->walk, &t->range[i]);
	return ret;
}

/* --- output --------------------------------------------------------------------- */

static void print_time(const char *what, time_t when)
{
	char text[64];

	strftime(text, sizeof(text), "%c", localtime(&when));
	printf("%s: %s (%ld seconds ago)\n", what, text,
	       (long)(time(NULL) - when));
}

static void print_file(const struct wanted *t, uint64_t page_size)
{
	const struct stat *st = &t->st;

	printf("%s\tInode: %ju\tSize: %ju (%ju pages)\n", t->file,
	       (uintmax_t)st->st_ino, (uintmax_t)st->st_size,
	       (uintmax_t)((st->st_size + page_size - 1) / page_size));
	print_time("Modify", st->st_mtime);
	print_time("Access", st->st_atime);
	putchar('\n');
}

static int show_text(struct wanted *t, uint64_t page_size)
{
	int ret;

	if (t->list.kind)
		pagelist_titles(&t->list);
	ret = pagetypes_walk(t);
	pagelist_flush(&t->list);
	if (ret || t->no_summary || !outbuf_flush(&t->list.out))
		return ret;
	if (t->list.kind)
		fputs("\n\n", stdout);
	if (t->file)
		print_file(t, page_size);
	pagesum_print(&t->sum, t->names, page_size);
	return 0;
}

/* The list may be larger than memory, so it is written during the walk. */
static int show_json(struct wanted *t, uint64_t page_size)
{
	struct jsonstream *s = &t->list.json_out;
	int ret;

	s->out = &t->list.out;
	jsonstream_open(s, '{');
	jsonstream_member(s, "version", JSON_VERSION);
	jsonstream_member(s, "page_size", page_size);
	if (t->list.kind) {
		jsonstream_key(s, "pages");
		jsonstream_open(s, '[');
	}
	ret = pagetypes_walk(t);
	pagelist_flush(&t->list);
	if (t->list.kind)
		jsonstream_close(s, ']');
	if (!ret && !t->no_summary) {
		jsonstream_key(s, "summary");
		jsonstream_value(s, pagesum_json(&t->sum, t->names,
						 page_size));
		jsonstream_member(s, "total_pages", t->sum.total);
	}
	jsonstream_close(s, '}');
	jsonstream_end_line(s);
	return ret;
}

static int show(struct wanted *t)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	int ret;

	outbuf_init(&t->list.out, STDOUT_FILENO);
	ret = t->list.json ? show_json(t, page_size) : show_text(t, page_size);
	if (outbuf_flush(&t->list.out))
		return ret;
	if (t->list.out.error != EPIPE)
		msg_error("cannot write the output: %s",
			  strerror(t->list.out.error));
	return -1;
}

/* --- preparation ---------------------------------------------------------------- */

/* Return: the number of the process; 0 after a message if not exactly one matches. */
static int find_process(const char *what)
{
	int *pids, pid = 0;
	ssize_t n = process_list(what, &pids);

	if (n == 1)
		pid = pids[0];
	else if (!n)
		msg_error("there is no process %s", what);
	else if (n > 1)
		msg_error("there are %zd processes %s, the first is %d: give a number",
			  n, what, pids[0]);
	free(pids);
	return pid;
}

static int open_process(struct wanted *t)
{
	int pid = find_process(t->process), err;

	if (!pid)
		return -1;
	err = process_open(&t->p, pid);
	if (err == -ESRCH)
		msg_error("process %d has ended", pid);
	else if (err)
		msg_error("cannot read process %d: %s%s", pid, strerror(-err),
			  err == -EACCES ? "; this needs root" : "");
	return err;
}

static int check_file(struct wanted *t)
{
	if (stat(t->file, &t->st)) {
		msg_error("cannot look at %s: %s", t->file, strerror(errno));
		return -1;
	}
	if (S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode))
		return 0;
	msg_error("%s is neither a file nor a directory", t->file);
	return -1;
}

/* Opens the process or checks the file, if the walk is not over frames by number. */
static int open_space(struct wanted *t)
{
	if (!t->file && !t->process)
		return 0;
	if (!process_sees_frames()) {
		msg_error("pagemap hides the numbers of frames: this needs root, with CAP_SYS_ADMIN");
		return -1;
	}
	return t->file ? check_file(t) : open_process(t);
}

static unsigned int files_needed(const struct wanted *t)
{
	unsigned int files = FRAMES_FLAGS;

	if (t->by_cgroup || t->list.cgroup)
		files |= FRAMES_CGROUP;
	if (t->list.kind && t->list.count)
		files |= FRAMES_COUNT;
	return files;
}

static int pagetypes_show(struct wanted *t)
{
	int ret = -1;

	t->p.dir = t->p.pagemap = -1;
	t->walk.take = pagetypes_take;
	t->walk.arg = t;
	t->walk.quiet = t->list.kind && isatty(STDOUT_FILENO);
	if (pageruns_open(&t->walk, files_needed(t), t->kpageflags))
		goto out_walk;
	if (pagemark_open(&t->mark, t->marks))
		goto out_mark;
	if (!open_space(t))
		ret = show(t);
	process_close(&t->p);
out_mark:
	if (pagemark_close(&t->mark))
		ret = -1;
out_walk:
	pageruns_close(&t->walk);
	return ret || t->incomplete ? EXIT_FAILED : EXIT_DONE;
}

/* --- options ---------------------------------------------------------------------- */

static int take_range(const struct option_use *use)
{
	struct wanted *t = use->to;
	char why[PAGESPEC_WHY];

	if (t->nr_ranges == RANGES_MAX)
		return msg_usage(NAME, "--addr can be given %d times at most",
				 RANGES_MAX);
	if (!pagespec_range(use->text, &t->range[t->nr_ranges++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int take_bits(const struct option_use *use)
{
	struct wanted *t = use->to;
	char why[PAGESPEC_WHY];

	if (!strcmp(use->text, "help")) {
		t->lists_flags = true;
		return EXIT_DONE;
	}
	if (t->nr_bits == BITS_MAX)
		return msg_usage(NAME, "--bits can be given %d times at most",
				 BITS_MAX);
	if (!pagespec_bits(t->names, use->text, &t->bits[t->nr_bits++], why))
		return msg_usage(NAME, "%s", why);
	return EXIT_DONE;
}

static int take_cgroup(const struct option_use *use)
{
	struct wanted *t = use->to;
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
	struct wanted *t = use->to;

	t->process = use->text;
	t->list.page = "voffset";
	return EXIT_DONE;
}

static int take_file(const struct option_use *use)
{
	struct wanted *t = use->to;

	t->file = use->text;
	t->list.page = "foffset";
	return EXIT_DONE;
}

static int take_mark(const struct option_use *use)
{
	struct wanted *t = use->to;

	t->marks |= use->row->number;
	return EXIT_DONE;
}

static int check_options(const struct wanted *t)
{
	if (t->process && t->file)
		return msg_usage(NAME, "--pid and --file exclude each other");
	if (t->marks && !t->nr_ranges && !t->nr_bits && !t->by_cgroup &&
	    !t->process && !t->file)
		return msg_usage(NAME,
				 "all pages of the machine cannot be changed at once: select pages");
	if (t->marks && t->kpageflags)
		return msg_usage(NAME, "pages cannot be changed through a copy of their flags");
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'r', "raw", NULL, "all flags, also those for kernel developers",
	  OPTION_TRUE(struct wanted, raw) },
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
	  OPTION_NUMBER(struct wanted, list.kind, PAGELIST_RANGES) },
	{ 'L', "list-each", NULL, "list the pages, one by one",
	  OPTION_NUMBER(struct wanted, list.kind, PAGELIST_EACH) },
	{ 'C', "list-cgroup", NULL, "list the cgroup as well",
	  OPTION_TRUE(struct wanted, list.cgroup) },
	{ 'M', "list-mapcnt", NULL, "list the number of mappings as well",
	  OPTION_TRUE(struct wanted, list.count) },
	{ 'N', "no-summary", NULL, "no summary",
	  OPTION_TRUE(struct wanted, no_summary) },
	{ 'd', "describe", "FLAGS", "show only the names and meanings of these flags",
	  OPTION_TEXT(struct wanted, describe), .offers = ",@pageflags" },
	{ 'F', "kpageflags", "FILE", "read a copy of /proc/kpageflags",
	  OPTION_TEXT(struct wanted, kpageflags), .offers = "files" },
	{ 0, "json", NULL, "as JSON", OPTION_TRUE(struct wanted, list.json) },
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

static int page_types_run(struct wanted *t, int argc, char **argv)
{
	struct cmdline line;
	int ret;

	t->names = t->list.names = pageflags_names(NULL);
	line = cmdline_parse(&cmd_page_types_options, argc, argv, t);
	if (line.is_over)
		return line.ret;
	if (t->lists_flags) {
		list_flags(t->names);
		return 0;
	}
	if (t->describe)
		return describe(t, t->describe);
	ret = check_options(t);
	return ret ? ret : pagetypes_show(t);
}

int cmd_page_types(int argc, char **argv)
{
	struct wanted *t = xcalloc(1, sizeof(*t));
	int ret = page_types_run(t, argc, argv);

	free(t);
	return ret;
}
