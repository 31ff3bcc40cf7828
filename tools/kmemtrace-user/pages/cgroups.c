// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "base/array.h"
#include "base/msg.h"
#include "base/plural.h"
#include "control/control.h"
#include "pages/cgroups.h"

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
		msg_error("cannot read the module's file cgroups: %s", strerror(errno));
	close(dir);
	if (c->text)
		cgroups_parse(c);
	return c->text ? 0 : -1;
}

void cgroups_name(const struct cgroups *c, uint64_t entry, char *to, size_t size)
{
	struct cgroups_row want = { .id = entry & ~KMEMTRACE_CGROUP_REMOVED }, *row;
	const char *removed = entry & KMEMTRACE_CGROUP_REMOVED ? " (removed)" : "";

	row = c->count ? bsearch(&want, c->row, c->count, sizeof(want), by_id) : NULL;
	if (row)
		snprintf(to, size, "%s%s", row->path, removed);
	else if (want.id)
		snprintf(to, size, "cgroup %" PRIu64 "%s", want.id, removed);
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
