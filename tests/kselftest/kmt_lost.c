// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lost events are counted exactly, and with overwrite=1 a buffer keeps the newest ones.
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
	test_plan(1 + 4 + 1 + 1 + 6 + 1);
	test_result(!client_load() && !module_load(SMALL), "modules load");
	check_overrun();
	check_recovery();
	test_result(!module_unload(), "the module unloads");
	check_overwrite();
	test_result(!client_unload(), "the client unloads");
	return test_exit();
}
