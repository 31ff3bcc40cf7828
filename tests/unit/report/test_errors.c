// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command runs once for each of its reads, which fails in that run. The command must then
 * fail with a message that names the cause, or its output must be the same as without the
 * failure. It must never show a part of a recording as if it were complete. ASan reports
 * memory that is not freed after a failure. tests/cli/fail_each.c tests allocations.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "random.h"
#include "tempdir.h"
#include "trace/writer.h"

/* --- failing calls -------------------------------------------------------- */

static long reads_left; /* the read that fails, counted from 1; 0: none */

static bool fails(void)
{
	return __atomic_load_n(&reads_left, __ATOMIC_RELAXED) > 0 &&
	       !__atomic_sub_fetch(&reads_left, 1, __ATOMIC_RELAXED);
}

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
	if (!fails())
		return __real_pread(fd, to, size, at);
	errno = EIO;
	return -1;
}

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	if (!fails())
		return __real_read(fd, to, size);
	errno = EIO;
	return -1;
}

/* --- recordings ----------------------------------------------------------- */

static const char kmt[] = "a.kmt", raw[] = "cpu0.out";

static size_t make_records(uint8_t *to, uint32_t first, uint32_t count)
{
	uint8_t *end = to;
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct kmt_event ev = unit_alloc(first + i, i % 4,
						 0x1000 + (first + i) * 4096ull,
						 4096);

		ev.time = first + i;
		/* enough sites to make the tables grow */
		ev.call_site += (first + i) * 16;
		end = unit_put(end, &ev, KMT_FEATURE_TIME);
	}
	return end - to;
}

static void put_text(struct trace_writer *w, enum trace_chunk_type type,
		     const char *text)
{
	ck_assert_int_eq(trace_writer_text(w, type, text, strlen(text)), 0);
}

/* Write a text that cannot be compressed, so that the file is large. */
static void put_noise(struct trace_writer *w)
{
	static char noise[3 << 20];
	uint64_t random = 1;
	size_t i;

	for (i = 0; i < sizeof(noise) - 1; i++)
		noise[i] = 'a' + random_below(&random, 26);
	put_text(w, TRACE_GFP, noise);
}

/* Write records of two CPUs, @count of one CPU in each turn. */
static void write_recording(bool large, uint32_t turns, uint32_t count)
{
	uint8_t *buf = malloc(count * KMT_RECORD_MAX);
	struct trace_writer *w;
	uint32_t i, seq = 0;
	char end[64];

	ck_assert_int_eq(trace_writer_create(tempdir_path(kmt), &w), 0);
	put_text(w, TRACE_META, "release=6.1\npage_size=4096\nseq_start=0\n");
	put_text(w, TRACE_GFP, "0xcc0 GFP_KERNEL\n");
	if (large)
		put_noise(w);
	put_text(w, TRACE_KALLSYMS,
		 "ffffffff81000000 T a\nffffffff81000100 t b\t[m]\n");
	put_text(w, TRACE_CACHES, "0 8 8 one\n2 16 16 two\n");
	for (i = 0; i < turns; i++, seq += count)
		ck_assert_int_eq(trace_writer_data(w, i % 2, buf,
						   make_records(buf, seq, count),
						   seq + count, true),
				 0);
	snprintf(end, sizeof(end), "seq_end=%u\nlost_events=0\n", seq);
	put_text(w, TRACE_END, end);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
	free(buf);
}

static void write_raw(void)
{
	uint8_t *buf = malloc(5000 * KMT_RECORD_MAX);

	tempdir_put(raw, buf, make_records(buf, 0, 5000));
	free(buf);
}

/* --- commands ------------------------------------------------------------- */

static char output[1 << 20], message[4096];

/* Standard output or standard error, captured while a command runs. */
struct capture {
	int fd;
	int saved;
	int to;
};

static struct capture capture_begin(int fd)
{
	struct capture c = { fd, dup(fd), memfd_create("output", 0) };

	dup2(c.to, fd);
	return c;
}

static void capture_end(const struct capture *c, char *text, size_t size)
{
	ssize_t n;

	dup2(c->saved, c->fd);
	close(c->saved);
	n = pread(c->to, text, size - 1, 0);
	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	close(c->to);
}

