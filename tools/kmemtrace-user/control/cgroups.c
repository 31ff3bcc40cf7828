// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "base/array.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/textfile.h"
#include "control/cgroups.h"
#include "control/control.h"
#include "control/system.h"

static int by_id(const void *a, const void *b)
{
	const struct cgroups_row *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* A line is "id state pages path"; a path may have blanks. */
static void add_line(struct cgroups *c, char *line)
{
	char *end, *state, *pages;
	struct cgroups_row *row;
	uint64_t id = strtoull(line, &end, 10);

	state = *end == ' ' ? end + 1 : NULL;
	pages = state ? strchr(state, ' ') : NULL;
	end = pages ? strchr(pages + 1, ' ') : NULL;
	if (!end)
		return;
	row = array_add(c->row, c->count);
	*row = (struct cgroups_row){ id, end + 1 };
	if (strncmp(state, "removed ", 8))
		return;
	c->removed++;
	c->empty += !strtoull(pages + 1, NULL, 10);
}

void cgroups_parse(struct cgroups *c)
{
	char *line, *save = NULL;

	for (line = strtok_r(c->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(c, line);
	if (c->count)
		qsort(c->row, c->count, sizeof(*c->row), by_id);
}

int cgroups_read(struct cgroups *c)
{
	const char *why;
	int dir = control_open(&why);

	*c = (struct cgroups){ 0 };
	if (dir < 0)
		return msg_error("%s", why), -1;
	c->text = control_read(dir, "cgroups", NULL);
	if (!c->text)
		control_cannot_read("cgroups", errno);
	close(dir);
	if (c->text)
		cgroups_parse(c);
	return c->text ? 0 : -1;
}

const char *cgroups_path(const struct cgroups *c, uint64_t id)
{
	const struct cgroups_row want = { .id = id }, *row;

	row = c->count ? bsearch(&want, c->row, c->count, sizeof(want), by_id) : NULL;
	return row ? row->path : NULL;
}

void cgroups_name(const struct cgroups *c, uint64_t entry, char *to, size_t size)
{
	const char *removed = entry & KMEMTRACE_CGROUP_REMOVED ? " (removed)" : "";
	uint64_t id = entry & ~KMEMTRACE_CGROUP_REMOVED;
	const char *path = cgroups_path(c, id);

	if (path)
		snprintf(to, size, "%s%s", path, removed);
	else if (id)
		snprintf(to, size, "cgroup %" PRIu64 "%s", id, removed);
	else
		snprintf(to, size, "(none)");
}

void cgroups_print(const struct cgroups *c)
{
	if (!c->removed) {
		puts("no memory cgroup was removed without being freed");
		return;
	}
	printf("%zu memory cgroup%s removed, but not freed: pages in their rows keep them; --by cgroup,kind and --by cgroup,site show which\n",
	       c->removed, plural_was(c->removed));
	if (c->empty)
		printf("no page is charged to %zu of them: swap entries or references of the kernel keep these\n",
		       c->empty);
}

void cgroups_free(struct cgroups *c)
{
	free(c->text);
	free(c->row);
}

/* --- the directories of cgroups --------------------------------------------------------- */

/* nftw() has no argument for its callback. */
static struct {
	FILE *out;
	size_t root;
} listed;

/* The id of a cgroup is the inode of its directory. */
static int list_directory(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	path += listed.root;
	if (type == FTW_D)
		fprintf(listed.out, "%ju online 0 %s\n", (uintmax_t)st->st_ino,
			*path ? path : "/");
	return 0;
}

static void list_directories(FILE *out, const char *root, int flags)
{
	listed.out = out;
	listed.root = strlen(root);
	nftw(root, list_directory, 32, FTW_PHYS | flags);
}

/* Version 1 of cgroups has a directory for each controller. */
void cgroups_directory(uint64_t id, char *to, size_t size)
{
	char root[PATH_MAX];
	struct cgroups c = { 0 };
	struct memtext text;
	const char *path;

	textfile_sys_path(root, sizeof(root), "fs/cgroup/memory");
	if (access(root, F_OK))
		textfile_sys_path(root, sizeof(root), "fs/cgroup");
	list_directories(memtext_open(&text), root, 0);
	c.text = memtext_close(&text, NULL);
	cgroups_parse(&c);
	path = cgroups_path(&c, id);
	snprintf(to, size, "%s", path ? path : "");
	cgroups_free(&c);
}

/* A line is "name hierarchy cgroups enabled"; the hierarchy of version 2 is 0. */
static bool memory_is_in_version_1(void)
{
	char *text = textfile_read_proc("cgroups", NULL);
	unsigned int hierarchy = 0;
	const char *line;

	for (line = text; line; line = textfile_next_line(line))
		textfile_scan(line, "memory %u", &hierarchy);
	free(text);
	return hierarchy;
}

char *cgroups_of_processes(int dir)
{
	char *memory = memory_is_in_version_1() ? NULL : control_read(dir, "cgroups", NULL);
	struct memtext text;
	FILE *out = memtext_open(&text);
	char root[PATH_MAX];

	if (memory)
		fputs(memory, out);
	if (mounts_cgroup2(root))
		list_directories(out, root, FTW_MOUNT);
	free(memory);
	return memtext_close(&text, NULL);
}
