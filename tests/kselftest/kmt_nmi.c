// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations in NMIs, from call sites that are new, on a CPU that changes the table
 * of call sites at the same time: a lock that both want would hang the machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kmt_test.h"

#define NMIS	  4000
#define DIRECTORY "/sys/kernel/debug/kmt_nmi/"

static bool stop;
static unsigned long changes;

/* Each change of the wrappers looks at all tags, each time under the lock. */
static void *change_wrappers(void *arg)
{
	(void)arg;
	pin_to(1);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		control_set("wrappers", changes % 2 ? "!vfree" : "vfree");
		changes++;
	}
	return NULL;
}

static void run(void)
{
	uint64_t classes = stat_get("classes"), nested = stat_get("unseen_nested");
	uint64_t unmatched = stat_get("unmatched_frees"), seen;
	char command[40];
	pthread_t thread;
	int err;

	snprintf(command, sizeof(command), "1 %d", NMIS);
	pthread_create(&thread, NULL, change_wrappers, NULL);
	err = file_set(DIRECTORY "run", command);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_result(!err && atoi(file_text(DIRECTORY "handled")) == NMIS,
		    "NMIs allocate and free");
	seen = stat_get("classes") - classes;
	nested = stat_get("unseen_nested") - nested;
	test_note("%lu changes; %lu new call sites; %lu events unseen", changes,
		  seen, nested);
	test_result(changes > 4 && seen > NMIS / 2 && seen + nested >= NMIS,
		    "what they do is accounted, or counted as unseen");
	test_result(stat_get("unmatched_frees") - unmatched + nested >= NMIS / 16,
		    "so is what they free and did not allocate");
}

int main(void)
{
	test_plan(5);
	if (test_cpus() < 2) {
		test_skip("modules load", "there is only one CPU");
		test_skip("NMIs allocate and free", "there is only one CPU");
		test_skip("what they do is accounted, or counted as unseen",
			  "there is only one CPU");
		test_skip("so is what they free and did not allocate",
			  "there is only one CPU");
		test_skip("modules unload", "there is only one CPU");
		return test_exit();
	}
	pin_to(0);
	test_result(!module_load("max_tags=65536 debug=1") && !nmi_load(),
		    "modules load");
	run();
	test_result(!nmi_unload() && !module_unload(), "modules unload");
	return test_exit();
}
