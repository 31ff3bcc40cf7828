// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/textfile.h"
#include "pages/pagemark.h"

#define IDLE	  2
#define WORD_BITS 64

static const struct file {
	const char *path; /* below /sys */
	const char *done;
	const char *hint;
} files[PAGEMARK_FILES] = {
	{ "kernel/debug/hwpoison/corrupt-pfn", "poisoned",
	  "mount debugfs, and modprobe hwpoison-inject (CONFIG_HWPOISON_INJECT)" },
	{ "kernel/debug/hwpoison/unpoison-pfn", "unpoisoned",
	  "mount debugfs, and modprobe hwpoison-inject (CONFIG_HWPOISON_INJECT)" },
	{ "kernel/mm/page_idle/bitmap", "marked as idle",
	  "this kernel was built without CONFIG_IDLE_PAGE_TRACKING" },
};

int pagemark_open(struct pagemark *m, unsigned int what)
{
	char path[PATH_MAX];
	int i;

	*m = (struct pagemark){ .fd = { -1, -1, -1 } };
	for (i = 0; i < PAGEMARK_FILES; i++) {
		if (!(what & 1u << i))
			continue;
		textfile_sys_path(path, sizeof(path), files[i].path);
		m->fd[i] = open(path, O_WRONLY | O_CLOEXEC);
		if (m->fd[i] >= 0)
			continue;
		if (errno == ENOENT)
			msg_error("no page can be %s: there is no %s: %s",
				  files[i].done, path, files[i].hint);
		else
			msg_error("cannot open %s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}

static void fails(struct pagemark *m, const struct file *file, uint64_t pfn)
{
	if (!m->failed++)
		msg_error("page 0x%" PRIx64 " could not be %s: %s", pfn,
			  file->done, strerror(errno));
}

static void write_number(struct pagemark *m, int i, uint64_t pfn)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "0x%" PRIx64 "\n", pfn);

	if (write(m->fd[i], text, len) != len)
		fails(m, &files[i], pfn);
}

static void write_idle(struct pagemark *m)
{
	if (m->idle && pwrite(m->fd[IDLE], &m->idle, sizeof(m->idle),
			      m->word * sizeof(m->idle)) !=
			       (ssize_t)sizeof(m->idle))
		fails(m, &files[IDLE], m->word * WORD_BITS);
	m->idle = 0;
}

static void mark_idle(struct pagemark *m, uint64_t pfn)
{
	if (pfn / WORD_BITS != m->word)
		write_idle(m);
	m->word = pfn / WORD_BITS;
	m->idle |= 1ull << pfn % WORD_BITS;
}

void pagemark_frames(struct pagemark *m, uint64_t pfn, uint64_t n)
{
	for (; n; n--, pfn++) {
		if (m->fd[0] >= 0)
			write_number(m, 0, pfn);
		if (m->fd[1] >= 0)
			write_number(m, 1, pfn);
		if (m->fd[IDLE] >= 0)
			mark_idle(m, pfn);
	}
}

int pagemark_close(struct pagemark *m)
{
	int i;

	write_idle(m);
	for (i = 0; i < PAGEMARK_FILES; i++)
		if (m->fd[i] >= 0)
			close(m->fd[i]);
	if (m->failed > 1)
		msg_error("nor could %" PRIu64 " more pages, or groups of 64",
			  m->failed - 1);
	return m->failed ? -1 : 0;
}
