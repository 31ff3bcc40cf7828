// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/options.h"
#include "base/progress.h"
#include "command.h"
#include "process/footprint.h"
#include "process/usage_view.h"

static const char help[] =
	"Usage: kmemtrace-user pagemap --pid PID | --name NAME | --all [OPTION]...\n\n"
	"Shows what processes have in memory: of one process each mapping, of several\n"
	"a row each.\n\n"
	"  -p, --pid PID       this process; may be given several times\n"
	"      --name NAME     those with this name, the same\n"
	"  -a, --all           all of them\n"
	"  -m, --map TEXT      only mappings with TEXT in their path or [name]\n"
	"  -r, --range START-END   only these addresses, hexadecimal\n"
	"      --summary       a row a process, of one process as well\n"
	"      --mappings      a row a mapping, of several processes as well\n"
	"  -s, --sort KEY      largest first: size, rss, uss, pss, shared, swap, anon,\n"
	"                      file, soft_dirty, exclusive, thp, hugetlb, locked, ksm;\n"
	"                      default pss for processes, else by address\n"
	"  -n, --top N         this many rows; 0, the default, is all\n"
	"  -w, --wide          all columns\n"
	"      --csv           everything, as CSV\n"
	"      --json          everything, as JSON\n"
	"  -h, --help          this text\n";

/* so many that could not be read are named */
#define NAMED 5

/**
 * struct refused - processes that may not be looked at
 * @pid: the first of them
 * @name: their names
 * @count: how many
 */
struct refused {
	int pid[NAMED];
	char name[NAMED][64];
	size_t count;
};

/**
 * struct request - the command line, and what comes of it
 * @pid: processes to read
 * @pids: how many
 * @by_name: they were asked for by name, or all: some may have ended
 * @ret: what the command returns
 * @choice: mappings to read
 * @mode: 's' a row a process, 'm' a row a mapping, 0 what suits
 * @sorted: an order was asked for
 * @format: of the output
 * @view: what to show
 * @refused: processes that may not be looked at
 */
struct request {
	int *pid;
	size_t pids;
	bool by_name;
	int ret;
	struct footprint_choice choice;
	char mode;
	bool sorted;
	enum table_format format;
	struct usage_view view;
	struct refused refused;
};

/* --- which processes -------------------------------------------------------------- */

/* By number, by name, or with NULL all. */
static int add_pids(struct request *q, const char *what)
{
	int *pid, *more;
	ssize_t n = process_list(what, &pid);

	if (n < 0)
		return EXIT_FAILED;
	if (!n)
		q->ret = msg_error("there is no process %s",
				   what ? what : "at all");
	more = reallocarray(q->pid, q->pids + n + 1, sizeof(*more));
	if (more) {
		q->pid = more;
		if (n)
			memcpy(q->pid + q->pids, pid, n * sizeof(*pid));
		q->pids += n;
	}
	free(pid);
	return more ? EXIT_DONE : msg_error("memory ran out");
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

/* --- reading them ------------------------------------------------------------------ */

static void refuse(struct refused *r, const struct process *p)
{
	if (r->count < NAMED) {
		r->pid[r->count] = p->pid;
		snprintf(r->name[r->count], sizeof(*r->name), "%s", p->name);
		table_clean(r->name[r->count]);
	}
	r->count++;
}

/* Whether it is to be shown. */
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
			q->ret = msg_error("process %d has ended", pid);
		return false;
	case -EACCES:
		if (process_is_kthread(&f->process))
			return false;
		refuse(&q->refused, &f->process);
		q->ret = EXIT_FAILED;
		return false;
	default:
		q->ret = EXIT_FAILED;
		if (err < 0)
			msg_error("process %d (%s) cannot be read: %s", pid,
				  f->process.name, strerror(-err));
		return false;
	}
}

static int read_all(struct request *q, struct footprint_reader *r,
		    struct progress *progress)
{
	struct usage_view *v = &q->view;
	size_t i;
	int err = 0;

	v->process = calloc(q->pids + 1, sizeof(*v->process));
	if (!v->process)
		return msg_error("memory ran out");
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

/* --- what is not known ------------------------------------------------------------- */

static void note_hidden(const struct footprint_reader *r)
{
	msg_note("only root with CAP_SYS_ADMIN sees frame numbers; without "
		 "them pss, thp, hugetlb, locked and ksm are not known, rss "
		 "has hugetlb%s in it%s",
		 r->scan->can_ask ? "" : " and pages of zeros",
		 r->misses_shmswap ? ", swap lacks that of shared memory" : "");
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
		  r->count == 1 ? "" : "es", names,
		  geteuid() ? "run as root" : "even root may not, here");
}

