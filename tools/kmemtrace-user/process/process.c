// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "process/process.h"

/* maximum length of the name of a user process in the kernel */
#define COMM_MAX 15

/* maximum number of processes with the same name that a message lists */
#define LISTED 5

/* in the flags of /proc/PID/stat: a kernel thread */
#define PF_KTHREAD 0x00200000

static const char *proc_path(void)
{
	const char *path = getenv("KMEMTRACE_PROC");

	return path ? path : "/proc";
}

static int open_proc(void)
{
	return open(proc_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* --- mappings ----------------------------------------------------------------- */

/* Escapes all control characters. The kernel escapes only newlines in a path. */
static char *escape(const char *text, size_t len)
{
	char *to = xmalloc(len * 4 + 1), *at = to;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c < ' ' || c == 0x7f)
			at += sprintf(at, "\\%03o", c);
		else
			*at++ = c;
	}
	*at = '\0';
	return to;
}

/* @line is terminated, because sscanf() takes the length of its whole input. */
static int parse_mapping(struct mapping *m, const char *line)
{
	int used = 0;

	*m = (struct mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4c %" SCNx64 " %x:%x %" SCNu64 "%n", &m->start,
		   &m->end, m->perms, &m->offset, &m->major, &m->minor, &m->inode, &used) != 7 ||
	    m->start >= m->end)
		return -EINVAL;
	/* the kernel pads with blanks up to a column; no path begins with a blank */
	line += used + strspn(line + used, " ");
	m->path = escape(line, strlen(line));
	return 0;
}

/* --- a process ------------------------------------------------------------------ */

/* Return: the error of process_open() if a file could not be opened or read. */
static int reason(int err)
{
	if (err == ENOENT)
		return -ESRCH;
	return err == EPERM ? -EACCES : -err;
}

/* The name is printed, and any user can choose any name. */
static int read_comm(int dir, char *name, size_t size)
{
	char *text = textfile_read(dir, "comm", NULL);
	size_t len;

	if (!text)
		return reason(errno);
	/* a name may have newlines: only the last one is not part of it */
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	table_escape(name, size, text);
	free(text);
	return 0;
}

static int read_maps(struct process *p)
{
	char *text = textfile_read(p->dir, "maps", NULL), *at = text, *line;
	struct mapping m;
	int err = text ? 0 : reason(errno);

	while (at && *at && !err) {
		line = strsep(&at, "\n");
		err = parse_mapping(&m, line);
		if (!err)
			*array_add(p->map, p->nr_maps) = m;
	}
	free(text);
	return err;
}

int process_open(struct process *p, int pid)
{
	int proc = open_proc(), err, no_name;
	char path[16];

	*p = (struct process){ .pid = pid, .dir = -1, .pagemap = -1 };
	if (proc < 0)
		return -errno;
	/* the descriptor stays with this process, even if its number is reused for another */
	snprintf(path, sizeof(path), "%d", pid);
	p->dir = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = p->dir < 0 ? reason(errno) : 0;
	close(proc);
	if (err)
		return err;
	p->pagemap = openat(p->dir, "pagemap", O_RDONLY | O_CLOEXEC);
	err = p->pagemap < 0 ? reason(errno) : read_maps(p);
	no_name = read_comm(p->dir, p->name, sizeof(p->name));
	/* -ESRCH may also mean a kernel thread: it has a name, but no memory to show */
	return err && err != -ESRCH ? err : no_name;
}

ssize_t process_pagemap(const struct process *p, uint64_t page, uint64_t *entry,
			size_t n)
{
	size_t size = n * sizeof(*entry), done = 0;
	ssize_t got;

	if (p->pagemap < 0)
		return 0;
	while (done < size) {
		got = pread(p->pagemap, (char *)entry + done, size - done,
			    page * sizeof(*entry) + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !done)
			return -errno;
		if (got <= 0)
			break;
		done += got;
	}
	return done / sizeof(*entry);
}

bool process_is_kthread(const struct process *p)
{
	char *text = textfile_read(p->dir, "stat", NULL);
	/* the name may contain ')', but no field after it does */
	const char *fields = text ? strrchr(text, ')') : NULL;
	unsigned int flags = 0;

	if (fields)
		sscanf(fields, ") %*c %*d %*d %*d %*d %*d %u", &flags);
	free(text);
	return flags & PF_KTHREAD;
}

