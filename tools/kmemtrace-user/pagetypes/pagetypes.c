// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/msg.h"
#include "pagetypes/pagefiles.h"
#include "pagetypes/pagetypes.h"

/* --- pages ---------------------------------------------------------------------- */

static int pagetypes_take(void *arg, const struct pagerun *run)
{
	struct pagetypes *t = arg;
	struct pageselect_memo *m = pageselect_flags(&t->select, run->flags);

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

static void enter_file(void *arg, const char *path)
{
	struct pagetypes *t = arg;

	pagelist_flush(&t->list);
	t->list.file = path;
}

static int walk_files(struct pagetypes *t)
{
	struct pagefiles files = {
		.walk = &t->walk,
		.enter = enter_file,
		.arg = t,
		.range = t->range,
		.nr_ranges = t->nr_ranges,
	};
	int ret = pagefiles_walk(&files, t->file);

	t->incomplete = files.failed;
	return ret;
}

static int pagetypes_walk(struct pagetypes *t)
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

static void print_file(const struct pagetypes *t, uint64_t page_size)
{
	const struct stat *st = &t->st;

	printf("%s\tInode: %ju\tSize: %ju (%ju pages)\n", t->file,
	       (uintmax_t)st->st_ino, (uintmax_t)st->st_size,
	       (uintmax_t)((st->st_size + page_size - 1) / page_size));
	print_time("Modify", st->st_mtime);
	print_time("Access", st->st_atime);
	putchar('\n');
}

static int show_text(struct pagetypes *t, uint64_t page_size)
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
	pagesum_print(&t->sum, t->select.names, page_size);
	return 0;
}

/* The list may be larger than memory, so it is written during the walk. */
static int show_json(struct pagetypes *t, uint64_t page_size)
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
		jsonstream_value(s, pagesum_json(&t->sum, t->select.names,
						 page_size));
		jsonstream_member(s, "total_pages", t->sum.total);
	}
	jsonstream_close(s, '}');
	jsonstream_end_line(s);
	return ret;
}

static int show(struct pagetypes *t)
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

static int open_process(struct pagetypes *t)
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

static int check_file(struct pagetypes *t)
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
static int open_space(struct pagetypes *t)
{
	if (!t->file && !t->process)
		return 0;
	if (!process_sees_frames()) {
		msg_error("pagemap hides the numbers of frames: this needs root, with CAP_SYS_ADMIN");
		return -1;
	}
	return t->file ? check_file(t) : open_process(t);
}

static unsigned int files_needed(const struct pagetypes *t)
{
	unsigned int files = FRAMES_FLAGS;

	if (t->by_cgroup || t->list.cgroup)
		files |= FRAMES_CGROUP;
	if (t->list.kind && t->list.count)
		files |= FRAMES_COUNT;
	return files;
}

int pagetypes_show(struct pagetypes *t)
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
