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
#include "base/jsonstream.h"
#include "base/msg.h"
#include "base/outbuf.h"
#include "command.h"
#include "pages/pagemark.h"
#include "pages/pageruns.h"
#include "pages/pagespec.h"
#include "process/filecache.h"
#include "process/footprint.h"

#define NAME "page-types"

#define RANGES_MAX 1024
#define BITS_MAX   64
/* same as in the kernel's page-types, whose rows have the order of a hash table */
#define SUMS	   8192

enum list_kind { LIST_NONE, LIST_RANGES, LIST_EACH };

/* a row of the summary: pages that have the same flags; those without pages are not shown */
struct sum {
	uint64_t flags;
	uint64_t pages;
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
 * @list: the form of the list
 * @list_cgroup: the list shows the cgroup
 * @list_count: the list shows the number of mappings
 * @json: write JSON
 * @walk: the walk over the pages
 * @p: the process
 * @st: status of the file
 * @cache: reads the page cache of files
 * @incomplete: a file could not be read, and a message was printed
 * @mark: the files for the changes
 * @path: path of the file of the pages, for the list in JSON; NULL: none
 * @run: the pages that were not counted yet; none if @run.n is 0
 * @out: buffer of the list and of JSON; data that is written past it must be flushed before
 * @stream: writes to @out, if @json is set
 * @sum: the summary, by a hash of the flags; the first row is for pages without flags
 * @total: number of all pages
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
	enum list_kind list;
	bool list_cgroup;
	bool list_count;
	bool json;
	struct pageruns walk;
	struct process p;
	struct stat st;
	struct filecache cache;
	bool incomplete;
	struct pagemark mark;
	const char *path;
	struct pagerun run;
	struct outbuf out;
	struct jsonstream stream;
	struct sum sum[SUMS];
	uint64_t total;
};

/* --- flags ------------------------------------------------------------------------ */

/* The kernel's page-types adds the same remarks to the names of flags. */
static void list_flags(const struct pageflag_name *names)
{
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].name)
			printf("%2d  %c  %s%s\n", i, names[i].letter ? names[i].letter : ' ',
			       names[i].name,
			       i < PF_RESERVED		? "" :
			       i <= PF_ANON_EXCLUSIVE ? " (raw)" :
							" (raw, not the kernel's)");
}

/* The members of the flags that describe() and the summary have in common. */
static json_t *json_flags(const struct pageflag_name *names, uint64_t flags)
{
	char hex[20], letters[PAGEFLAGS + 1];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, flags);
	return json_pack("{s:s,s:s,s:o}", "flags", hex, "short",
			 pageflags_short(names, flags, letters), "names",
			 pageflags_json(names, flags));
}

static int describe(const struct wanted *t)
{
	const struct pageflag_name *names = t->names;
	char why[PAGESPEC_WHY], letters[PAGEFLAGS + 1], full[PAGEFLAGS_LONG];
	json_t *root, *meanings;
	uint64_t flags;
	int i;

	if (!pagespec_flags(names, t->describe, &flags, why))
		return msg_usage(NAME, "%s", why);
	/* the kernel's page-types prints the same line */
	if (!t->json)
		printf("0x%016" PRIx64 "\t%s\t%s\n", flags,
		       pageflags_short(names, flags, letters),
		       pageflags_long(names, flags, full, sizeof(full)));
	meanings = json_array();
	for (i = 0; i < PAGEFLAGS; i++) {
		const char *meaning = flags >> i & 1 ? pageflags_meaning(names, i) : NULL;

		if (!meaning)
			continue;
		if (!t->json)
			printf("  %c  %-14s  %s\n", names[i].letter ? names[i].letter : ' ',
			       names[i].name, meaning);
		json_array_append_new(meanings, json_pack("{s:s,s:s}", "name", names[i].name,
							  "meaning", meaning));
	}
	root = json_flags(names, flags);
	json_object_set_new(root, "meanings", meanings);
	if (t->json)
		return json_print(root);
	json_decref(root);
	return EXIT_DONE;
}

/* --- the list ---------------------------------------------------------------------- */

