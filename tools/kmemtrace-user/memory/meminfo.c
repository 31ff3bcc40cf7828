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
#include "memory/meminfo.h"

/* 1 EiB, so that the sum of a few figures in bytes fits into an int64_t */
#define KB_MAX (1ll << 50)

static bool meminfo_find(const char *text, const char *name, size_t len, int64_t *kb)
{
	const char *at = textfile_value(text, name, len, ':');

	return at && textfile_scan(at, "%" SCNd64 " kB", kb) == 1 && *kb >= 0 &&
	       *kb < KB_MAX;
}

bool meminfo_sum(const char *text, const char *formula, int64_t *bytes)
{
	int64_t kb, sign = 1, sum = 0;
	size_t len;

	for (; *formula; formula += len) {
		formula += strspn(formula, " ");
		len = strcspn(formula, " ");
		if (*formula == '+' || *formula == '-') {
			sign = *formula == '+' ? 1 : -1;
			continue;
		}
		if (!meminfo_find(text, formula, len, &kb))
			return false;
		sum += sign * kb * 1024;
	}
	*bytes = sum;
	return true;
}

/*
 * Reading the file makes the kernel update its totals. The file needs root and
 * CONFIG_SMP. The kernel allocates a buffer of the size of the read and would count it,
 * so only one byte is read.
 */
static void refresh(void)
{
	char path[PATH_MAX], byte;
	int fd;

	textfile_proc_path(path, sizeof(path), "sys/vm/stat_refresh");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, &byte, sizeof(byte)) < 0)
		errno = 0; /* the figures are then less exact */
	close(fd);
}

char *meminfo_read(void)
{
	char *text;

	refresh();
	text = textfile_read_proc("meminfo", NULL);
	if (!text)
		msg_error("cannot read /proc/meminfo: %s", strerror(errno));
	return text;
}
