// SPDX-License-Identifier: GPL-2.0-only
/*
 * All threads of a recorder read plain files instead of the files of the module. CPU 0 has
 * many records. They wait for CPU 1, because its clock stands still, or its reader fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "control/cpulist.h"
#include "kmt_compact.h"
#include "record/streams.c"
#include "trace/order.h"
#include "unit.h"

#define RECORDS 50000
/* bytes of a record; divides the size of a buffer */
#define SIZE	sizeof(struct kmemtrace_compact)
#define ROOM	65536
#define BUFFERS 8 /* half of them are for the readers */
/* number of times that the reader is seen waiting, 1 ms apart */
#define ENOUGH	300

static char dir_path[64], recording[80];
static struct streams streams;
static struct order *o;
static struct trace_writer *w;

static void write_file(int dir, const char *name, const void *data, size_t size)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), size);
	close(fd);
}

static int make_dir(void)
{
	uint8_t *records = calloc(RECORDS, SIZE);
	int dir, i;

	snprintf(dir_path, sizeof(dir_path), "/tmp/kmt_streams.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir_path));
	snprintf(recording, sizeof(recording), "%s/r.kmt", dir_path);
	dir = open(dir_path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	for (i = 0; i < RECORDS; i++) {
		struct kmt_event ev = unit_free(i, KMEMTRACE_TYPE_KMALLOC, 64);

		ev.time = 1000 + i;
		kmt_compact_encode(records + i * SIZE, SIZE, &ev);
	}
	write_file(dir, "cpu0", records, RECORDS * SIZE);
	write_file(dir, ORDERING_BY_TIME, "000000010\n", 10);
	free(records);
	return dir;
}

static void remove_dir(int dir, bool is_failing)
{
	unlink(recording);
	unlinkat(dir, "cpu0", 0);
	unlinkat(dir, "cpu1", is_failing ? AT_REMOVEDIR : 0);
	unlinkat(dir, ORDERING_BY_TIME, 0);
	close(dir);
	rmdir(dir_path);
}

static void start(int dir, size_t cpus)
{
	struct memory memory = { .threads = 1, .buffer = ROOM, .buffers = BUFFERS };

	ck_assert_int_eq(trace_writer_create(recording, &w), 0);
	o = ordering_create(dir, w, true, 0);
	ck_assert_ptr_nonnull(o);
	streams = (struct streams){
		.dir = dir,
		.writer = w,
		.mark = ORDERING_BY_TIME,
		.order = o,
	};
	ck_assert_int_eq(streams_init(&streams, &memory), 0);
	ck_assert_int_eq(streams_start(&streams), 0);
	ck_assert_uint_eq(streams.count, cpus);
}

/* Return: bytes that the reader of CPU 0 has read. */
static size_t bytes_read(void)
{
	return lseek(streams.stream[streams.stream[0].stream->cpu].stream->fd, 0, SEEK_CUR);
}

static void finish(int result)
{
	while (!streams_stopped(&streams))
		usleep(1000);
	ck_assert_int_eq(streams_exit(&streams), result);
	ck_assert_uint_eq(order_held(o), 0);
	ck_assert_uint_eq(order_next(o), RECORDS);
	ck_assert_uint_eq(trace_writer_records(w), RECORDS);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
	order_destroy(o);
}

static void end(int result)
{
	streams_stop(&streams);
	finish(result);
}

/* The reader waits, so that the module counts what does not fit in its own buffers. */
START_TEST(records_that_wait_for_another_cpu_take_no_more_than_the_buffers)
{
	int dir = make_dir(), waited = 0;

	write_file(dir, "cpu1", NULL, 0);
	start(dir, 2);
	while (waited < ENOUGH && bytes_read() < RECORDS * SIZE) {
		waited += !buffers_left(&streams.buffers);
		usleep(1000);
	}
	ck_assert_uint_le(bytes_read(), BUFFERS / 2 * ROOM);
	ck_assert_uint_le(streams.buffers.count, BUFFERS / 2);
	/* the buffer of CPU 1 is not among them */
	write_file(dir, ORDERING_BY_TIME, "999999999\n", 10);
	end(EXIT_DONE);
	remove_dir(dir, false);
}
END_TEST

/* read() of a directory fails. */
START_TEST(records_do_not_wait_for_a_reader_that_failed)
{
	int dir = make_dir();

	ck_assert_int_eq(mkdirat(dir, "cpu1", 0700), 0);
	start(dir, 2);
	while (!streams_failed(&streams))
		usleep(1000);
	end(EXIT_FAILED);
	remove_dir(dir, true);
}
END_TEST

/* For example, the caller prints to a terminal that is stopped. */
START_TEST(records_do_not_wait_for_the_caller)
{
	int dir = make_dir();

	start(dir, 1);
	/* nothing came from the CPUs without a reader up to now */
	write_file(dir, ORDERING_BY_TIME, "999999999\n", 10);
	while (!trace_writer_records(w))
		usleep(1000);
	end(EXIT_DONE);
	remove_dir(dir, false);
}
END_TEST

/* Return: for how long the reader of CPU 1 did not run. On a busy machine, others may not either. */
static double starved_for(void)
{
	size_t count, named = 0;
	char *starved = streams_starved(&streams, &count), *at = starved;
	double seconds = 0;

	for (; (at = strstr(at ? at : "", " cpu")); at++, named++)
		sscanf(at, " cpu1 (%lf s)", &seconds);
	ck_assert_uint_eq(named, count);
	free(starved);
	return seconds;
}

/* The read() of CPU 1 waits: this is as if its CPU did not execute the reader. */
START_TEST(readers_that_do_not_run_are_named)
{
	int dir = make_dir(), fifo;
	double seconds;

	ck_assert_int_eq(mkfifoat(dir, "cpu1", 0600), 0);
	fifo = openat(dir, "cpu1", O_RDWR);
	ck_assert_int_ge(fifo, 0);
	start(dir, 2);
	while (starved_for() < 2)
		usleep(1000);
	seconds = starved_for();
	while (starved_for() == seconds)
		usleep(1000);
	close(fifo);
	end(EXIT_DONE);
	remove_dir(dir, false);
}
END_TEST

/* The read() of CPU 1 waits, as above. The thread was pinned to that CPU. */
START_TEST(readers_that_do_not_run_are_moved_at_the_end)
{
	int dir = make_dir(), fifo;
	const struct stream *waits;
	cpu_set_t own, set = { 0 };

	ck_assert_int_eq(mkfifoat(dir, "cpu1", 0600), 0);
	fifo = openat(dir, "cpu1", O_RDWR);
	ck_assert_int_ge(fifo, 0);
	start(dir, 2);
	waits = streams.stream[!streams.stream[0].stream->cpu].stream;
	ck_assert_int_eq(cpulist_pin(0), 0);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(own), &own), 0);
	streams_stop(&streams);
	while (!CPU_EQUAL(&own, &set)) {
		ck_assert(!streams_stopped(&streams));
		usleep(1000);
		ck_assert_int_eq(pthread_getaffinity_np(waits->thread, sizeof(set), &set),
				 0);
	}
	close(fifo);
	finish(EXIT_DONE);
	remove_dir(dir, false);
}
END_TEST

