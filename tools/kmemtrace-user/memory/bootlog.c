// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "base/die.h"
#include "base/textfile.h"
#include "memory/bootlog.h"

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
