// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "record/cpus.h"

int cpus_each(int dir, const char *prefix, const char *cpus,
	      int (*each)(const char *name, int cpu, void *arg), void *arg)
{
	size_t len = strlen(prefix);
	DIR *files = textfile_list(dir, ".");
	struct dirent *entry;
	int ret = EXIT_DONE;

	if (!files)
		return msg_error("the module was unloaded");
	while (!ret && (entry = readdir(files))) {
		const char *number = entry->d_name + len;

		if (!strncmp(entry->d_name, prefix, len) &&
		    isdigit((unsigned char)*number) &&
		    cpulist_contains(cpus, atoi(number)))
			ret = each(entry->d_name, atoi(number), arg);
	}
	closedir(files);
	return ret;
}

/* --- CPUs that are offline ------------------------------------------------- */

/* @name: of a file with a list. Return: the list, which the caller frees; NULL: unknown. */
static char *read_list(const char *name)
{
	char path[PATH_MAX];

	textfile_sys_path(path, sizeof(path), name);
	return textfile_read(AT_FDCWD, path, NULL);
}

/* Return: the first CPU that is in @cpus and in @list, but not in @without; -1: none. */
static int find_cpu(const char *cpus, const char *list, const char *without)
{
	long first, last, cpu;

	while (cpulist_next(&list, &first, &last))
		for (cpu = first; cpu <= last; cpu++)
			if (cpulist_contains(cpus, cpu) &&
			    !(without && cpulist_contains(without, cpu)))
				return cpu;
	return -1;
}

/* A CPU of --cpus that comes online later is recorded from then on. */
static int check_online(const char *cpus, const char *online)
{
	char *present = read_list("devices/system/cpu/present");
	int ret = EXIT_DONE, offline = present ? find_cpu(cpus, present, online) : -1;

	if (find_cpu(cpus, online, NULL) < 0)
		ret = msg_error("nothing would be recorded: none of the CPUs of --cpus %s is online; online are %.*s",
				cpus, (int)strcspn(online, "\n"), online);
	else if (offline >= 0)
		msg_note("CPU %d is offline: it is recorded when it comes online", offline);
	free(present);
	return ret;
}

/* --- the cpuset ----------------------------------------------------------- */

/**
 * struct found - the CPUs that have a file
 * @cpu: numbers of the CPUs
 * @count: number of CPUs
 */
struct found {
	int *cpu;
	size_t count;
};

static int note_found(const char *name, int cpu, void *arg)
{
	struct found *found = arg;

	(void)name;
	array_reserve(found->cpu, found->count);
	found->cpu[found->count++] = cpu;
	return EXIT_DONE;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Return: true if this process may run on the CPU, or if the CPU is offline. A CPU that comes online
 * meanwhile is tried again.
 */
static bool may_run_on(int cpu)
{
	bool may = cpulist_pin(cpu) != -EINVAL;
	char *online;

	if (may)
		return true;
	online = read_list("devices/system/cpu/online");
	may = !online || !cpulist_contains(online, cpu) || cpulist_pin(cpu) != -EINVAL;
	free(online);
	return may;
}

/* On kernels without cpusets of version 1, only /proc/self/cgroup contains the name. */
static char *cpuset_name(void)
{
	char *set = textfile_read(AT_FDCWD, "/proc/self/cpuset", NULL), *line;

	if (!set) {
		set = textfile_read(AT_FDCWD, "/proc/self/cgroup", NULL);
		line = set ? strstr(set, "0::") : NULL;
		if (line)
			memmove(set, line + 3, strlen(line + 3) + 1);
	}
	if (set)
		set[strcspn(set, "\n")] = '\0';
	return set;
}

static int cpus_refuse(int cpu, const char *allowed)
{
	char *set = cpuset_name();

	msg_error("cannot record CPU %d: it is not in the cpuset %s of this process, and its records are read on that CPU: use another cpuset, or --cpus %s",
		  cpu, set ? set : "", *allowed ? allowed : "LIST");
	free(set);
	return EXIT_FAILED;
}

/*
 * Set @allowed to the list of CPUs on which this process may run. Return: the first CPU
 * on which it may not run; -1 if there is none.
 */
static int find_outside(const struct found *found, char *allowed, size_t size)
{
	struct cpulist_saved saved = { 0 };
	int outside = -1, cpu;
	size_t i, len = 0;

	for (i = 0; i < found->count; i++) {
		if (!saved.set && !cpulist_save(&saved))
			break;
		cpu = found->cpu[i];
		if (!may_run_on(cpu))
			outside = outside < 0 ? cpu : outside;
		else if (len < size - 16)
			len += snprintf(allowed + len, size - len, "%s%d",
					len ? "," : "", cpu);
	}
	cpulist_restore(&saved);
	return outside;
}

int cpus_check(int dir, const char *cpus, bool read)
{
	char *online = read_list("devices/system/cpu/online");
	struct found found = { 0 };
	char allowed[1024] = "";
	int outside = -1, ret;

	ret = cpus && online ? check_online(cpus, online) : EXIT_DONE;
	if (!ret)
		ret = cpus_each(dir, "cpu", cpus, note_found, &found);
	if (!ret && read && online) {
		qsort(found.cpu, found.count, sizeof(*found.cpu), by_number);
		outside = find_outside(&found, allowed, sizeof(allowed));
	}
	free(found.cpu);
	free(online);
	return outside < 0 ? ret : cpus_refuse(outside, allowed);
}

static int count_cpu(const char *name, int cpu, void *arg)
{
	(void)name;
	(void)cpu;
	++*(unsigned int *)arg;
	return EXIT_DONE;
}

unsigned int cpus_count(int dir, const char *cpus)
{
	unsigned int n = 0;

	cpus_each(dir, "cpu", cpus, count_cpu, &n);
	return n ? n : 1;
}

/* --- losses ------------------------------------------------------------------ */

/* Parse a line "lost_events.cpu3 7". Return: false if it is another line or another CPU. */
static bool is_loss(const char *line, const char *cpus, unsigned int *cpu,
		    uint64_t *lost)
{
	return textfile_cpu_number(line, "lost_events", ' ', cpu, lost) &&
	       cpulist_contains(cpus, *cpu);
}

uint64_t cpus_lost(int dir, const char *cpus)
{
	uint64_t n, lost = 0;
	const char *line;
	unsigned int cpu;
	char *stats;

	if (!cpus) {
		control_read_u64(dir, "lost_events", &lost);
		return lost;
	}
	stats = control_read(dir, "stats", NULL);
	for (line = stats; line; line = textfile_next_line(line))
		if (is_loss(line, cpus, &cpu, &n))
			lost += n;
	free(stats);
	return lost;
}

char *cpus_lost_on(int dir, const char *cpus)
{
	char *stats = control_read(dir, "stats", NULL);
	struct memtext text;
	FILE *out = memtext_open(&text);
	const char *line;
	unsigned int cpu;
	uint64_t n;

	for (line = stats; line; line = textfile_next_line(line))
		if (is_loss(line, cpus, &cpu, &n) && n)
			fprintf(out, " cpu%u %" PRIu64, cpu, n);
	free(stats);
	return memtext_close(&text, NULL);
}