/* --- errors of the watcher ---------------------------------------------------- */

/* the error of the watcher's next poll() */
static int poll_error;

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	int err = __atomic_load_n(&poll_error, __ATOMIC_ACQUIRE);

	if (!err || fds->fd != streams.stop_fd)
		return __real_poll(fds, count, ms);
	__atomic_store_n(&poll_error, 0, __ATOMIC_RELAXED);
	errno = err;
	return -1;
}

static void let_poll_fail(int err)
{
	__atomic_store_n(&poll_error, err, __ATOMIC_RELEASE);
	while (__atomic_load_n(&poll_error, __ATOMIC_RELAXED))
		usleep(1000);
}

/* The records wait for what the watcher says afterwards. */
START_TEST(the_watcher_continues_after_an_interruption)
{
	int dir = make_dir();

	start(dir, 1);
	let_poll_fail(EINTR);
	write_file(dir, ORDERING_BY_TIME, "999999999\n", 10);
	while (!trace_writer_records(w))
		usleep(1000);
	ck_assert(!streams_failed(&streams));
	end(EXIT_DONE);
	remove_dir(dir, false);
}
END_TEST

START_TEST(a_watcher_that_cannot_wait_is_an_error)
{
	int dir = make_dir();

	start(dir, 1);
	let_poll_fail(ENOMEM);
	while (!streams_failed(&streams))
		usleep(1000);
	end(EXIT_FAILED);
	remove_dir(dir, false);
}
END_TEST

static bool no_thread;

int __wrap_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
int __real_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

int __wrap_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	return __atomic_load_n(&no_thread, __ATOMIC_RELAXED) ?
		       -EAGAIN :
		       __real_thread_start(thread, run, arg);
}

/* What was recorded is in the file, and the caller can restore the module. */
START_TEST(a_reader_that_cannot_start_is_an_error)
{
	int dir = make_dir();

	start(dir, 1);
	__atomic_store_n(&no_thread, true, __ATOMIC_RELAXED);
	write_file(dir, "cpu1", NULL, 0);
	while (!streams_failed(&streams))
		usleep(1000);
	end(EXIT_FAILED);
	remove_dir(dir, false);
}
END_TEST

UNIT_MAIN("streams", a_reader_that_cannot_start_is_an_error, the_watcher_continues_after_an_interruption,
	  a_watcher_that_cannot_wait_is_an_error, records_that_wait_for_another_cpu_take_no_more_than_the_buffers,
	  records_do_not_wait_for_a_reader_that_failed, records_do_not_wait_for_the_caller,
	  readers_that_do_not_run_are_named, readers_that_do_not_run_are_moved_at_the_end)
