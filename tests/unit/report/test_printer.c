// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording is printed by one thread and by two: the lines are the same, also where
 * records were lost, if the output fails, if the recording is cut short, and if a thread
 * cannot be created.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "report/printer.h"
#include "trace/writer.h"
#include "unit.h"

#define EVENTS 30000
#define RUN    70 /* events of a CPU, one after the other */

static char path[64];
static struct outbuf out;

/* number of the pthread_create() that fails; 0: none */
static unsigned int fail_at;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg)
{
	if (fail_at && !--fail_at)
		return EAGAIN;
	return __real_pthread_create(thread, attr, run, arg);
}

/* With @lose, 1 of so many events is lost, and the last ones. */
static void write_recording(unsigned int lose)
{
	static uint8_t buf[RUN * KMT_RECORD_MAX];
	static const char meta[] = "seq_start=1\npage_size=4096\n";
	struct trace_writer *w;
	uint32_t seq = 1, cpu;
	char end[64];
	uint8_t *to;

	snprintf(path, sizeof(path), "/tmp/kmt_test_printer.%d", getpid());
	unlink(path);
	ck_assert_int_eq(trace_writer_create(path, true, &w), 0);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	while (seq <= EVENTS) {
		cpu = seq / RUN % 3;
		for (to = buf; to == buf || seq % RUN; seq++) {
			struct kmt_event ev = unit_alloc(seq, seq % 3, seq * 64, seq);

			ev.time = seq;
			if (!lose || seq % lose)
				to = unit_put(to, &ev, KMT_FEATURE_TIME);
		}
		trace_writer_data(w, cpu, buf, to - buf, seq, true);
	}
	snprintf(end, sizeof(end), "seq_end=%u\n", seq + (lose ? 7 : 0));
	trace_writer_text(w, TRACE_END, end, strlen(end));
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* Return: value of printer_print(). */
static int print(int fd, bool threads)
{
	char *paths[] = { path };
	struct input in;
	struct render r;
	struct printer_job job = { .in = &in, .render = &r };
	int ret;

	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	in.threads = threads ? INPUT_THREADS_ALWAYS : INPUT_THREADS_NONE;
	outbuf_init(&out, fd);
	ck_assert(render_init(&r, RENDER_TRACE, in.names, &out));
	ret = printer_print(&job);
	render_exit(&r);
	input_close(&in);
	return ret;
}

/* Return: all lines, which the caller frees. */
static char *lines(bool threads, int ret)
{
	FILE *f = tmpfile();
	struct stat st;
	char *text;

	ck_assert_int_eq(print(fileno(f), threads), ret);
	ck_assert_int_eq(out.error, 0);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	text = calloc(1, st.st_size + 1);
	rewind(f);
	ck_assert_uint_eq(fread(text, 1, st.st_size, f), st.st_size);
	fclose(f);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* Return: how often records were lost. */
static size_t compare(void)
{
	char *one = lines(false, EXIT_DONE), *two = lines(true, EXIT_DONE);
	size_t losses = count(two, " records lost here\n");

	ck_assert(!strcmp(one, two));
	free(one);
	free(two);
	return losses;
}

START_TEST(prints_the_same_lines)
{
	write_recording(0);
	ck_assert_uint_eq(compare(), 0);
	unlink(path);
}
END_TEST

START_TEST(prints_the_same_losses)
{
	write_recording(1000);
	/* those of the last numbers are one with the loss before them */
	ck_assert_uint_eq(compare(), EVENTS / 1000 + (EVENTS % RUN != 0));
	unlink(path);
}
END_TEST

START_TEST(ends_if_the_output_fails)
{
	int fd = open("/dev/full", O_WRONLY);

	write_recording(0);
	ck_assert_int_eq(print(fd, false), EXIT_DONE);
	ck_assert_int_eq(out.error, ENOSPC);
	ck_assert_int_eq(print(fd, true), EXIT_DONE);
	ck_assert_int_eq(out.error, ENOSPC);
	close(fd);
	unlink(path);
}
END_TEST

/* At any size, both print what was before the cut. */
START_TEST(prints_the_same_before_a_cut)
{
	struct stat st;
	int i;

	for (i = 1; i < 8; i++) {
		write_recording(0);
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_int_eq(truncate(path, st.st_size * i / 8), 0);
		compare();
		unlink(path);
	}
}
END_TEST

/* Reading, merging, and every second window have a thread each. */
START_TEST(prints_the_same_without_a_thread)
{
	unsigned int i;
	char *one, *two;
	int fd = open("/dev/full", O_WRONLY);

	write_recording(1000);
	one = lines(false, EXIT_DONE);
	for (i = 1; i <= 3; i++) {
		fail_at = i;
		two = lines(true, EXIT_DONE);
		ck_assert_uint_eq(fail_at, 0);
		ck_assert(!strcmp(one, two));
		free(two);
		fail_at = i;
		ck_assert_int_eq(print(fd, true), EXIT_DONE);
		ck_assert_int_eq(out.error, ENOSPC);
	}
	free(one);
	close(fd);
	unlink(path);
}
END_TEST

UNIT_MAIN("printer", prints_the_same_lines, prints_the_same_losses,
	  ends_if_the_output_fails, prints_the_same_before_a_cut,
	  prints_the_same_without_a_thread)
