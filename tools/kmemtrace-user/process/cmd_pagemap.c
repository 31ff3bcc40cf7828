// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/progress.h"
#include "base/table.h"
#include "command.h"
#include "process/comparison.h"
#include "process/footprint.h"
#include "process/usage_rows.h"

/* maximum number of unreadable processes that a message names */
#define NAMED 5

/**
 * struct refused - processes that could not be read for lack of permission
 * @pid: numbers of the first of them
 * @name: names of the first of them
 * @count: number of all of them
 */
struct refused {
	int pid[NAMED];
	char name[NAMED][64];
	size_t count;
};

/**
 * struct request - the command line and its results
 * @pid: numbers of the processes to read
 * @pids: number of elements of @pid
 * @by_name: the processes were selected by name, or with --all; some may have ended
 * @ret: exit status of the command
 * @choice: mappings to read
 * @mode: 's': one row per process; 'm': one row per mapping; 0: depends on @pids
 * @sort: key of --sort, or NULL
 * @compare: compare two processes
 * @format: output format
 * @view: rows and columns to show
 * @refused: processes that could not be read for lack of permission
 */
struct request {
	int *pid;
	size_t pids;
	bool by_name;
	int ret;
	struct footprint_choice choice;
	char mode;
	const char *sort;
	bool compare;
	enum table_format format;
	struct usage_view view;
	struct refused refused;
};

/* --- selection of processes ------------------------------------------------------- */

/* @what: a number or a name; NULL: all processes */
static int add_pids(struct request *q, const char *what)
{
	int *pid;
	ssize_t i, n = process_list(what, &pid);

	if (n < 0)
		return EXIT_FAILED;
	if (!n)
		q->ret = msg_error("there is no process %s",
				   what ? what : "at all");
	for (i = 0; i < n; i++)
		*array_add(q->pid, q->pids) = pid[i];
	free(pid);
	return EXIT_DONE;
}

