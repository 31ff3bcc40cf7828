// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads mainline's allocinfo, ours, and mainline's again, in one process and
 * into memory that is there already, so that looking changes next to nothing:
 *
 *   snapshot NAME    writes /o/NAME.1, /o/NAME.tags, /o/NAME.2
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM (2 << 20)

static const char *const from[] = {
	"/proc/allocinfo",
	"/sys/kernel/debug/kmemtrace/tags",
	"/proc/allocinfo",
};
static const char *const suffix[] = { "1", "tags", "2" };
static char text[3][ROOM];
static size_t length[3];

static void look(int i)
{
	int fd = open(from[i], O_RDONLY);
	ssize_t n = 1;

	if (fd < 0)
		err(1, "%s", from[i]);
	length[i] = 0;
	while (n > 0 && length[i] < ROOM) {
		n = read(fd, text[i] + length[i], ROOM - length[i]);
		if (n > 0)
			length[i] += n;
	}
	close(fd);
}

int main(int argc, char **argv)
{
	char path[64];
	int i, fd;

	if (argc != 2)
		return 2;
	memset(text, 1, sizeof(text));
	for (i = 0; i < 3; i++)
		look(i); /* what that needs for the first time */
	sleep(8); /* kfree_rcu() */
	for (i = 0; i < 3; i++)
		look(i);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/o/%s.%s", argv[1], suffix[i]);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || write(fd, text[i], length[i]) != (ssize_t)length[i])
			err(1, "%s", path);
		close(fd);
	}
	return 0;
}
