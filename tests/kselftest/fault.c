// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "kmt_test.h"

static const char *const injectors[] = {
	"/sys/kernel/debug/failslab/",
	"/sys/kernel/debug/fail_page_alloc/",
};

static int fail_nth = -1;

static bool set(const char *name, const char *value)
{
	char path[128];
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(injectors) / sizeof(injectors[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", injectors[i], name);
		err |= file_set(path, value);
	}
	return !err;
}

bool fault_init(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	/* allocations that may wait fail as well, and single pages */
	file_set("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	file_set("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	return fail_nth >= 0 && set("ignore-gfp-wait", "N") &&
	       set("verbose", "0") && fault_only_in(NULL);
}

static bool set_range(uint64_t start, uint64_t end)
{
	char from[32], to[32];

	snprintf(from, sizeof(from), "0x%lx", start);
	snprintf(to, sizeof(to), "0x%lx", end);
	return set("require-start", from) && set("require-end", to);
}

/**
 * struct symbol - a line of kallsyms
 * @addr: where
 * @type: letter
 * @name: of the function
 * @module: in brackets, or ""
 */
struct symbol {
	uint64_t addr;
	char type;
	char name[128];
	char module[72];
};

static bool next_symbol(FILE *f, struct symbol *s)
{
	char line[512];

	while (fgets(line, sizeof(line), f)) {
		s->module[0] = '\0';
		if (sscanf(line, "%lx %c %127s %71s", &s->addr, &s->type,
			   s->name, s->module) >= 3)
			return true;
	}
	return false;
}

bool fault_only_in(const char *function)
{
	uint64_t start = UINT64_MAX, end = 0;
	struct symbol s;
	bool last = false;
	FILE *f;

	if (!function)
		return set_range(0, ULONG_MAX);
	f = fopen("/proc/kallsyms", "r");
	/* a function may be in several parts, and ends where the next begins */
	while (f && next_symbol(f, &s) && !s.module[0]) {
		if (last && s.addr > end)
			end = s.addr;
		last = !strncmp(s.name, function, strlen(function));
		if (last && s.addr < start)
			start = s.addr;
	}
	if (f)
		fclose(f);
	return start < end && set_range(start, end);
}

bool fault_only_in_module(const char *module)
{
	uint64_t start = UINT64_MAX, end = 0;
	struct symbol s;
	char want[72];
	FILE *f = fopen("/proc/kallsyms", "r");

	snprintf(want, sizeof(want), "[%s]", module);
	while (f && next_symbol(f, &s)) {
		if (strcmp(s.module, want) || (s.type != 't' && s.type != 'T'))
			continue;
		if (s.addr < start)
			start = s.addr;
		if (s.addr > end)
			end = s.addr;
	}
	if (f)
		fclose(f);
	return start < end && set_range(start, end + 4096);
}

void fault_arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (write(fail_nth, text, len) != len)
		abort();
}

bool fault_disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0 ||
	    write(fail_nth, "0", 1) != 1)
		abort();
	return !atoi(text);
}
