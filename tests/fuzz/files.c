// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"

static char dir[128];

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_dir(void)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *files_dir(void)
{
	const char *in;

	if (*dir)
		return dir;
	in = getenv("TMPDIR");
	if (!in)
		in = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(dir, sizeof(dir), "%s/fuzz.XXXXXX", in);
	FUZZ_MUST(mkdtemp(dir));
	atexit(remove_dir);
	return dir;
}

const char *files_path(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", files_dir(), name);
	return path;
}

static void make_dirs(const char *name)
{
	const char *slash = name;
	char part[128];

	while ((slash = strchr(slash, '/'))) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
		mkdir(files_path(part), 0700); /* may exist already */
		slash++;
	}
}

int files_create(const char *name)
{
	int fd;

	make_dirs(name);
	fd = open(files_path(name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		  0600);
	FUZZ_MUST(fd >= 0);
	return fd;
}

void files_link(const char *name, const char *path)
{
	make_dirs(name);
	FUZZ_MUST(!link(path, files_path(name)));
}

/* Overwrite, then cut: this reuses the memory of the file. */
void files_write(int fd, const void *data, size_t size)
{
	FUZZ_MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	FUZZ_MUST(!ftruncate(fd, size));
}