static void list_decimal(struct outbuf *o, uint64_t n)
{
	char digits[OUTBUF_NUMBER];

	outbuf_bytes(o, digits, outbuf_decimal(digits, n, false, 0));
	outbuf_char(o, '\t');
}

static void list_hex(struct outbuf *o, uint64_t n)
{
	char digits[OUTBUF_NUMBER];

	outbuf_hex(digits, n);
	outbuf_text(o, digits + 2);
	outbuf_char(o, '\t');
}

/* The title of the column for the page in the address space or file; NULL: no column. */
static const char *page_title(const struct wanted *t)
{
	return t->process ? "voffset" : t->file ? "foffset" : NULL;
}

static void list_titles(struct wanted *t)
{
	struct outbuf *o = &t->out;

	if (page_title(t)) {
		outbuf_text(o, page_title(t));
		outbuf_char(o, '\t');
	}
	if (t->list_cgroup)
		outbuf_text(o, "cgroup\t");
	if (t->list_count)
		outbuf_text(o, "map-cnt\t");
	outbuf_text(o, t->list == LIST_RANGES ? "offset\tlen\tflags\n" : "offset\tflags\n");
}

static void list_text(struct wanted *t, const struct pagerun *run, const char *letters)
{
	struct outbuf *o = &t->out;

	if (page_title(t))
		list_hex(o, run->page);
	if (t->list_cgroup) {
		outbuf_char(o, '@');
		list_decimal(o, run->cgroup);
	}
	if (t->list_count)
		list_decimal(o, run->count);
	list_hex(o, run->frame);
	if (t->list == LIST_RANGES)
		list_hex(o, run->n);
	outbuf_text(o, letters);
	outbuf_char(o, '\n');
}

static void list_json(struct wanted *t, const struct pagerun *run)
{
	struct jsonstream *s = &t->stream;

	jsonstream_open_line(s);
	jsonstream_key(s, "flags");
	jsonstream_hex(s, run->flags);
	jsonstream_key(s, "names");
	jsonstream_value(s, pageflags_json(t->names, run->flags));
	jsonstream_member(s, run->swapped ? "swap_offset" : "frame", run->frame);
	if (page_title(t))
		jsonstream_member(s, "page", run->page);
	jsonstream_member(s, "pages", run->n);
	if (t->list_cgroup)
		jsonstream_member(s, "cgroup", run->cgroup);
	if (t->list_count)
		jsonstream_member(s, "mapcount", run->count);
	if (t->path) {
		/* a name that is not UTF-8 is written as null, because JSON needs UTF-8 */
		jsonstream_key(s, "file");
		jsonstream_value(s, json_string(t->path));
	}
	jsonstream_close(s, '}');
}

static void list_run(struct wanted *t, struct pagerun run)
{
	char letters[PAGEFLAGS + 1];
	uint64_t n = run.n;

	pageflags_short(t->names, run.flags, letters);
	if (t->list == LIST_RANGES)
		n = 1;
	else
		run.n = 1;
	for (; n; n--, run.page++, run.frame++)
		if (t->json)
			list_json(t, &run);
		else
			list_text(t, &run, letters);
}

/* --- the summary -------------------------------------------------------------------- */

/* Return: the row for a combination of flags; NULL after a message if the table is full. */
static struct sum *sum_of(struct wanted *t, uint64_t flags)
{
	unsigned int i = flags % SUMS, tried;

	if (!flags)
		return &t->sum[0];
	for (tried = 1; tried < SUMS; tried++, i++) {
		if (!i || i == SUMS)
			i = 1;
		if (!t->sum[i].flags)
			t->sum[i].flags = flags;
		if (t->sum[i].flags == flags)
			return &t->sum[i];
	}
	msg_error("more than %d combinations of flags: these are not the flags of pages", SUMS - 1);
	return NULL;
}

