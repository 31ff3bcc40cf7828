// SPDX-License-Identifier: GPL-2.0-only
/*
 * After a storm of fork and exec, accounting shows no live memory that was freed. 10,000
 * processes run, or as many as the machine starts in two minutes. Live bytes then differ
 * by less than 0.1 % of the bytes that they allocated.
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
 * Make the kernel free memory that it keeps. It frees areas of vmalloc many at a time,
 * and whenever a module is loaded. It frees empty slabs when their cache is shrunk.
 */
static void settle(void)
{
	sleep(8); /* kfree_rcu() */
	client_load();
	client_unload();
	shrink();
	/* kmemleak frees its own objects after a grace period */
	sleep(2);
	shrink();
	sleep(1);
}

/* Memory that KASAN keeps: shadow of areas of vmalloc, and stacks. It is really live. */
static uint64_t kept_by_kasan(void)
{
	return tag_get("kasan_populate_vmalloc").bytes +
	       tag_get("stack_depot_save_flags").bytes;
}

enum { SLAB, PAGE, KINDS };

struct look {
	uint64_t live[KINDS], made[KINDS];
};

static struct look look(void)
{
	struct look l = {
		.live = { stat_get("live_slab_bytes"),
			  stat_get("live_page_bytes") - kept_by_kasan() },
		.made = { stat_get("slab_allocated_bytes"),
			  stat_get("page_allocated_bytes") },
	};

	return l;
}

static bool compare(const struct look *before, const struct look *after, int kind,
		    const char *name)
{
	int64_t change = after->live[kind] - before->live[kind];
	uint64_t made = after->made[kind] - before->made[kind];

	test_note("%s: %lu bytes allocated, live changed by %ld", name, made, change);
	return made > 1 << 20 && (uint64_t)labs(change) * 1000 < made;
}

/* Compare up to four times: memory that is freed late is gone at one of them. */
static void compare_settled(const struct look *before)
{
	bool slab = false, page = false;
	struct look after;
	int i;

	for (i = 0; i < 4 && !(slab && page); i++) {
		settle();
		after = look();
		slab = compare(before, &after, SLAB, "slab");
		page = compare(before, &after, PAGE, "page");
	}
	test_result(slab, "slab: live bytes change by less than 0.1 %% of the bytes allocated");
	test_result(page, "page: live bytes change by less than 0.1 %% of the bytes allocated");
}

int main(void)
{
	uint64_t implicit, reaped;
	struct look before;
	int processes;
	double start;

	test_plan(6);
	/* without memory from before, of which the kernel frees some meanwhile */
	test_result(!module_load("survey=0"), "the module loads");
	start = test_seconds();
	storm(200); /* caches of tasks and pages fill */
	processes = test_scaled(PROCESSES, 200, start, 120);
	settle();
	before = look();
	storm(processes);
	compare_settled(&before);
	implicit = stat_get("implicit_frees");
	reaped = stat_get("reaped_objects");
	test_note("%lu freed implicitly, %lu reaped, %lu missed", implicit,
		  reaped, stat_get("missed_calls"));
	test_result(stat_get("untracked_objects") == 0, "no object was untracked");
	test_result(implicit * 1000 <= stat_get("slab_allocs") &&
			    reaped * 1000 <= stat_get("slab_allocs"),
		    "less than 0.1 %% of frees were missed");
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
