// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline and comes back while everything is being recorded.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

#define ROUNDS 5

static bool stop;

static void *load(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		client_run("kmalloc 100 101");
		client_run("pages 1 11");
	}
	return NULL;
}

int main(void)
{
	int i, err = 0, cpu = test_cpus() - 1;
	uint64_t events, lost;
	pthread_t thread;
	struct records r;
	uint32_t start;

	test_plan(5);
	test_result(!module_load("") && !client_load(), "modules load");
	if (!cpu) {
		test_skip("offline and back", "there is only one CPU");
		test_skip("all events are accounted for", "there is only one CPU");
		test_skip("a CPU made records again", "there is only one CPU");
		test_result(!client_unload() && !module_unload(), "modules unload");
		return test_exit();
	}
	start = control_get("sequence");
	readers_start();
	control_set("enabled", "1");
	pthread_create(&thread, NULL, load, NULL);
	for (i = 0; i < ROUNDS; i++) {
		err |= cpu_set_online(cpu, false);
		client_run("kmalloc 100 1009");
		err |= cpu_set_online(cpu, true);
		client_run("kmalloc 100 1009");
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	/* on the CPU that came back */
	pin_to(cpu);
	client_run("kmalloc 100 101");
	control_set("enabled", "0");
	events = stat_get("events");
	lost = stat_get("lost_events");
	r = readers_stop();
	records_sort(&r);
	test_note("%lu events, %zu records, %lu lost", events, r.count, lost);
	test_result(!err, "CPU %d goes offline and comes back, %d times", cpu, ROUNDS);
	test_result(r.count + lost == events && !r.broken && !r.disorder &&
			    records_missing(&r, start,
					    control_get("sequence")) == lost,
		    "all events are accounted for");
	for (i = 0; (size_t)i < r.count; i++)
		if (r.rec[r.count - 1 - i].cpu == cpu)
			break;
	test_result((size_t)i < r.count && i < 1000, "a CPU made records again");
	records_free(&r);
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