/* As the kernel's page-types prints it. */
static void sum_print(const struct wanted *t, uint64_t page_size)
{
	char letters[PAGEFLAGS + 1], text[PAGEFLAGS_LONG];
	const struct sum *sum;

	printf("%18s\t%10s %8s  symbolic-flags\t\t\tlong-symbolic-flags\n", "flags",
	       "page-count", "MB");
	for (sum = t->sum; sum < t->sum + SUMS; sum++)
		if (sum->pages)
			printf("0x%016" PRIx64 "\t%10" PRIu64 " %8" PRIu64 "  %s\t%s\n",
			       sum->flags, sum->pages, sum->pages * page_size >> 20,
			       pageflags_short(t->names, sum->flags, letters),
			       pageflags_long(t->names, sum->flags, text, sizeof(text)));
	printf("%18s\t%10" PRIu64 " %8" PRIu64 "\n", "total", t->total,
	       t->total * page_size >> 20);
}

static json_t *sum_json(const struct wanted *t, uint64_t page_size)
{
	json_t *rows = json_array(), *row;
	const struct sum *sum;

	for (sum = t->sum; sum < t->sum + SUMS; sum++) {
		if (!sum->pages)
			continue;
		row = json_flags(t->names, sum->flags);
		json_object_set_new(row, "pages", json_integer(sum->pages));
		json_object_set_new(row, "bytes", json_integer(sum->pages * page_size));
		json_array_append_new(rows, row);
	}
	return rows;
}

/* --- pages ---------------------------------------------------------------------- */

/* Counts, changes and lists the last run; the next pages begin another one. */
static int pagetypes_flush(struct wanted *t)
{
	struct pagerun run = t->run;
	struct sum *sum = run.n ? sum_of(t, run.flags) : NULL;

	t->run.n = 0;
	if (!sum)
		return run.n ? -1 : 0;
	sum->pages += run.n;
	t->total += run.n;
	if (t->marks && !run.swapped)
		pagemark_frames(&t->mark, run.frame, run.n);
	if (t->list)
		list_run(t, run);
	return 0;
}

static int pagetypes_take(void *arg, const struct pagerun *run)
{
	struct wanted *t = arg;
	struct pagerun shown = *run;
	size_t i;

	shown.flags = t->raw ? pageflags_raw(t->names, run->flags) :
			       pageflags_well_known(run->flags);
	for (i = 0; i < t->nr_bits; i++)
		if (!pagespec_fits(&t->bits[i], shown.flags))
			return 0;
	if (t->by_cgroup && (run->swapped || run->cgroup != t->cgroup))
		return 0;
	if (pagerun_goes_on(&t->run, &shown)) {
		t->run.n += shown.n;
		return 0;
	}
	if (pagetypes_flush(t))
		return -1;
	t->run = shown;
	return 0;
}

/* --- the pages of files --------------------------------------------------------- */

static void fails(struct wanted *t, const char *path, int err)
{
	msg_error("cannot look at %s: %s", path, strerror(err));
	t->incomplete = true;
}

static int walk_range(struct wanted *t, int fd, uint64_t page, uint64_t end, int *err)
{
	struct pageruns *w = &t->walk;
	uint64_t n;

	for (; page < end; page += n) {
		n = end - page < PAGESCAN_ENTRIES ? end - page : PAGESCAN_ENTRIES;
		*err = -filecache_entries(&t->cache, fd, page, w->scan->entry, n);
		if (*err)
			break;
		if (pageruns_entries(w, page, n))
			return -1;
	}
	return 0;
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
		/* a list names the file of each range */
		t->path = path;
		ret = walk_range(t, fd, range->start, range->end < pages ? range->end : pages, err);
		if (pagetypes_flush(t))
			ret = -1;
		t->path = NULL;
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
		if (entry->fts_info == FTS_F)
			ret = walk_file(t, entry->fts_path, entry->fts_level > 0);
		else if ((entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
			  entry->fts_info == FTS_NS) && entry->fts_errno != ENOENT)
			fails(t, entry->fts_path, entry->fts_errno);
	if (tree)
		fts_close(tree);
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
	return pagetypes_flush(t) ? -1 : ret;
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

	if (t->list)
		list_titles(t);
	ret = pagetypes_walk(t);
	if (ret || t->no_summary || !outbuf_flush(&t->out))
		return ret;
	if (t->list)
		fputs("\n\n", stdout);
	if (t->file)
		print_file(t, page_size);
	sum_print(t, page_size);
	return 0;
}