static int by_pid(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sort_pids(struct request *q)
{
	size_t i, n = 0;

	if (q->pids)
		qsort(q->pid, q->pids, sizeof(*q->pid), by_pid);
	for (i = 0; i < q->pids; i++)
		if (!n || q->pid[n - 1] != q->pid[i])
			q->pid[n++] = q->pid[i];
	q->pids = n;
}

/* --- reading processes ------------------------------------------------------------- */

static void pagemap_refuse(struct refused *r, const struct process *p)
{
	if (r->count < NAMED) {
		r->pid[r->count] = p->pid;
		snprintf(r->name[r->count], sizeof(*r->name), "%s", p->name);
	}
	r->count++;
}

/* Return: whether the process is shown. */
static bool keep(struct request *q, struct footprint *f, int pid, int err)
{
	switch (err) {
	case 0:
		if (!f->process.nr_maps && !q->by_name)
			msg_note("process %d (%s) has no memory of its own",
				 pid, f->process.name);
		return f->rows || !q->by_name;
	case -ESRCH:
		if (!q->by_name)
			q->ret = footprint_error(&f->process, err);
		return false;
	case -EACCES:
		if (process_is_kthread(&f->process))
			return false;
		pagemap_refuse(&q->refused, &f->process);
		q->ret = EXIT_FAILED;
		return false;
	default:
		q->ret = footprint_error(&f->process, err);
		return false;
	}
}

static int pagemap_read_all(struct request *q, struct footprint_reader *r,
			    struct progress *progress)
{
	struct usage_view *v = &q->view;
	size_t i;
	int err = 0;

	v->process = xcalloc(q->pids + 1, sizeof(*v->process));
	for (i = 0; i < q->pids && err != FOOTPRINT_BROKEN; i++) {
		struct footprint *f = &v->process[v->processes];

		err = footprint_read(r, f, q->pid[i], &q->choice);
		if (q->pids > 1)
			progress_step(progress, i + 1);
		if (!keep(q, f, q->pid[i], err)) {
			footprint_free(f);
			continue;
		}
		if (v->summary)
			footprint_keep_total(f);
		v->processes++;
	}
	return err == FOOTPRINT_BROKEN ? EXIT_FAILED : EXIT_DONE;
}

/* --- notes on unknown values ------------------------------------------------------- */

static void note_shmswap(void)
{
	/* notes on stderr come after the table */
	fflush(stdout);
	msg_note("swap lacks shared memory: its files could not be read");
}

static void note_refused(const struct refused *r)
{
	char names[NAMED * 96] = "";
	size_t i, len = 0;

	for (i = 0; i < NAMED && i < r->count; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%d (%s)",
				i ? ", " : "", r->pid[i], r->name[i]);
	if (r->count > NAMED)
		snprintf(names + len, sizeof(names) - len, " and %zu more",
			 r->count - NAMED);
	msg_error("%zu process%s could not be read: %s; %s", r->count,
		  r->count == 1 ? "" : "es", names, footprint_advice());
}

static void note_unknown(const struct request *q,
			 const struct footprint_reader *r)
{
	if (!r->sees_frames)
		msg_note("only root with CAP_SYS_ADMIN sees frame numbers; without them pss, thp, hugetlb, locked and ksm are not known, rss includes hugetlb pages%s%s",
			 r->scan->can_ask ? "" : " and zero pages",
			 r->misses_shmswap ? ", and swap lacks shared memory" : "");
	else if (r->misses_shmswap)
		note_shmswap();
	if (r->sees_frames && !r->sees_ksm)
		msg_note("this kernel marks all anonymous pages as merged by KSM: "
			 "ksm is not known");
	if (!r->sees_soft_dirty)
		msg_note("this kernel keeps no soft-dirty bits: it was built "
			 "without CONFIG_MEM_SOFT_DIRTY");
	if (q->refused.count)
		note_refused(&q->refused);
}

/* --- output --------------------------------------------------------------------- */

/* clang-format off */
#define ALL_SUMS \
	USAGE_SIZE, USAGE_RSS, USAGE_USS, USAGE_PSS, USAGE_SHARED, USAGE_SWAP, \
	USAGE_ANON, USAGE_FILES, USAGE_SOFT_DIRTY, USAGE_EXCLUSIVE, USAGE_THP, \
	USAGE_HUGETLB, USAGE_LOCKED, USAGE_KSM
#define NARROW_SUMS \
	USAGE_SIZE, USAGE_RSS, USAGE_USS, USAGE_PSS, USAGE_SHARED, USAGE_SWAP
#define PLACE \
	USAGE_START, USAGE_END, USAGE_PERMS, USAGE_OFFSET, USAGE_DEVICE, \
	USAGE_INODE, USAGE_KIND

static const enum usage_column narrow_summary[] = {
	USAGE_PID, NARROW_SUMS, USAGE_NAME, USAGE_COLUMNS
};
static const enum usage_column full_summary[] = {
	USAGE_PID, ALL_SUMS, USAGE_NAME, USAGE_COLUMNS
};
static const enum usage_column narrow_mappings[] = {
	USAGE_START, USAGE_PERMS, NARROW_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column wide_mappings[] = {
	USAGE_START, USAGE_PERMS, USAGE_KIND, ALL_SUMS, USAGE_MAPPING,
	USAGE_COLUMNS
};
static const enum usage_column csv_mappings[] = {
	USAGE_PID, USAGE_NAME, PLACE, ALL_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column json_mapping[] = {
	PLACE, ALL_SUMS, USAGE_MAPPING, USAGE_COLUMNS
};
static const enum usage_column sums[] = { ALL_SUMS, USAGE_COLUMNS };
/* clang-format on */

static struct usage total_of(const struct usage_view *v)
{
	struct usage total = { 0 };
	size_t i;

	for (i = 0; i < v->processes; i++)
		usage_add(&total, &v->process[i].total);
	return total;
}

/* --- text -------------------------------------------------------------------------- */

static const char *human(char to[16], const struct usage_view *v,
			 const struct usage *u, enum usage_column c)
{
	if (!usage_rows_knows(v, c))
		return "-";
	return table_human(to, 16, usage_rows_sum(u, c), 1);
}

static void print_parts(const struct usage_view *v, const struct usage *u)
{
	char b[5][16];

	printf("\nof RSS: %s anonymous, %s of files, %s in THPs, %s locked, "
	       "%s of KSM\n",
	       human(b[0], v, u, USAGE_ANON), human(b[1], v, u, USAGE_FILES),
	       human(b[2], v, u, USAGE_THP), human(b[3], v, u, USAGE_LOCKED),
	       human(b[4], v, u, USAGE_KSM));
	printf("mapped just once: %s; soft-dirty: %s; besides RSS: %s of "
	       "hugetlb\n",
	       human(b[0], v, u, USAGE_EXCLUSIVE),
	       human(b[1], v, u, USAGE_SOFT_DIRTY),
	       human(b[2], v, u, USAGE_HUGETLB));
}

/* @f: NULL: one row per process, and the total of all */
static void print_text(const struct usage_view *v, const struct footprint *f)
{
	struct usage total = f ? f->total : total_of(v);
	struct usage_rows rows;

	if (f)
		printf("%d %s\n", f->process.pid, f->process.name);
	usage_rows_init(&rows, v, f, f ? (v->wide ? wide_mappings : narrow_mappings) :
					 (v->wide ? full_summary : narrow_summary));
	usage_rows_add_total(&rows, &total);
	listing_print(&rows.list, TABLE_TEXT);
	if (!v->wide)
		print_parts(v, &total);
	listing_free(&rows.list);
}

/* --- CSV and JSON -------------------------------------------------------------------- */

static void print_csv(const struct usage_view *v)
{
	struct usage_rows rows;
	size_t i = 0;

	do {
		usage_rows_init(&rows, v, v->summary || !v->processes ? NULL : &v->process[i],
				v->summary ? full_summary : csv_mappings);
		if (i)
			rows.columns[0].key = NULL;
		listing_print(&rows.list, TABLE_CSV);
		listing_free(&rows.list);
	} while (!v->summary && ++i < v->processes);
}

static json_t *json_rows(const struct usage_view *v, const struct footprint *f,
			 const enum usage_column *column)
{
	struct usage_rows rows;
	json_t *table;

	usage_rows_init(&rows, v, f, column);
	table = listing_json(&rows.list);
	listing_free(&rows.list);
	return table;
}

static json_t *only_row(json_t *table)
{
	json_t *row = json_incref(json_array_get(table, 0));

	json_decref(table);
	return row;
}

static json_t *json_processes(const struct usage_view *v)
{
	json_t *processes, *process;
	struct usage_view one = *v;

	if (v->summary)
		return json_rows(v, NULL, full_summary);
	processes = json_array();
	one.processes = 1;
	for (; one.process < v->process + v->processes; one.process++) {
		process = only_row(json_rows(&one, NULL, full_summary));
		json_object_set_new(process, "mappings",
				    json_rows(v, one.process, json_mapping));
		json_array_append_new(processes, process);
	}
	return processes;
}

static int pagemap_print(const struct usage_view *v, enum table_format format)
{
	struct footprint all = { .total = total_of(v) };
	struct usage_view total = *v;
	size_t i;

	total.process = &all;
	total.processes = 1;

	if (format == TABLE_JSON)
		return json_print(json_pack("{s:b,s:o,s:o}", "frames_seen", v->reader->sees_frames,
					    "processes", json_processes(v), "total",
					    only_row(json_rows(&total, NULL, sums))));
	if (format == TABLE_CSV)
		print_csv(v);
	else if (v->summary)
		print_text(v, NULL);
	for (i = 0; i < v->processes && format == TABLE_TEXT && !v->summary; i++) {
		if (i)
			putchar('\n');
		print_text(v, &v->process[i]);
	}
	return EXIT_DONE;
}

/* --- reading and printing ------------------------------------------------------------ */

static int pagemap_show(struct request *q)
{
	struct footprint_reader r;
	struct progress progress;
	int ret = EXIT_FAILED;
	size_t i;

	sort_pids(q);
	if (!q->pids)
		return q->ret;
	q->view.summary = q->mode ? q->mode == 's' : q->pids > 1;
	progress_start(&progress, q->pids > 1 ? "processes" : "pages",
		       q->pids > 1 ? q->pids : 0);
	if (footprint_start(&r, q->pids > 1 ? NULL : &progress))
		goto out;
	ret = pagemap_read_all(q, &r, &progress);
	progress_end(&progress);
	if (ret)
		goto out;
	q->view.reader = &r;
	if (!q->sort && q->view.summary)
		q->view.sort = usage_rows_find_column(r.sees_frames ? "pss" : "rss");
	ret = pagemap_print(&q->view, q->format);
	fflush(stdout);
	note_unknown(q, &r);
out:
	for (i = 0; i < q->view.processes; i++)
		footprint_free(&q->view.process[i]);
	free(q->view.process);
	footprint_stop(&r);
	return ret ? ret : q->ret;
}

static int take_pid(const struct option_use *use)
{
	size_t number;

	if (!option_count(use->text, &number))
		return option_wrong(use, "a number");
	return add_pids(use->to, use->text);
}

static int take_name(const struct option_use *use)
{
	struct request *q = use->to;

	q->by_name = true;
	return add_pids(q, use->text);
}

static int take_range(const struct option_use *use)
{
	struct footprint_choice *c = &((struct request *)use->to)->choice;
	char *end = (char *)use->text;

	errno = 0;
	if (isxdigit((unsigned char)*end))
		c->start = strtoull(end, &end, 16);
	if (end > use->text && *end == '-' && isxdigit((unsigned char)end[1])) {
		c->end = strtoull(end + 1, &end, 16);
		if (!*end && !errno && c->start < c->end)
			return EXIT_DONE;
	}
	return option_wrong(use, "START-END, hexadecimal");
}

static int take_mode(const struct option_use *use)
{
	struct request *q = use->to;

	q->mode = use->row->number;
	return EXIT_DONE;
}

static const struct option_row rows[] = {
	{ 'p', "pid", "PID", "this process", .repeats = true, .take = take_pid },
	{ 0, "name", "NAME", "the processes with this name", .repeats = true,
	  .take = take_name },
	{ 'a', "all", NULL, "all processes", .take = take_name },
	{ 0, "compare", NULL, "the pages that the processes A and B, numbers or names, have in common, and those of only one",
	  OPTION_TRUE(struct request, compare) },
	{ 'm', "map", "TEXT", "only mappings with TEXT in their path or [name]",
	  OPTION_TEXT(struct request, choice.name) },
	{ 'r', "range", "START-END", "only these addresses, hexadecimal", .take = take_range },
	{ 0, "summary", NULL, "one row per process, even for one process", .take = take_mode,
	  .number = 's' },
	{ 0, "mappings", NULL, "one row per mapping, even for several processes",
	  .take = take_mode, .number = 'm' },
	{ 's', "sort", "KEY",
	  "largest first: size, rss, uss, pss, shared, swap, anon, file, soft_dirty, exclusive, thp, hugetlb, locked, ksm; default: processes by pss, mappings by address\n"
	  "with --compare: size, rss, both, only, anon_both, thp_both, swap, swap_both, swap_only, hugetlb, hugetlb_both, hugetlb_only, each also with _a or _b",
	  OPTION_TEXT(struct request, sort) },
	{ 'n', "top", "N", "show N rows; 0, the default, is all",
	  OPTION_COUNT(struct request, view.top) },
	{ 'w', "wide", NULL, "all columns", OPTION_TRUE(struct request, view.wide) },
	{ 0, "csv", NULL, "everything, as CSV",
	  OPTION_NUMBER(struct request, format, TABLE_CSV) },
	{ 0, "json", NULL, "everything, as JSON",
	  OPTION_NUMBER(struct request, format, TABLE_JSON) },
	{ 0 },
};

const struct options cmd_pagemap_options = {
	.command = "pagemap",
	.synopsis = (const char *const[]){
		"--pid PID | --name NAME | --all [OPTION]...",
		"--compare A B [OPTION]...", NULL },
	.about = "Shows the memory of processes: for one process, each row is a mapping; for several, each row is a process.",
	.rows = rows,
	.operands = "",
};

/* --- two processes ------------------------------------------------------------------ */

/* Options that select or show single processes. */
static int check_alone(const struct cmdline *line)
{
	static const char *const other[] = { "pid", "name", "all", "range",
					     "summary", "mappings" };
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(*other); i++)
		if (cmdline_has(line, &cmd_pagemap_options, other[i]))
			return msg_usage("pagemap",
					 "--compare cannot be combined with --%s",
					 other[i]);
	if (line->count != COMPARISON_SIDES)
		return msg_usage("pagemap",
				 "--compare takes two processes, A and B: numbers or names");
	return EXIT_DONE;
}

static int pagemap_compare(struct request *q, const struct cmdline *line)
{
	struct comparison c;
	int pid[COMPARISON_SIDES], i, ret = check_alone(line);

	if (!ret && q->sort) {
		q->view.sort = comparison_find_key(q->sort);
		if (q->view.sort == USAGE_ROWS_UNSORTED)
			ret = comparison_no_key(q->sort);
	}
	for (i = 0; i < COMPARISON_SIDES && !ret; i++) {
		pid[i] = process_find(line->words[i]);
		ret = pid[i] ? EXIT_DONE : EXIT_FAILED;
	}
	if (ret)
		return ret;
	ret = comparison_read(&c, pid);
	if (!ret)
		ret = comparison_print(&c, &q->view, q->choice.name, q->format);
	if (!ret && c.misses_shmswap)
		note_shmswap();
	comparison_free(&c);
	return ret;
}

/* --- the command -------------------------------------------------------------------- */

static int pagemap_run(struct request *q, int argc, char **argv)
{
	struct cmdline line = cmdline_parse(&cmd_pagemap_options, argc, argv, q);

	if (line.is_over)
		return line.ret;
	if (q->compare)
		return pagemap_compare(q, &line);
	if (line.count)
		return msg_usage("pagemap", "it takes no argument: '%s'",
				 *line.words);
	if (q->sort)
		q->view.sort = usage_rows_find_column(q->sort);
	if (q->sort && q->view.sort == USAGE_ROWS_UNSORTED)
		return usage_rows_no_column("pagemap", q->sort);
	if (!q->pids && q->ret == EXIT_DONE)
		return msg_usage("pagemap",
				 "no process was given: use --pid, --name or --all");
	return pagemap_show(q);
}

int cmd_pagemap(int argc, char **argv)
{
	struct request q = { .choice.end = UINT64_MAX,
			     .view.sort = USAGE_ROWS_UNSORTED };
	int ret;

	ret = pagemap_run(&q, argc, argv);
	free(q.pid);
	return ret;
}
