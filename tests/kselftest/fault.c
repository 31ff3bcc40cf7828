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

static bool set_range(const char *which, uint64_t start, uint64_t end)
{
	char name[32], from[32], to[32];

	snprintf(from, sizeof(from), "0x%lx", start);
	snprintf(to, sizeof(to), "0x%lx", end);
	snprintf(name, sizeof(name), "%s-start", which);
	if (!set(name, from))
		return false;
	snprintf(name, sizeof(name), "%s-end", which);
	return set(name, to);
}

/**
 * struct symbol - a line of kallsyms
 * @addr: address
 * @type: type letter
 * @name: name of the function
 * @module: name of the module in brackets, or ""
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

/* True for parts such as NAME.isra.0 as well; not for NAME.cold, which is far away. */
static bool is_part_of(const char *name, const char *function)
{
	size_t len = strlen(function);

	return !strncmp(name, function, len) &&
	       (!name[len] || (name[len] == '.' && strcmp(name + len, ".cold")));
}

static bool find_function(const char *function, uint64_t *start, uint64_t *end)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct symbol s;
	bool last = false;

	*start = UINT64_MAX;
	*end = 0;
	/* a function ends at the start of the next function */
	while (f && next_symbol(f, &s) && !s.module[0]) {
		if (last && s.addr > *end)
			*end = s.addr;
		last = is_part_of(s.name, function);
		if (last && s.addr < *start)
			*start = s.addr;
	}
	if (f)
		fclose(f);
	return *start < *end;
}

bool fault_only_in(const char *function)
{
	uint64_t start, end;

	if (!function)
		return set_range("require", 0, ULONG_MAX);
	return find_function(function, &start, &end) &&
	       set_range("require", start, end);
}

/* Not the cache of kmemleak, which keeps a reserve: its failures have no effect. */
static void choose_cache(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (!strcmp(name, "failslab") && !strstr(path, "/kmemleak_object/"))
		file_set(path, "1");
}

bool fault_init(void)
{
	uint64_t start, end;

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	/* let allocations of single pages fail as well */
	file_set("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	file_set("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	/*
	 * If an allocation in unregister_kretprobes() fails, the kernel warns and does
	 * not remove the kprobe. In reality, these small allocations do not fail.
	 */
	if (find_function("unregister_kretprobes", &start, &end))
		set_range("reject", start, end);
	files_each("/sys/kernel/slab", choose_cache);
	return fail_nth >= 0 && set("ignore-gfp-wait", "N") &&
	       set("verbose", "0") &&
	       !file_set("/sys/kernel/debug/failslab/cache-filter", "Y") &&
	       fault_only_in(NULL);
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
	return start < end && set_range("require", start, end + 4096);
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
