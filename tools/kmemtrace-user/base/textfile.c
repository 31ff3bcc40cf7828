// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/textfile.h"

/* more than any text: what does not end is no text */
#define TEXT_MAX (512UL << 20)

char *textfile_read(int dir, const char *path, size_t *size)
{
	size_t room = 0, used = 0;
	char *text = NULL;
	ssize_t n = 1;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	while (n > 0) {
		if (used + 1 >= room)
			array_fit(text, room, room ? room * 2 : 64 * 1024);
		n = read(fd, text + used, room - used - 1);
		if (n < 0 && errno == EINTR) {
			n = 1;
		} else if (n > 0) {
			used += n;
			if (used > TEXT_MAX) {
				errno = EFBIG;
				n = -1;
			}
		}
	}
	if (n < 0)
		goto fail;
	close(fd);
	text[used] = '\0';
	if (size)
		*size = used;
	return text;
fail:
	n = errno;
	free(text);
	close(fd);
	errno = n;
	return NULL;
}

int textfile_first(const char *path, char *to, size_t size)
{
	struct stat st;
	ssize_t n;
	int fd;

	/* a pipe must not be opened: its writer would fail when it is closed again */
	if (stat(path, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, to, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	to[n] = '\0';
	return 0;
}

static void make_path(char *path, size_t size, const char *variable, const char *dir,
		      const char *name)
{
	const char *other = getenv(variable);

	snprintf(path, size, "%s/%s", other ? other : dir, name);
}

void textfile_proc_path(char *path, size_t size, const char *name)
{
	make_path(path, size, "KMEMTRACE_PROC", "/proc", name);
}

void textfile_sys_path(char *path, size_t size, const char *name)
{
	make_path(path, size, "KMEMTRACE_SYS", "/sys", name);
}

char *textfile_read_proc(const char *name, size_t *size)
{
	char path[PATH_MAX];

	textfile_proc_path(path, sizeof(path), name);
	return textfile_read(AT_FDCWD, path, size);
}

const char *textfile_next_line(const char *line)
{
	line = strchr(line, '\n');
	return line && line[1] ? line + 1 : NULL;
}

int textfile_scan(const char *line, const char *format, ...)
{
	size_t len = strchrnul(line, '\n') - line;
	char copy[1024];
	va_list args;
	int n;

	if (len >= sizeof(copy))
		len = sizeof(copy) - 1;
	memcpy(copy, line, len);
	copy[len] = '\0';
	va_start(args, format);
	n = vsscanf(copy, format, args);
	va_end(args);
	return n;
}

const char *textfile_value(const char *text, const char *name, size_t len,
			   char separator)
{
	for (; text; text = textfile_next_line(text))
		if (!strncmp(text, name, len) && text[len] == separator)
			return text + len + 1;
	return NULL;
}

bool textfile_number(const char *text, const char *name, uint64_t *value)
{
	const char *at = textfile_value(text, name, strlen(name), ' ');

	if (at)
		*value = strtoull(at, NULL, 10);
	return at;
}

bool textfile_cpu_number(const char *line, const char *name, char separator,
			 unsigned int *cpu, uint64_t *value)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(line, name, len) || strncmp(line + len, ".cpu", 4) ||
	    !isdigit((unsigned char)line[len + 4]))
		return false;
	*cpu = strtoul(line + len + 4, &end, 10);
	if (*end != separator || !isdigit((unsigned char)end[1]))
		return false;
	*value = strtoull(end + 1, NULL, 10);
	return true;
}

const char *textfile_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

DIR *textfile_list(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);

	if (!files && errno == ENOMEM)
		die();
	return files;
}
