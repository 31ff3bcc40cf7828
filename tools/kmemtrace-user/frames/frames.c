// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "frames/frames.h"
#include "frames/pageflags.h"

/*
 * Two requested frames are read in one system call if their numbers differ by at most
 * this. Reading the frames between them takes less time than a second system call.
 */
#define GAP 32
/* maximum number of frames in one read of frames_gather() */
#ifndef RUN
#define RUN 8192
#endif

static const struct file {
	const char *name;
	const char *config;
	size_t entry;
	size_t buffer; /* place of the pointer to its entries in struct frames */
} files[FRAMES_FILES] = {
	{ "kpageflags", "CONFIG_PROC_PAGE_MONITOR", sizeof(uint64_t), offsetof(struct frames, flags) },
	{ "kpagecount", "CONFIG_PROC_PAGE_MONITOR", sizeof(uint64_t), offsetof(struct frames, count) },
	{ "kpagecgroup", "CONFIG_MEMCG", sizeof(uint64_t), offsetof(struct frames, cgroup) },
	{ "pages", NULL, sizeof(struct kmemtrace_page), offsetof(struct frames, owner) },
	{ "page_cgroups", NULL, sizeof(uint64_t), offsetof(struct frames, charged) },
};

/* Higher than the number of any frame. Its offset in a file still fits into off_t. */
#define PFN_MAX (INT64_MAX / sizeof(struct kmemtrace_page) - FRAMES_BATCH)

/* --- opening -------------------------------------------------------------------- */

