// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers of cpu<n>: poll() without a timeout returns when there is data, a read of 0
 * bytes is no error, records that were read are in no snapshot, and total_overruns is
 * exact.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "kmt_test.h"

#define SMALL	 "subbufs=4 subbuf_size=4096"
#define KMALLOC	 "events/kmem/kmalloc/"
#define SIZE	 1012 /* no other code allocates this size */
#define PATIENCE 60   /* seconds */

static int stream = -1;
static int record_size;

/* --- records of one size, on CPU 0 -------------------------------------------- */

static bool begin(const char *params)
{
	bool ok = !module_load(params) && !control_set("set_event", "!*:*") &&
		  !control_set(KMALLOC "enable", "1") &&
		  !control_set(KMALLOC "filter", "bytes_req == 1012");

	pin_to(0);
	stream = stream_open(0);
	return ok && stream >= 0;
}

static bool end(void)
{
	close(stream);
	return !module_unload();
}

static void make(int count)
{
	client_run("kmalloc %d %d", SIZE, count);
}

/* Return: number of records; -errno. */
static int drain(int fd)
{
	uint8_t data[16384];
	int count = 0, at;
	ssize_t n;

	while ((n = read(fd, data, sizeof(data))) > 0) {
		for (at = 0; at < n; at += record_size, count++)
			record_size = ((struct kmemtrace_event *)(data + at))
					      ->event_size;
	}
	return n < 0 ? -errno : count;
}

static int drain_snapshot(void)
{
	int fd = open(KMT_DIR "snapshot_cpu0", O_RDONLY | O_CLOEXEC);
	int count = fd < 0 ? -errno : drain(fd);

	close(fd);
	return count;
}

/* --- poll() ----------------------------------------------------------------------- */

static int returned;

