// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/die.h"
#include "control/cpulist.h"

/* Parse "A" or "A-B" at *@at, and set *@at to the text after it. */
static bool take_range(const char **at, long *first, long *last)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*first = *last = strtol(*at, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*last = strtol(end + 1, &end, 10);
	}
	*at = end;
	return *first <= *last && *last < INT_MAX;
}

bool cpulist_valid(const char *list)
{
	long first, last;

	for (;;) {
		if (!take_range(&list, &first, &last))
			return false;
		if (!*list)
			return true;
		if (*list++ != ',')
			return false;
	}
}

bool cpulist_next(const char **at, long *first, long *last)
{
	if (!take_range(at, first, last))
		return false;
	*at += **at == ',';
	return true;
}

bool cpulist_contains(const char *list, int cpu)
{
	long first, last;

	if (!list)
		return true;
	while (cpulist_next(&list, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

size_t cpulist_count(const char *list)
{
	size_t count = 0;
	long first, last;

	while (cpulist_next(&list, &first, &last))
		count += last - first + 1;
	return count;
}

/* --- the CPUs of a thread --------------------------------------------------- */

int cpulist_pin_thread(pid_t thread, int cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err = 0;

	if (!set)
		die();
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(thread, size, set))
		err = -errno;
	CPU_FREE(set);
	return err;
}

int cpulist_pin(int cpu)
{
	return cpulist_pin_thread(0, cpu);
}

/*
 * The kernel refuses a set that is smaller than its own set, and does not report the size
 * of its own set. Larger sets are therefore tried until one is large enough.
 */
bool cpulist_save(struct cpulist_saved *saved)
{
	int cpus;

	for (cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
		saved->size = CPU_ALLOC_SIZE(cpus);
		saved->set = CPU_ALLOC(cpus);
		if (!saved->set)
			return false;
		if (!sched_getaffinity(0, saved->size, saved->set))
			return true;
		CPU_FREE(saved->set);
		saved->set = NULL;
		if (errno != EINVAL)
			return false;
	}
	return false;
}

void cpulist_restore(struct cpulist_saved *saved)
{
	if (!saved->set)
		return;
	sched_setaffinity(0, saved->size, saved->set);
	CPU_FREE(saved->set);
	saved->set = NULL;
}
