// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lost events are counted exactly, and with overwrite=1 a buffer keeps the newest ones. So
 * it is in the order by time, in which each CPU counts its own events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kmt_test.h"

#define SMALL "subbufs=4 subbuf_size=4096"

static struct records read_all(void)
{
	struct records r;

	readers_start();
	r = readers_stop();
	records_sort(&r);
	return r;
}

/* No stream is read while the client runs, so the buffer gets full. */
static void check_overrun(void)
{
	uint64_t lost, bytes, events, read_bytes = 0;
	struct records r;
	uint32_t start = control_get("sequence");
	size_t i;

	control_set("enabled", "1");
	client_run("kmalloc 100 5003");
	control_set("enabled", "0");
	lost = control_get("lost_events");
	bytes = control_get("total_overruns");
	events = stat_get("events");
	r = read_all();
	for (i = 0; i < r.count; i++)
		read_bytes += r.rec[i].size;
	test_note("%lu events, %zu read (%lu bytes), %lu lost (%lu bytes)",
		  events, r.count, read_bytes, lost, bytes);
	test_result(lost > 0 && r.count + lost == events, "records + lost = events made");
	test_result(records_missing(&r, start, control_get("sequence")) == lost,
		    "the sequence numbers of lost events are missing");
	test_result(bytes >= lost * 24 && bytes <= lost * 48,
		    "total_overruns counts bytes");
	test_result(!r.broken && !r.disorder && r.count > 0,
		    "the other records are complete and in order");
	records_free(&r);
}

static void check_recovery(void)
{
	struct records r;

	readers_start();
	control_set("enabled", "1");
	client_run("kmalloc 100 7");
	control_set("enabled", "0");
	r = readers_stop();
	test_result(r.count >= 14 && control_get("lost_events") == 0,
		    "recording starts again, with lost events counted from zero");
	records_free(&r);
}

static uint64_t stat_of_cpu(const char *name, int cpu)
{
	char full[40];

	snprintf(full, sizeof(full), "%s.cpu%d", name, cpu);
	return stat_get(full);
}

/* Count the numbers from @from to before @to that no record of a CPU has. */
static uint32_t missing_on(const struct records *r, int cpu, uint32_t from,
			   uint32_t to)
{
	uint32_t missing = 0;
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (r->rec[i].cpu != cpu)
			continue;
		missing += r->rec[i].ev.seq - from;
		from = r->rec[i].ev.seq + 1;
	}
	return missing + (to - from);
}

/* The test's own thread runs on each CPU, so each one loses events. */
static void fill_all(int cpus)
{
	int cpu;

	control_set("enabled", "1");
	for (cpu = 0; cpu < cpus; cpu++) {
		pin_to(cpu);
		client_run("kmalloc 100 1003");
	}
	control_set("enabled", "0");
}

static void check_overrun_by_time(void)
{
	int cpu, cpus = test_cpus(), wrong = 0, whole = 0;
	uint64_t lost, all = 0;
	uint32_t start[256];
	struct records r;

	test_result(!control_set("order", "time"), "the order is by time");
	for (cpu = 0; cpu < cpus; cpu++)
		start[cpu] = stat_of_cpu("next_number", cpu);
	fill_all(cpus);
	readers_start();
	r = readers_stop();
	for (cpu = 0; cpu < cpus; cpu++) {
		lost = stat_of_cpu("lost_events", cpu);
		all += lost;
		whole += !lost;
		wrong += missing_on(&r, cpu, start[cpu],
				    stat_of_cpu("next_number", cpu)) != lost;
	}
	test_note("%lu events, %zu read, %lu lost", stat_get("events"), r.count,
		  all);
	test_result(!whole && all == control_get("lost_events") &&
			    r.count + all == stat_get("events"),
		    "... records + lost = events made");
	test_result(!wrong, "... the numbers that a CPU has lost are missing");
	test_result(!r.broken && !r.disorder && r.count > 0,
		    "... the other records are complete and in order");
	records_free(&r);
}

/* The newest record of a CPU. */
static uint32_t last_of(const struct records *r, int cpu)
{
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->rec[i].cpu == cpu)
			last = r->rec[i].ev.seq;
	return last;
}

static void check_overwrite_by_time(void)
{
	int cpu = test_cpus() - 1;
	struct records r;

	test_result(!module_load(SMALL " overwrite=1 order_time=1"),
		    "the module loads with overwrite=1 order_time=1");
	fill_all(cpu + 1);
	readers_start();
	r = readers_stop();
	test_result(!control_get("lost_events") && r.count > 100 && !r.broken &&
			    !r.disorder,
		    "... the records are complete and in order");
	/* the test switched recording off on this CPU */
	test_result(last_of(&r, cpu) + 1 == (uint32_t)stat_of_cpu("next_number", cpu),
		    "... the newest record is kept");
	records_free(&r);
	test_result(!module_unload(), "the module unloads");
}

static void check_overwrite(void)
{
	char buf[4096];
	struct records r;
	int cpu, fd;
	bool busy = false, whole;

	test_result(!module_load(SMALL " overwrite=1"), "the module loads with overwrite=1");
	control_set("enabled", "1");
	client_run("kmalloc 100 5003");
	fd = open(KMT_DIR "cpu0", O_RDONLY);
	if (fd >= 0) {
		busy = read(fd, buf, sizeof(buf)) < 0 && errno == EBUSY;
		close(fd);
	}
	test_result(busy, "... reading is refused while recording is on");
	/* pinned, so that all records of the client are on one CPU */
	cpu = test_cpus() - 1;
	pin_to(cpu);
	client_run("kmalloc 100 5003");
	control_set("enabled", "0");
	test_result(control_get("lost_events") == 0, "... no event is lost");
	r = read_all();
	test_note("%zu records kept", r.count);
	whole = r.count > 100 && !r.broken && !r.disorder;
	test_result(whole, "... the records are complete and in order");
	/* the last event before recording was switched off is the newest one */
	test_result(whole && r.rec[r.count - 1].ev.seq + 1 ==
				     control_get("sequence"),
		    "... the newest record is kept");
	records_free(&r);
	test_result(!module_unload(), "the module unloads");
}

int main(void)
{
	test_plan(1 + 4 + 1 + 4 + 1 + 6 + 4 + 1);
	test_result(!client_load() && !module_load(SMALL), "modules load");
	check_overrun();
	check_recovery();
	check_overrun_by_time();
	test_result(!module_unload(), "the module unloads");
	check_overwrite();
	check_overwrite_by_time();
	test_result(!client_unload(), "the client unloads");
	return test_exit();
}