int process_leader(const struct process *p)
{
	char *text = textfile_read(p->dir, "status", NULL);
	const char *number = textfile_value(text, "Tgid", 4, ':');
	int leader = number ? atoi(number) : p->pid;

	free(text);
	return leader;
}

bool process_is_gone(const struct process *p)
{
	char comm[64];

	return read_comm(p->dir, comm, sizeof(comm)) == -ESRCH;
}

void process_close(struct process *p)
{
	size_t i;

	for (i = 0; i < p->nr_maps; i++)
		free(p->map[i].path);
	free(p->map);
	if (p->pagemap >= 0)
		close(p->pagemap);
	if (p->dir >= 0)
		close(p->dir);
	*p = (struct process){ .dir = -1, .pagemap = -1 };
}

/* --- lists of processes ----------------------------------------------------------- */

/* Return: the number; 0 if the text is not a number, or is 0. */
static int parse_pid(const char *text)
{
	const char *at = text;
	long pid;

	while (isdigit((unsigned char)*at))
		at++;
	if (at == text || *at)
		return 0;
	pid = strtol(text, NULL, 10);
	return pid < INT_MAX ? pid : INT_MAX;
}

static bool has_name(int proc, const char *pid, const char *name)
{
	char comm[64], cut[COMM_MAX + 1], printed[64];
	bool same = false;
	int dir = openat(proc, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return false;
	/* the user may have typed the name, or copied what was printed */
	snprintf(cut, sizeof(cut), "%s", name);
	table_escape(printed, sizeof(printed), cut);
	if (!read_comm(dir, comm, sizeof(comm)))
		same = !strcmp(comm, name) || !strcmp(comm, printed);
	close(dir);
	return same;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static ssize_t list_dir(DIR *d, const char *name, int **pids)
{
	const struct dirent *e;
	size_t count = 0;

	while ((e = readdir(d))) {
		int pid = parse_pid(e->d_name);

		if (pid && (!name || has_name(dirfd(d), e->d_name, name)))
			*array_add(*pids, count) = pid;
	}
	if (count)
		qsort(*pids, count, sizeof(**pids), by_number);
	return count;
}

ssize_t process_list(const char *what, int **pids)
{
	DIR *d = textfile_list(AT_FDCWD, proc_path());
	int pid = what ? parse_pid(what) : 0;
	size_t count = 0;
	char path[16];

	*pids = NULL;
	if (!d) {
		msg_error("cannot read %s: %s; is it mounted?", proc_path(), strerror(errno));
		return -1;
	}
	snprintf(path, sizeof(path), "%d", pid);
	if (!pid)
		count = list_dir(d, what, pids);
	else if (!faccessat(dirfd(d), path, F_OK, 0))
		*array_add(*pids, count) = pid;
	closedir(d);
	return count;
}

int process_find(const char *what)
{
	char list[LISTED * 16 + 8] = "";
	size_t len = 0;
	int *all, pid = 0;
	ssize_t count = process_list(what, &all), i;

	for (i = 0; i < count && i < LISTED; i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%d", i ? ", " : "", all[i]);
	if (count == 1)
		pid = *all;
	else if (!count)
		msg_error("there is no process %s", what);
	else if (count > 1)
		msg_error("%zd processes have the name %s; give the number of one: %s%s", count,
			  what, list, count > LISTED ? ", ..." : "");
	free(all);
	return pid;
}

/* --- data that pagemap shows -------------------------------------------------------- */

static uint64_t own_page(void)
{
	static volatile char *own;
	long page_size = sysconf(_SC_PAGESIZE);

	if (getenv("KMEMTRACE_PROC"))
		return 0;
	if (!own)
		own = aligned_alloc(page_size, page_size);
	if (own)
		*own = 1;
	return (uintptr_t)own / page_size;
}

uint64_t process_own_entry(void)
{
	struct process self = { .dir = -1, .pagemap = -1 };
	uint64_t entry = 0;
	int proc = open_proc();

	self.pagemap = openat(proc, "self/pagemap", O_RDONLY | O_CLOEXEC);
	if (process_pagemap(&self, own_page(), &entry, 1) != 1)
		entry = 0;
	process_close(&self);
	if (proc >= 0)
		close(proc);
	return entry;
}

bool process_sees_frames(void)
{
	uint64_t entry = process_own_entry();

	return (entry & PM_PRESENT) && PM_PFN(entry);
}
