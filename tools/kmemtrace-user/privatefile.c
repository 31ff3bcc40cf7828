// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "privatefile.h"

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	/* a umask can take rights away, even the owner's */
	if (fd >= 0 && fchmod(fd, 0600)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return -1;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return open(path, O_WRONLY | O_CLOEXEC);
	return unlink(path) ? -1 : create(path);
}

FILE *privatefile_create(const char *path)
{
	int fd = create(path);
	FILE *file;

	if (fd < 0 && errno == EEXIST)
		fd = replace(path);
	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}
