// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "base/die.h"
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

/* --- the log --------------------------------------------------------------------------- */

/* commands of syslog(2) */
#define READ_ALL    3
#define BUFFER_SIZE 10

/* Parses "TCP bind hash table entries: 8192 (order: 6, 262144 bytes, linear)". */
static uint64_t table_bytes(const char *line)
{
	static const char title[] = " hash table entries: ";
	const char *end = strchrnul(line, '\n');
	const char *at = memmem(line, end - line, title, strlen(title));
	uint64_t bytes;
	int used = 0;

	if (!at ||
	    textfile_scan(at + strlen(title),
			  "%*u (order: %*u, %" SCNu64 " bytes, linear)%n",
			  &bytes, &used) != 1)
		return 0;
	return used ? bytes : 0;
}

uint64_t bootlog_hash_bytes(const char *log, uint64_t page_size)
{
	/* "Memory: 969772K/1048056K available (...": the allocator is now ready */
	const char *line = strstr(log, "Memory: ");
	uint64_t sum = 0;

	if (!line || !strstr(line, "K available ("))
		return 0;
	for (; line; line = textfile_next_line(line))
		sum += (table_bytes(line) + page_size - 1) / page_size *
		       page_size;
	return sum;
}

char *bootlog_read(void)
{
	char *text;
	int size, n;

	if (getenv("KMEMTRACE_PROC"))
		return textfile_read_proc("kmsg", NULL);
	size = klogctl(BUFFER_SIZE, NULL, 0);
	text = size < 0 ? NULL : xmalloc(size + 1);
	if (!text)
		return NULL;
	n = klogctl(READ_ALL, text, size);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}
