// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations in NMIs, with new call sites, on a CPU that changes the table of call sites
 * at the same time. A lock that both take would hang the machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kmt_test.h"

#define NMIS	  4000 /* of a round */
#define ROUNDS	  10 /* at most, until there are enough changes */
#define CHANGES	  5
#define DIRECTORY "/sys/kernel/debug/kmt_nmi/"

static bool stop;
static unsigned long changes;

/* Each change of the wrappers walks all tags under the lock. */
static void *change_wrappers(void *arg)
{
	(void)arg;
	pin_to(1);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		control_set("wrappers", changes % 2 ? "!vfree" : "vfree");
		__atomic_fetch_add(&changes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void run(void)
{
	uint64_t classes = stat_get("classes"), nested = stat_get("unseen_nested");
	uint64_t unmatched = stat_get("unmatched_frees"), seen;
	char command[40];
	pthread_t thread;
	unsigned int nmis = 0;
	int err;

	snprintf(command, sizeof(command), "1 %d", NMIS);
	pthread_create(&thread, NULL, change_wrappers, NULL);
	do {
		err = file_set(DIRECTORY "run", command);
		nmis += NMIS;
	} while (!err && nmis < ROUNDS * NMIS &&
		 __atomic_load_n(&changes, __ATOMIC_RELAXED) < CHANGES);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_result(!err && atol(file_text(DIRECTORY "handled")) == nmis,
		    "NMIs allocate and free");
	seen = stat_get("classes") - classes;
	nested = stat_get("unseen_nested") - nested;
	test_note("%u NMIs; %lu changes; %lu new call sites; %lu events unseen",
		  nmis, changes, seen, nested);
	test_result(changes >= CHANGES && seen > nmis / 2 && seen + nested >= nmis,
		    "... their allocations are accounted or counted as unseen");
	test_result(stat_get("unmatched_frees") - unmatched + nested >= nmis / 16,
		    "... their unmatched frees are counted");
}

/* The reader is on the CPU that the NMIs go to. */
static void *read_cpu1(void *arg)
{
	static uint8_t data[65536];
	uint64_t *records = arg;
	ssize_t n, at;
	int fd;

	pin_to(1);
	fd = stream_open(1);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		n = read(fd, data, sizeof(data));
		for (at = 0; at < n; (*records)++)
			at += ((struct kmemtrace_event *)(data + at))->event_size;
	}
	close(fd);
	return NULL;
}

/*
 * NMIs arrive while a reader determines how far the buffer was written, and fill that
 * sub-buffer.
 */
static void read_under_nmis(void)
{
	uint64_t records = 0, lost;
	char command[40];
	pthread_t thread;
	int err;

	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	file_set("/sys/module/kmemtrace/parameters/read_delay", "400");
	control_set("enabled", "1");
	pthread_create(&thread, NULL, read_cpu1, &records);
	snprintf(command, sizeof(command), "1 %d", NMIS);
	err = file_set(DIRECTORY "run", command);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	control_set("enabled", "0");
	lost = stat_get("lost_events");
	test_note("%lu records read, %lu lost", records, lost);
	test_result(!err && records + lost >= NMIS,
		    "a reader on the CPU of the NMIs reads whole records");
}

int main(void)
{
	test_plan(6);
	if (test_cpus() < 2) {
		test_skip("modules load", "there is only one CPU");
		test_skip("NMIs allocate and free", "there is only one CPU");
		test_skip("... their allocations are accounted or counted as unseen",
			  "there is only one CPU");
		test_skip("... their unmatched frees are counted",
			  "there is only one CPU");
		test_skip("a reader on the CPU of the NMIs reads whole records",
			  "there is only one CPU");
		test_skip("modules unload", "there is only one CPU");
		return test_exit();
	}
	pin_to(0);
	test_result(!module_load("max_tags=65536 debug=1 subbuf_size=4096") && !nmi_load(),
		    "modules load");
	run();
	read_under_nmis();
	test_result(!nmi_unload() && !module_unload(), "modules unload");
	return test_exit();
}
