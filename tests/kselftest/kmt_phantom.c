// SPDX-License-Identifier: GPL-2.0-only
/*
 * A storm of fork and exec leaves nothing behind that is not live: 10,000
 * processes, or as many as the machine starts in four minutes, and what is live
 * has changed by less than 0.1 % of what they allocated.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_test.h"

#define PROCESSES 10000

static void storm(int n)
{
	static char *const argv[] = { "true", NULL };
	int together = 2 * test_cpus(), running = 0;
	pid_t pid;

	while (n-- > 0) {
		if (running >= together && wait(NULL) > 0)
			running--;
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			running++;
	}
	while (wait(NULL) > 0)
		;
}

static void shrink(void)
{
	if (system("for f in /sys/kernel/slab/*/shrink; do echo 1 >$f; done"))
		test_note("cannot shrink slab caches");
}

/*
 * What is free and kept: areas of vmalloc are given back many at a time, and
 * whenever a module is loaded; pages of slabs when their cache is shrunk.
 */
static void settle(void)
{
	sleep(8); /* kfree_rcu() */
	client_load();
	client_unload();
	shrink();
	/* what kmemleak knew of what is gone now goes after a grace period */
	sleep(2);
	shrink();
	sleep(1);
}

/* What KASAN keeps is live: shadow of areas of vmalloc, and stacks. */
static uint64_t kept_by_kasan(void)
{
	return tag_get("kasan_populate_vmalloc").bytes +
	       tag_get("stack_depot_save_flags").bytes;
}

static void compare(const char *kind, const uint64_t *live,
		    const uint64_t *allocated, int objects)
{
	int64_t change = live[1] - live[0];
	uint64_t made = allocated[1] - allocated[0];

	test_note("%s: %lu bytes allocated, live changed by %ld, %d objects",
		  kind, made, change, objects);
	test_result(made > 1 << 20 && (uint64_t)labs(change) * 1000 < made,
		    "%s: the change is below 0.1 %% of what was allocated",
		    kind);
}

int main(void)
{
	static const char *const live[] = { "live_slab_bytes",
					    "live_page_bytes" };
	static const char *const made[] = { "slab_allocated_bytes",
					    "page_allocated_bytes" };
	uint64_t bytes[2][2], allocated[2][2], implicit, reaped;
	int i, when, processes;
	double start;

	test_plan(6);
	test_result(!module_load(""), "loaded");
	start = test_seconds();
	storm(200); /* caches of tasks and pages fill */
	processes = test_scaled(PROCESSES, 200, start, 240);
	for (when = 0; when < 2; when++) {
		if (when)
			storm(processes);
		settle();
		for (i = 0; i < 2; i++) {
			bytes[i][when] = stat_get(live[i]);
			allocated[i][when] = stat_get(made[i]);
		}
		bytes[1][when] -= kept_by_kasan();
	}
	compare("slab", bytes[0], allocated[0], stat_get("live_slab_objects"));
	compare("page", bytes[1], allocated[1], stat_get("live_page_objects"));
	implicit = stat_get("implicit_frees");
	reaped = stat_get("reaped_objects");
	test_note("%lu freed implicitly, %lu reaped, %lu missed", implicit,
		  reaped, stat_get("missed_calls"));
	test_result(stat_get("untracked_objects") == 0, "all was tracked");
	test_result(implicit * 1000 <= stat_get("slab_allocs") &&
			    reaped * 1000 <= stat_get("slab_allocs"),
		    "next to no free was missed");
	test_result(!module_unload(), "unloaded");
	return test_exit();
}