static void *wait_forever(void *arg)
{
	struct pollfd p = { .fd = stream, .events = POLLIN };

	(void)arg;
	if (poll(&p, 1, -1) == 1 && p.revents == POLLIN)
		__atomic_store_n(&returned, 1, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(&returned, -1, __ATOMIC_SEQ_CST);
	return NULL;
}

static int has_returned(double seconds)
{
	double end = test_seconds() + seconds;

	while (!__atomic_load_n(&returned, __ATOMIC_SEQ_CST) &&
	       test_seconds() < end)
		usleep(10000);
	return __atomic_load_n(&returned, __ATOMIC_SEQ_CST);
}

/* True if a thread blocks in poll() until happen() is called, and then returns. */
static bool blocks_until(void (*happen)(void))
{
	pthread_t thread;
	bool early;

	__atomic_store_n(&returned, 0, __ATOMIC_SEQ_CST);
	pthread_create(&thread, NULL, wait_forever, NULL);
	early = has_returned(0.5);
	happen();
	if (!has_returned(PATIENCE)) {
		test_note("poll() does not return");
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
	return !early && returned == 1;
}

static int ready(void)
{
	struct pollfd p = { .fd = stream, .events = POLLIN };

	return poll(&p, 1, 0);
}

static void switch_off(void)
{
	control_set("enabled", "0");
}

static void make_few_and_switch_off(void)
{
	make(3);
	switch_off();
}

static int session = -1;

static void begin_session(void)
{
	session = open(KMT_DIR "session", O_WRONLY | O_CLOEXEC);
	if (write(session, "1", 1) != 1)
		test_note("a session does not begin");
}

static void make_few_and_end_session(void)
{
	make(3);
	close(session);
}

static void remove_traceon(void)
{
	control_set(KMALLOC "trigger", "!traceon");
}

static void fire_traceoff(void)
{
	client_run("kmalloc 1013 1");
}

static void make_many(void)
{
	make(300);
}

static void snapshot_and_many(void)
{
	control_set("snapshot", "1");
	make(300);
}

static void check_poll(void)
{
	control_set("enabled", "1");
	test_result(blocks_until(make_few_and_switch_off),
		    "poll returns when recording is switched off");
	test_result(drain(stream) == 3 && !ready(),
		    "... the rest can be read, once");

	control_set("enabled", "1");
	make(3);
	test_result(blocks_until(switch_off),
		    "... also for records made before poll was called");
	test_result(ready() == 1 && drain(stream) == 3, "... they can be read");

	begin_session();
	test_result(blocks_until(make_few_and_end_session) && drain(stream) == 3,
		    "poll returns when a session ends");

	control_set(KMALLOC "trigger", "traceoff if bytes_req == 1013");
	control_set("enabled", "1");
	make(3);
	test_result(blocks_until(fire_traceoff) && drain(stream) >= 3,
		    "poll returns when a trigger switches recording off");
	control_set(KMALLOC "trigger", "!traceoff");

	control_set("enabled", "1");
	test_result(blocks_until(make_many) && drain(stream) > 0,
		    "poll returns when a sub-buffer is filled");
	test_result(blocks_until(snapshot_and_many) && drain(stream) > 0,
		    "... also after a snapshot");
	control_set("enabled", "0");
	drain(stream);
	control_set("snapshot", "0");
}

/* --- reading ---------------------------------------------------------------------- */

static void check_reading(void)
{
	char data[1];

	control_set("enabled", "1");
	make(10);
	test_result(read(stream, data, 0) == 0 &&
			    read(stream, data, 1) == -1 && errno == EINVAL,
		    "a read of 0 bytes returns 0, a read of 1 byte fails");
	test_result(drain(stream) == 10, "... they remove no record");
	make(3);
	test_result(!control_set("snapshot", "1") && drain_snapshot() == 3 &&
			    drain(stream) == 0,
		    "a snapshot has only records that were not read");
	make(2);
	test_result(drain(stream) == 2 && drain_snapshot() == 0,
		    "later records are in the stream, not in the snapshot");
	make(1);
	control_set("enabled", "0");
	test_result(!control_set("snapshot", "1") && drain_snapshot() == 1,
		    "a snapshot can be taken when recording is off");
}

/* --- total_overruns ----------------------------------------------------------------- */

static uint64_t made_since(uint32_t start)
{
	return (uint32_t)control_get("sequence") - start;
}

static void check_overruns(const char *name)
{
	uint32_t start = control_get("sequence");
	uint64_t made, overruns;
	int kept;

	control_set("enabled", "1");
	make(2000);
	control_set("enabled", "0");
	kept = drain(stream);
	made = made_since(start);
	overruns = control_get("total_overruns");
	test_note("%lu records of %d bytes made, %d kept, %lu bytes overrun",
		  made, record_size, kept, overruns);
	test_result(made == 2000 && kept > 0 && kept < 2000 &&
			    overruns == (made - kept) * record_size,
		    "total_overruns counts the bytes of %s records exactly", name);
}

static void ignore_signal(int sig)
{
	(void)sig;
}

/* Read into memory that must be faulted in, while signals arrive. */
static void check_signals(void)
{
	const struct itimerval often = { { 0, 7000 }, { 0, 7000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = ignore_signal,
				    .sa_flags = SA_RESTART };
	int i, count = 0, failed = 0;
	size_t size = 64 << 20;
	uint8_t *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t n;

	control_set("enabled", "1");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 200; i++) {
		client_run("kmalloc %d 20", SIZE);
		madvise(room, size, MADV_DONTNEED);
		n = read(stream, room, size);
		failed += n < 0;
		count += n > 0 ? n / record_size : 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	control_set("enabled", "0");
	count += drain(stream);
	test_note("%d of %d reads failed; %d records", failed, i, count);
	test_result(!failed && count == 20 * i,
		    "a signal during a read loses no record");
	munmap(room, size);
}

/* With overwrite=1, a read fails while recording is on, so poll() does not return. */
static void check_flight(void)
{
	test_result(begin(SMALL " overwrite=1"), "the module loads with overwrite=1");
	check_overruns("overwritten");
	control_set("enabled", "1");
	make(300);
	test_result(!ready(),
		    "with overwrite=1, a stream is not readable while recording is on");
	test_result(blocks_until(switch_off) && drain(stream) > 0,
		    "... it is readable when recording is off");
	control_set("enabled", "1");
	make(300);
	control_set(KMALLOC "trigger", "traceon if bytes_req == 77777");
	control_set("enabled", "0");
	test_result(blocks_until(remove_traceon) && drain(stream) > 0,
		    "... and when no trigger can switch recording on");
	test_result(end(), "the module unloads");
}

int main(void)
{
	test_plan(1 + 8 + 5 + 1 + 1 + 1 + 6 + 1);
	test_result(!client_load() && begin(SMALL), "modules load");
	check_poll();
	check_reading();
	check_overruns("dropped");
	check_signals();
	test_result(end(), "the module unloads");
	check_flight();
	test_result(!client_unload(), "the client unloads");
	return test_exit();
}
