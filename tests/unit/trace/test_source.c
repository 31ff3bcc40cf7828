// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files, pipes and growing files: what is read, what is skipped, and when reading ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tempdir.h"
#include "trace/reader.c"

static const char text[] = "0123456789abcdef";

/* Make a pipe the standard input. Return: its end for writing. */
static int make_pipe(void)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
	return fds[1];
}

static void put(int fd, const char *bytes, size_t size)
{
	ck_assert_int_eq(write(fd, bytes, size), size);
}

/* Run a child that sleeps and then writes or sends a signal to the test. */
static pid_t later(void (*run)(int fd), int fd)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	usleep(200000);
	run(fd);
	_exit(0);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

START_TEST(a_file_is_read_at_any_offset)
{
	struct source s;
	char to[8];

	tempdir_begin();
	tempdir_put_text("file", text);
	ck_assert(!source_is_stream(tempdir_path("file")));
	ck_assert_int_eq(source_open(&s, tempdir_path("file"), false), 0);
	ck_assert(!s.stream);
	ck_assert_uint_eq(s.size, 16);
	ck_assert_int_eq(source_read(&s, to, 4, 12), 0);
	ck_assert_int_eq(memcmp(to, "cdef", 4), 0);
	ck_assert_int_eq(source_read(&s, to, 4, 3), 0);
	ck_assert_int_eq(memcmp(to, "3456", 4), 0);
	ck_assert_int_eq(source_read(&s, to, 4, 13), SOURCE_END);
	source_close(&s);
	ck_assert_int_eq(source_open(&s, tempdir_path("none"), false), -ENOENT);
	tempdir_end();
}
END_TEST

START_TEST(a_pipe_is_read_in_order)
{
	struct source s;
	int fd = make_pipe();
	char to[8];

	ck_assert(source_is_stream("-"));
	ck_assert_int_eq(source_open(&s, "-", false), 0);
	ck_assert(s.stream && !s.grows);
	put(fd, text, 16);
	close(fd);
	ck_assert_int_eq(source_read(&s, to, 2, 0), 0);
	ck_assert_int_eq(source_read(&s, to, 4, 10), 0);
	ck_assert_int_eq(memcmp(to, "abcd", 4), 0);
	ck_assert_int_eq(source_read(&s, to, 1, 3), -ESPIPE);
	ck_assert_int_eq(source_read(&s, to, 4, 14), SOURCE_END);
	ck_assert_uint_eq(s.size, 16);
	ck_assert_int_eq(source_read(&s, to, 4, 14), SOURCE_END);
	source_close(&s);
}
END_TEST

START_TEST(a_fifo_is_a_stream)
{
	tempdir_begin();
	ck_assert_int_eq(mkfifo(tempdir_path("fifo"), 0600), 0);
	ck_assert(source_is_stream(tempdir_path("fifo")));
	ck_assert(!source_is_stream("/dev/null"));
	ck_assert(!source_is_stream(tempdir_path("none")));
	tempdir_end();
}
END_TEST

static void put_rest(int fd)
{
	put(fd, text + 4, 12);
}

START_TEST(a_pipe_is_waited_for)
{
	struct source s;
	int fd = make_pipe();
	char to[16];
	pid_t pid;

	ck_assert_int_eq(source_open(&s, "-", false), 0);
	put(fd, text, 4);
	pid = later(put_rest, fd);
	ck_assert_int_eq(source_read(&s, to, 16, 0), 0);
	ck_assert_int_eq(memcmp(to, text, 16), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	source_close(&s);
	close(fd);
}
END_TEST

static void record(int fd)
{
	(void)fd;
	pause();
}

static void interrupt_and_put(int fd)
{
	kill(getppid(), SIGINT);
	usleep(300000);
	put(fd, text, 16);
}

/* Ctrl-C also ends the writer, which still writes the end of the recording. */
START_TEST(a_signal_does_not_end_a_pipe_at_once)
{
	struct source s;
	int fd = make_pipe();
	double start;
	char to[16];
	pid_t pid, recorder;
	int status;

	/* with the handler of the test's runner, the recorder would end the test */
	signal(SIGTERM, SIG_DFL);
	recorder = later(record, fd);
	ck_assert_int_eq(source_open(&s, "-", false), 0);
	s.recorder = recorder;
	pid = later(interrupt_and_put, fd);
	ck_assert_int_eq(source_read(&s, to, 16, 0), 0);
	ck_assert(s.interrupted);
	ck_assert_int_eq(waitpid(recorder, &status, 0), recorder);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	/* nothing comes any more, although the pipe stays open */
	start = seconds();
	ck_assert_int_eq(source_read(&s, to, 1, 16), SOURCE_END);
	ck_assert(seconds() - start > 1.5);
	source_close(&s);
	close(fd);
}
END_TEST

static void interrupt_twice(int fd)
{
	(void)fd;
	kill(getppid(), SIGTERM);
	usleep(200000);
	kill(getppid(), SIGINT);
}

START_TEST(a_second_signal_ends_a_pipe)
{
	struct source s;
	int fd = make_pipe();
	double start = seconds();
	sigset_t mask;
	char to[16];
	pid_t pid;

	ck_assert_int_eq(source_open(&s, "-", false), 0);
	pid = later(interrupt_twice, fd);
	ck_assert_int_eq(source_read(&s, to, 16, 0), SOURCE_END);
	ck_assert(seconds() - start < 1.5);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	source_close(&s);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	ck_assert(!sigismember(&mask, SIGINT));
	close(fd);
}
END_TEST

/* --- growing files -------------------------------------------------------- */

static int create_locked(void)
{
	int fd = open(tempdir_path("part"), O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	put(fd, text, 4);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	return fd;
}

static void put_rest_and_unlock(int fd)
{
	put(fd, text + 4, 12);
	flock(fd, LOCK_UN);
}

START_TEST(a_growing_file_ends_with_its_lock)
{
	struct source s;
	char to[17];
	pid_t pid;
	int fd;

	tempdir_begin();
	fd = create_locked();
	ck_assert_int_eq(source_open(&s, tempdir_path("part"), true), 0);
	ck_assert(s.stream && s.grows);
	pid = later(put_rest_and_unlock, fd);
	ck_assert_int_eq(source_read(&s, to, 16, 0), 0);
	ck_assert_int_eq(memcmp(to, text, 16), 0);
	ck_assert_int_eq(source_read(&s, to, 1, 16), SOURCE_END);
	ck_assert_uint_eq(s.size, 16);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	source_close(&s);
	close(fd);
	tempdir_end();
}
END_TEST

static void interrupt_once(int fd)
{
	(void)fd;
	kill(getppid(), SIGINT);
}

START_TEST(a_signal_ends_a_growing_file)
{
	struct source s;
	char to[16];
	pid_t pid;
	int fd;

	tempdir_begin();
	fd = create_locked();
	ck_assert_int_eq(source_open(&s, tempdir_path("part"), true), 0);
	pid = later(interrupt_once, fd);
	ck_assert_int_eq(source_read(&s, to, 16, 0), SOURCE_END);
	ck_assert(s.interrupted);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	source_close(&s);
	close(fd);
	tempdir_end();
}
END_TEST

UNIT_MAIN("source", a_file_is_read_at_any_offset, a_pipe_is_read_in_order,
	  a_fifo_is_a_stream, a_pipe_is_waited_for,
	  a_signal_does_not_end_a_pipe_at_once, a_second_signal_ends_a_pipe,
	  a_growing_file_ends_with_its_lock, a_signal_ends_a_growing_file)