/* The list may be larger than memory, so it is written during the walk. */
static int show_json(struct wanted *t, uint64_t page_size)
{
	struct jsonstream *s = &t->stream;
	int ret;

	s->out = &t->out;
	jsonstream_open(s, '{');
	jsonstream_member(s, "version", JSON_VERSION);
	jsonstream_member(s, "page_size", page_size);
	if (t->list) {
		jsonstream_key(s, "pages");
		jsonstream_open(s, '[');
	}
	ret = pagetypes_walk(t);
	if (t->list)
		jsonstream_close(s, ']');
	if (!ret && !t->no_summary) {
		jsonstream_key(s, "summary");
		jsonstream_value(s, sum_json(t, page_size));
		jsonstream_member(s, "total_pages", t->total);
	}
	jsonstream_close(s, '}');
	jsonstream_end_line(s);
	return ret;
}

static int show(struct wanted *t)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	int ret;

	outbuf_init(&t->out, STDOUT_FILENO);
	ret = t->json ? show_json(t, page_size) : show_text(t, page_size);
	if (outbuf_flush(&t->out))
		return ret;
	if (t->out.error != EPIPE)
		msg_error("cannot write the output: %s", strerror(t->out.error));
	return -1;
}

/* --- preparation ---------------------------------------------------------------- */

/* Opens the process or checks the file, if the walk is not over frames by number. */
static int open_space(struct wanted *t)
{
	int pid, err;

	if (!t->file && !t->process)
		return EXIT_DONE;
	if (!process_sees_frames())
		return msg_error("pagemap hides the numbers of frames: this needs root, with CAP_SYS_ADMIN");
	if (t->process) {
		pid = process_find(t->process);
		err = pid ? process_open(&t->p, pid) : 0;
		return err ? footprint_error(&t->p, err) : pid ? EXIT_DONE : EXIT_FAILED;
	}
	if (stat(t->file, &t->st))
		return msg_error("cannot look at %s: %s", t->file, strerror(errno));
	if (S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode))
		return EXIT_DONE;
	return msg_error("%s is neither a file nor a directory", t->file);
}

static int pagetypes_show(struct wanted *t)
{
	int ret = -1;

	t->p.dir = t->p.pagemap = -1;
	t->walk.take = pagetypes_take;
	t->walk.arg = t;
	t->walk.quiet = t->list && isatty(STDOUT_FILENO);
	if (pageruns_open(&t->walk,
			  FRAMES_FLAGS | (t->by_cgroup || t->list_cgroup ? FRAMES_CGROUP : 0) |
				  (t->list && t->list_count ? FRAMES_COUNT : 0),
			  t->kpageflags))
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
	  OPTION_TEXT(struct wanted, process) },
	{ 'f', "file", "FILE|DIR",
	  "the cached pages of a file, or of all files below a directory",
	  OPTION_TEXT(struct wanted, file), .offers = "files" },
	{ 'l', "list", NULL, "list the pages, in ranges",
	  OPTION_NUMBER(struct wanted, list, LIST_RANGES) },
	{ 'L', "list-each", NULL, "list the pages, one by one",
	  OPTION_NUMBER(struct wanted, list, LIST_EACH) },
	{ 'C', "list-cgroup", NULL, "list the cgroup as well",
	  OPTION_TRUE(struct wanted, list_cgroup) },
	{ 'M', "list-mapcnt", NULL, "list the number of mappings as well",
	  OPTION_TRUE(struct wanted, list_count) },
	{ 'N', "no-summary", NULL, "no summary",
	  OPTION_TRUE(struct wanted, no_summary) },
	{ 'd', "describe", "FLAGS", "show only the names and meanings of these flags",
	  OPTION_TEXT(struct wanted, describe), .offers = ",@pageflags" },
	{ 'F', "kpageflags", "FILE", "read a copy of /proc/kpageflags",
	  OPTION_TEXT(struct wanted, kpageflags), .offers = "files" },
	{ 0, "json", NULL, "as JSON", OPTION_TRUE(struct wanted, json) },
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

	t->names = pageflags_names(NULL);
	line = cmdline_parse(&cmd_page_types_options, argc, argv, t);
	if (line.is_over)
		return line.ret;
	if (t->lists_flags) {
		list_flags(t->names);
		return 0;
	}
	if (t->describe)
		return describe(t);
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