static void note_unknown(const struct request *q,
			 const struct footprint_reader *r)
{
	if (!r->sees_frames)
		note_hidden(r);
	else if (r->misses_shmswap)
		msg_note("swap lacks that of shared memory: its files could "
			 "not be looked at");
	if (r->sees_frames && !r->sees_ksm)
		msg_note("this kernel calls all anonymous pages merged by KSM: "
			 "ksm is not known");
	if (!r->sees_soft_dirty)
		msg_note("this kernel keeps no soft-dirty bits: it was built "
			 "without CONFIG_MEM_SOFT_DIRTY");
	if (q->refused.count)
		note_refused(&q->refused);
}

/* --- the command ---------------------------------------------------------------------- */

static void choose_view(struct request *q, const struct footprint_reader *r)
{
	struct usage_view *v = &q->view;

	v->sees_frames = r->sees_frames;
	v->sees_soft_dirty = r->sees_soft_dirty;
	v->sees_ksm = r->sees_ksm;
	if (!q->sorted && v->summary)
		v->sort = usage_rows_find_column(r->sees_frames ? "pss" : "rss");
}

static int show(struct request *q)
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
	ret = read_all(q, &r, &progress);
	progress_end(&progress);
	if (ret)
		goto out;
	choose_view(q, &r);
	ret = usage_view_print(&q->view, q->format);
	/* what is wrong comes after what is shown */
	fflush(stdout);
	note_unknown(q, &r);
out:
	for (i = 0; i < q->view.processes; i++)
		footprint_free(&q->view.process[i]);
	free(q->view.process);
	footprint_stop(&r);
	return ret ? ret : q->ret;
}

static bool parse_range(const char *text, struct footprint_choice *c)
{
	char *end;

	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	c->start = strtoull(text, &end, 16);
	if (*end != '-' || !isxdigit((unsigned char)end[1]))
		return false;
	c->end = strtoull(end + 1, &end, 16);
	return !*end && !errno && c->start < c->end;
}

static int parse_sort(struct request *q, const char *key)
{
	q->sorted = true;
	q->view.sort = usage_rows_find_column(key);
	return q->view.sort == USAGE_ROWS_UNSORTED;
}

const struct option cmd_pagemap_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "name", required_argument, NULL, 'N' },
	{ "all", no_argument, NULL, 'a' },
	{ "map", required_argument, NULL, 'm' },
	{ "range", required_argument, NULL, 'r' },
	{ "summary", no_argument, NULL, 'S' },
	{ "mappings", no_argument, NULL, 'M' },
	{ "sort", required_argument, NULL, 's' },
	{ "top", required_argument, NULL, 'n' },
	{ "wide", no_argument, NULL, 'w' },
	{ "csv", no_argument, NULL, 'c' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* 0, or what the command returns. */
static int take_processes(struct request *q, int option)
{
	size_t number;

	if (option == 'p' && !option_count(optarg, &number))
		return msg_usage("pagemap", "--pid takes a number, not '%s'",
				 optarg);
	q->by_name |= option != 'p';
	return add_pids(q, option == 'a' ? NULL : optarg);
}

static int take(struct request *q, int option, char **argv)
{
	switch (option) {
	case 'p':
	case 'N':
	case 'a':
		return take_processes(q, option);
	case 'm':
		q->choice.name = optarg;
		return 0;
	case 'r':
		if (parse_range(optarg, &q->choice))
			return 0;
		return msg_usage("pagemap",
				 "--range takes START-END, hexadecimal, not '%s'",
				 optarg);
	case 'S':
	case 'M':
		q->mode = option == 'S' ? 's' : 'm';
		return 0;
	case 's':
		if (!parse_sort(q, optarg))
			return 0;
		return msg_usage("pagemap", "there is no column '%s'", optarg);
	case 'n':
		if (option_count(optarg, &q->view.top))
			return 0;
		return msg_usage("pagemap", "--top takes a number, not '%s'",
				 optarg);
	case 'w':
		q->view.wide = true;
		return 0;
	case 'c':
	case 'j':
		q->format = option == 'c' ? TABLE_CSV : TABLE_JSON;
		return 0;
	default:
		return msg_bad_option("pagemap", option, argv);
	}
}

static int run(struct request *q, int argc, char **argv)
{
	int option, ret;

	while ((option = getopt_long(argc, argv, ":p:am:r:s:n:wh",
				     cmd_pagemap_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		ret = take(q, option, argv);
		if (ret)
			return ret;
	}
	if (optind != argc)
		return msg_usage("pagemap", "it takes no argument: '%s'",
				 argv[optind]);
	if (!q->pid)
		return msg_usage("pagemap",
				 "which processes? --pid, --name or --all");
	return show(q);
}

int cmd_pagemap(int argc, char **argv)
{
	struct request q = { .choice.end = UINT64_MAX,
			     .view.sort = USAGE_ROWS_UNSORTED };
	int ret;

	opterr = 0;
	optind = 0;
	ret = run(&q, argc, argv);
	free(q.pid);
	return ret;
}
