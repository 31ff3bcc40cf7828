// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <unistd.h>

#include "pagemap_run.h"

#define TOOL "/bin/kmemtrace-user"

const char *const column_keys[COLUMNS] = {
	"size",	      "rss",	   "uss", "pss",     "shared", "swap", "anon",
	"soft_dirty", "exclusive", "thp", "hugetlb", "locked", "ksm",
};

static void become(const struct run *r)
{
	/* each of these allows reading the maps of other processes */
	if (r->hidden && (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) ||
			  prctl(PR_CAPBSET_DROP, CAP_CHECKPOINT_RESTORE, 0, 0, 0)))
		_exit(99);
	if (r->nobody && (setgid(65534) || setuid(65534)))
		_exit(99);
}

static char *slurp(int fd, char *to, size_t size)
{
	size_t len = 0;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while (len < size - 1 && (n = read(fd, to + len, size - 1 - len)) > 0)
		len += n;
	to[len] = '\0';
	return to;
}

char *run_words(struct run *r, const char *const *word)
{
	static char text[4 << 20];
	int out = memfd_create("out", MFD_CLOEXEC);
	int err = memfd_create("err", MFD_CLOEXEC), status;
	const char *argv[16] = { TOOL, "pagemap" };
	int i;
	pid_t pid;

	for (i = 0; word[i]; i++)
		argv[2 + i] = word[i];
	pid = fork();
	if (!pid) {
		dup2(out, 1);
		dup2(err, 2);
		become(r);
		execv(TOOL, (char *const *)argv);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	slurp(err, r->error, sizeof(r->error));
	slurp(out, text, sizeof(text));
	close(out);
	close(err);
	return text;
}

static int column_of(const char *key)
{
	int c;

	for (c = 0; c < COLUMNS; c++)
		if (!strcmp(column_keys[c], key))
			return c;
	return COLUMNS;
}

static void add_row(struct table *t, const int *column, char *line)
{
	struct row *row = &t->row[t->count];
	char *cell;
	int i, c;

	for (i = 0; (cell = strsep(&line, ",")); i++) {
		if (i == 2)
			row->start = strtoull(cell, NULL, 16);
		c = column[i];
		if (c != COLUMNS)
			row->value[c] = *cell ? strtoll(cell, NULL, 10) :
						UNKNOWN;
	}
	t->count += t->count < PAGEMAP_ROWS - 1;
}

void table_parse(struct table *t, char *text)
{
	int column[64], i;
	char *line = strsep(&text, "\n"), *key;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < 64; i++)
		column[i] = COLUMNS;
	for (i = 0; line && i < 64 && (key = strsep(&line, ",")); i++)
		column[i] = column_of(key);
	while ((line = strsep(&text, "\n")) && *line)
		add_row(t, column, line);
}

const struct row *table_find(const struct table *t, uint64_t start)
{
	static const struct row none = { .value = { -9, -9, -9, -9, -9 } };
	int i;

	for (i = 0; i < t->count; i++)
		if (t->row[i].start == start)
			return &t->row[i];
	return &none;
}

static const struct {
	const char *name;
	enum column column;
} smaps_names[] = {
	{ "Size", SIZE },	       { "Rss", RSS },
	{ "Pss", PSS },		       { "Private_Clean", USS },
	{ "Private_Dirty", USS },      { "Shared_Clean", SHARED },
	{ "Shared_Dirty", SHARED },    { "Swap", SWAP },
	{ "Anonymous", ANON },	       { "AnonHugePages", THP },
	{ "ShmemPmdMapped", THP },     { "FilePmdMapped", THP },
	{ "Shared_Hugetlb", HUGETLB }, { "Private_Hugetlb", HUGETLB },
	{ "KSM", KSM },
};

static void smaps_line(struct smaps *s, const char *line)
{
	char name[64];
	int64_t kb;
	size_t i;

	if (sscanf(line, "%63[^:]: %" SCNd64 " kB", name, &kb) != 2)
		return;
	for (i = 0; i < sizeof(smaps_names) / sizeof(*smaps_names); i++)
		if (!strcmp(name, smaps_names[i].name))
			s->value[smaps_names[i].column] += kb;
}

int smaps_read(pid_t pid, const char *file, struct smaps *s)
{
	char path[64], line[512];
	uint64_t start, end;
	FILE *f;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) ==
			    2 && n < PAGEMAP_ROWS)
			s[n++] = (struct smaps){ .start = start };
		else if (n)
			smaps_line(&s[n - 1], line);
	}
	if (f)
		fclose(f);
	return n;
}