/* Run a command as main() does. Capture all output, also that not written by stdio. */
static int run(int (*command)(int, char **), char **argv, bool *has_failed)
{
	struct capture out, err;
	int argc = 0, ret;

	while (argv[argc])
		argc++;
	fflush(stdout);
	out = capture_begin(STDOUT_FILENO);
	err = capture_begin(STDERR_FILENO);
	ret = command(argc, argv);
	*has_failed = !reads_left;
	reads_left = 0;
	fflush(stdout);
	capture_end(&out, output, sizeof(output));
	capture_end(&err, message, sizeof(message));
	return ret;
}

static void fail_each_of(int (*command)(int, char **), char **argv)
{
	char *expected;
	long i, failed = 0;
	bool more;
	int ret;

	ret = run(command, argv, &more);
	ck_assert_msg(ret == EXIT_DONE, "%s: %s", *argv, message);
	expected = strdup(output);
	/* the loop ends when the command makes fewer than i reads: then none fails */
	for (i = 1, more = true; more; i++) {
		reads_left = i;
		ret = run(command, argv, &more);
		if (ret == EXIT_DONE && !strcmp(expected, output))
			continue;
		failed++;
		ck_assert_msg(ret == EXIT_FAILED && strstr(message, strerror(EIO)),
			      "%s: read %ld failed, and it returned %d, \"%s\" and:\n%s",
			      *argv, i, ret, message, output);
	}
	ck_assert_int_gt(failed, 0);
	free(expected);
}

static void fail_each(int (*command)(int, char **), const char *name,
		      const char *file)
{
	char path[128];
	char *argv[] = { (char *)name, path, NULL };

	snprintf(path, sizeof(path), "%s", tempdir_path(file));
	fail_each_of(command, argv);
}

static void fail_all(const char *file)
{
	fail_each(cmd_report, "report", file);
	fail_each(cmd_script, "script", file);
	fail_each(cmd_check, "check", file);
}

START_TEST(reads)
{
	tempdir_begin();
	write_recording(false, 4, 100);
	write_raw();
	fail_all(kmt);
	fail_each(cmd_info, "info", kmt);
	fail_each(cmd_report, "report", raw);
	fail_each(cmd_script, "script", raw);
	tempdir_end();
}
END_TEST

/* Write records with stacks. A text after each 100 adds a starting point to the index. */
static void write_stacks(void)
{
	uint8_t data[100 * KMT_RECORD_MAX], *end = data;
	struct kmt_extra x = { .depth = 3 };
	struct trace_writer *w;
	uint32_t i;

	ck_assert_int_eq(trace_writer_create(tempdir_path(kmt), &w), 0);
	put_text(w, TRACE_META, "release=6.1\npage_size=4096\nseq_start=0\n");
	for (i = 0; i < 1000; i++) {
		struct kmt_event ev = unit_alloc(i, 0, 64 * (i + 1), 64);

		ev.time = i;
		x.stack[0] = 1 + i % 7;
		end = unit_put_extra(end, &ev, &x,
				     KMT_FEATURE_TIME | KMT_FEATURE_STACK);
		if (i % 100 < 99)
			continue;
		trace_writer_data(w, 0, data, end - data, i + 1, true);
		trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, i + 1, true);
		put_text(w, TRACE_CACHES, "0 8 8 one\n");
		end = data;
	}
	put_text(w, TRACE_END, "seq_end=1000\nlost_events=0\n");
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* From a starting point on, the definitions of earlier stacks are read first. */
START_TEST(reads_of_stacks)
{
	char path[128];
	char *report[] = { "report", "--by", "stack", "--since", "900ns",
			   path, NULL };

	tempdir_begin();
	write_stacks();
	snprintf(path, sizeof(path), "%s", tempdir_path(kmt));
	fail_each_of(cmd_report, report);
	tempdir_end();
}
END_TEST

/* The recording is so large that a thread reads ahead. */
START_TEST(another_thread)
{
	tempdir_begin();
	write_recording(true, 60, 500);
	fail_each(cmd_check, "check", kmt);
	unlink(tempdir_path(kmt));
	tempdir_end();
}
END_TEST

UNIT_MAIN("errors", reads, reads_of_stacks, another_thread)
