// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline and comes back while recording is on. Buffers are resized while a
 * CPU is offline, and while files are being opened. A CPU comes online when there is no
 * memory for its buffer, its counters or its files.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "kmt_test.h"

#define ROUNDS	5
#define RESIZES 50
/* results of the tests that need a second CPU */
#define OF_TWO_CPUS 14

static const char refused[] = "/sys/module/kmemtrace/parameters/refuse_cpu";
static const char profiling[] = "/proc/sys/vm/mem_profiling";
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

/* 0 or -errno */
static int try_stream(int cpu)
{
	int fd = stream_open(cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void test_resize_offline(int cpu)
{
	cpu_set_online(cpu, false);
	test_result(!control_set("buffer_size_kb", "512") &&
			    try_stream(cpu) == -ENODEV,
		    "buffers are resized while a CPU is offline; it has none");
	cpu_set_online(cpu, true);
	test_result(!try_stream(cpu), "... the CPU gets a buffer when it comes back");
}

static void refuse(int cpu)
{
	char text[12];

	snprintf(text, sizeof(text), "%d", cpu);
	file_set(refused, text);
}

/* A CPU comes online when there is no memory for its buffer, and gets one later. */
static void test_no_memory(int cpu)
{
	uint64_t lost, polls = 0;
	int err;

	cpu_set_online(cpu, false);
	refuse(cpu);
	control_set("buffer_size_kb", "256"); /* the buffer of this size is not allocated */
	err = cpu_set_online(cpu, true);
	test_result(!err && try_stream(cpu) == -ENODEV,
		    "a CPU comes online without memory for its buffer");
	pin_to(cpu);
	control_set("enabled", "1");
	client_run("kmalloc 100 101");
	control_set("enabled", "0");
	lost = stat_get("lost_events");
	test_note("%lu events lost of %lu", lost, stat_get("events"));
	test_result(lost >= 101, "... what it allocates is counted as lost");
	refuse(-1);
	while (try_stream(cpu) && ++polls < 1000)
		usleep(100000);
	test_result(!try_stream(cpu), "... it gets a buffer when there is memory");
	control_set("enabled", "1");
	client_run("kmalloc 100 101");
	control_set("enabled", "0");
	test_result(stat_get("events") >= 101 && !stat_get("lost_events"),
		    "... and then records without loss");
}

/* The module is loaded while the CPU is offline, so that it needs memory for all. */
static void test_first_time(int cpu)
{
	uint64_t polls = 0;
	int err;

	cpu_set_online(cpu, false);
	module_load_debug("");
	client_load();
	refuse(cpu);
	err = cpu_set_online(cpu, true);
	test_result(!err && try_stream(cpu) == -ENOENT,
		    "a CPU comes online for the first time without any memory");
	pin_to(cpu);
	client_run("kmalloc 100 1009");
	while (stat_get("accounting") && ++polls < 1000)
		usleep(100000);
	test_result(!stat_get("accounting") && file_set(profiling, "1") == -ENOMEM,
		    "... accounting is switched off, and stays so");
	refuse(-1);
	while (try_stream(cpu) && ++polls < 1000)
		usleep(100000);
	test_result(!try_stream(cpu), "... its files appear when there is memory");
	err = file_set(profiling, "1");
	client_run("hold kmalloc 100 503");
	test_result(!err && tag_get("client_kmalloc_alloc").objects == 503,
		    "... accounting can be switched on, and counts what the CPU allocates");
	client_run("drop kmalloc 100 0");
	test_result(!tag_get("client_kmalloc_alloc").objects && !client_unload() &&
			    !module_unload(),
		    "... and frees; modules unload");
}

/* The default size leaves room for all present CPUs, not only those online. */
static void test_default_size(int last)
{
	uint64_t all, one;
	int cpu;

	module_load("");
	all = control_get("buffer_size_kb");
	module_unload();
	for (cpu = 1; cpu <= last; cpu++)
		cpu_set_online(cpu, false);
	module_load("");
	one = control_get("buffer_size_kb");
	module_unload();
	for (cpu = 1; cpu <= last; cpu++)
		cpu_set_online(cpu, true);
	test_note("%lu KiB, and %lu KiB while one CPU is online", all, one);
	test_result(all && one == all,
		    "the default size does not depend on the CPUs that are online");
}

static unsigned long opened, strange;

static void *open_all_the_time(void *arg)
{
	int err;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		err = try_stream(0);
		__atomic_fetch_add(&opened, !err, __ATOMIC_RELAXED);
		strange += err && err != -EBUSY;
	}
	return NULL;
}

/* An open file prevents resizing, and resizing prevents opening: both with EBUSY. */
static void test_resize_opening(void)
{
	int resized = 0, refused = 0;
	double end = test_seconds() + 60;
	pthread_t thread;

	stop = false;
	pthread_create(&thread, NULL, open_all_the_time, NULL);
	while ((resized < RESIZES ||
		__atomic_load_n(&opened, __ATOMIC_RELAXED) < RESIZES) &&
	       test_seconds() < end) {
		if (control_set("buffer_size_kb", resized % 2 ? "512" : "256"))
			refused++;
		else
			resized++;
		if (resized > RESIZES)
			usleep(1000); /* or the other thread may never get a turn */
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_note("%d times resized, %d times refused, %lu times opened", resized,
		  refused, opened);
	test_result(resized >= RESIZES && opened >= RESIZES && !strange,
		    "files can be opened and buffers resized at the same time");
}

int main(void)
{
	int i, err = 0, cpu = test_cpus() - 1;
	uint64_t events, lost, again = 0;
	pthread_t thread;
	struct records r;
	uint32_t start, back;

	test_plan(OF_TWO_CPUS + 4);
	test_default_size(cpu);
	if (cpu)
		test_first_time(cpu);
	test_result(!module_load_debug("") && !client_load(), "modules load");
	if (!cpu) {
		for (i = 0; i < OF_TWO_CPUS; i++)
			test_skip("CPUs go offline and come back",
				  "there is only one CPU");
		test_resize_opening();
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
	back = control_get("sequence");
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
		    "each event is recorded or counted as lost");
	for (i = 0; (size_t)i < r.count; i++)
		again += (int32_t)(r.rec[i].ev.seq - back) >= 0 &&
			 r.rec[i].cpu == cpu && is_client_alloc(&r.rec[i].ev);
	test_result(again > 0 && again + lost >= 101,
		    "the CPU records after it has come back");
	records_free(&r);
	test_resize_offline(cpu);
	test_no_memory(cpu);
	test_resize_opening();
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