static int open_proc(const struct file *file, const char *path)
{
	char name[PATH_MAX];
	int fd;

	if (!path) {
		textfile_proc_path(name, sizeof(name), file->name);
		path = name;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (path != name)
		msg_error("cannot read %s: %s", path, strerror(errno));
	else if (errno == EACCES || errno == EPERM)
		msg_error("this needs root: only root may read %s", path);
	else if (errno == ENOENT)
		msg_error("there is no %s: this kernel was built without %s",
			  path, file->config);
	else
		msg_error("cannot read %s: %s", path, strerror(errno));
	return -1;
}

static int open_of_module(const struct file *file)
{
	const char *why;
	int dir = control_open(&why), fd;
	uint64_t version;

	if (dir < 0) {
		msg_error("%s", why);
		return -1;
	}
	fd = openat(dir, file->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		control_cannot_read(file->name, errno);
	else if (!control_read_u64(dir, "pages_version", &version) &&
		 version != KMEMTRACE_PAGES_VERSION) {
		msg_error("the module's file pages has version %llu, this tool knows %d: "
			  "use the tool that came with the module",
			  (unsigned long long)version, KMEMTRACE_PAGES_VERSION);
		close(fd);
		fd = -1;
	}
	close(dir);
	return fd;
}

/* The buffer for the entries of a file. */
static void **buffer_of(struct frames *f, int file)
{
	return (void **)((char *)f + files[file].buffer);
}

/* --- the entries of one file ----------------------------------------------------- */

/* Return: number of entries read from one file; -1 after a message. */
static ssize_t read_entries(const struct frames *f, int file, void *to,
			    uint64_t pfn, size_t n)
{
	size_t entry = files[file].entry, bytes = 0;
	ssize_t got;

	if (pfn > PFN_MAX)
		return 0;
	while (bytes < n * entry) {
		got = pread(f->fd[file], (char *)to + bytes, n * entry - bytes,
			    pfn * entry + bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			msg_error("cannot read %s at page 0x%llx: %s",
				  f->path[file],
				  (unsigned long long)(pfn + bytes / entry),
				  strerror(errno));
			return -1;
		}
		if (!got)
			break;
		bytes += got;
	}
	if (bytes % entry) {
		msg_error("%s ends in the middle of the entry of page 0x%llx",
			  f->path[file],
			  (unsigned long long)(pfn + bytes / entry));
		return -1;
	}
	return bytes / entry;
}

/* The file that determines the end of memory. */
static int first_file(const struct frames *f)
{
	int i = 0;

	while (f->fd[i] < 0)
		i++;
	return i;
}

static int find_end(struct frames *f)
{
	uint64_t low = 0, high = 1; /* the file has at least low entries, but not high */
	struct kmemtrace_page entry;
	ssize_t got;
	int file = first_file(f);

	while ((got = read_entries(f, file, &entry, high - 1, 1)) == 1) {
		low = high;
		high *= 2;
	}
	while (got >= 0 && high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		got = read_entries(f, file, &entry, middle - 1, 1);
		if (got)
			low = middle;
		else
			high = middle;
	}
	f->end = low;
	return got < 0 ? -1 : 0;
}

int frames_open(struct frames *f, unsigned int which, const char *flags_path)
{
	int i;

	*f = (struct frames){ .to = UINT64_MAX };
	for (i = 0; i < FRAMES_FILES; i++)
		f->fd[i] = -1;
	for (i = 0; i < FRAMES_FILES; i++) {
		if (!(which & 1u << i))
			continue;
		f->path[i] = !i && flags_path ? flags_path : files[i].name;
		if (!files[i].config)
			f->fd[i] = open_of_module(&files[i]);
		else
			f->fd[i] = open_proc(&files[i], i ? NULL : flags_path);
		if (f->fd[i] < 0)
			return -1;
		*buffer_of(f, i) = xcalloc(FRAMES_BATCH, files[i].entry);
	}
	return find_end(f);
}

void frames_close(struct frames *f)
{
	int i;

	for (i = 0; i < FRAMES_FILES; i++) {
		if (f->fd[i] >= 0)
			close(f->fd[i]);
		f->fd[i] = -1;
		free(*buffer_of(f, i));
		*buffer_of(f, i) = NULL;
	}
	free(f->run);
	free(f->order);
	f->run = NULL;
	f->order = NULL;
}

/* --- reading -------------------------------------------------------------------- */

ssize_t frames_read(struct frames *f, uint64_t pfn, size_t n)
{
	int i = first_file(f);
	ssize_t there, got;

	there = read_entries(f, i, *buffer_of(f, i), pfn, n);
	for (i++; i < FRAMES_FILES && there > 0; i++) {
		if (f->fd[i] < 0)
			continue;
		got = read_entries(f, i, *buffer_of(f, i), pfn, there);
		if (got < 0)
			return -1;
		memset((char *)*buffer_of(f, i) + got * files[i].entry, 0,
		       (there - got) * files[i].entry);
	}
	return there;
}

void frames_walk(struct frames *f, uint64_t from, uint64_t to)
{
	f->pfn = from;
	f->to = to;
	f->n = 0;
}

int frames_next(struct frames *f, size_t n)
{
	ssize_t got;

	f->pfn += f->n;
	got = frames_read(f, f->pfn, f->to - f->pfn < n ? f->to - f->pfn : n);
	f->n = got > 0 ? got : 0;
	return got < 0 ? -1 : got > 0;
}

/* --- scattered frames ----------------------------------------------------------- */

static int by_pfn(const void *a, const void *b, void *arg)
{
	const uint64_t *pfn = arg;
	uint64_t x = pfn[*(const uint32_t *)a], y = pfn[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

/* Sets f->order to the indexes of the frames, in ascending order of their numbers. */
static void put_in_order(struct frames *f, const uint64_t *pfn, size_t n)
{
	bool sorted = true;
	size_t i;

	if (!f->run) {
		f->run = xmalloc(RUN * sizeof(struct kmemtrace_page));
		f->order = xmalloc(FRAMES_BATCH * sizeof(*f->order));
	}
	for (i = 0; i < n; i++) {
		f->order[i] = i;
		sorted = sorted && (!i || pfn[i - 1] <= pfn[i]);
	}
	if (!sorted)
		qsort_r(f->order, n, sizeof(*f->order), by_pfn, (void *)pfn);
}

/* Return: number of frames, from the first in @order on, that one read covers. */
static size_t run_length(const uint32_t *order, const uint64_t *pfn, size_t n)
{
	size_t i = 1;

	while (i < n && pfn[order[i]] - pfn[order[i - 1]] <= GAP &&
	       pfn[order[i]] - pfn[order[0]] < RUN)
		i++;
	return i;
}

static int gather_run(struct frames *f, int file, const uint32_t *order,
		      const uint64_t *pfn, size_t n)
{
	static const uint64_t no_page = PAGEFLAG(NOPAGE);
	size_t entry = files[file].entry, i;
	uint64_t first = pfn[order[0]];
	char *to = *buffer_of(f, file);
	ssize_t there = read_entries(f, file, f->run, first,
				     pfn[order[n - 1]] - first + 1);

	if (there < 0)
		return -1;
	for (i = 0; i < n; i++) {
		uint64_t at = pfn[order[i]] - first;
		void *cell = to + order[i] * entry;

		if (at < (uint64_t)there)
			memcpy(cell, (char *)f->run + at * entry, entry);
		else if (file)
			memset(cell, 0, entry);
		else
			memcpy(cell, &no_page, entry);
	}
	return 0;
}

int frames_gather(struct frames *f, const uint64_t *pfn, size_t n)
{
	size_t i, run;
	int file;

	put_in_order(f, pfn, n);
	for (file = 0; file < FRAMES_FILES; file++) {
		if (f->fd[file] < 0)
			continue;
		for (i = 0; i < n; i += run) {
			run = run_length(f->order + i, pfn, n - i);
			if (gather_run(f, file, f->order + i, pfn, run))
				return -1;
		}
	}
	return 0;
}
