// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command runs once for each of its allocations and reads, and this call fails in that
 * run. The command must then fail with a message, which names the cause if a read fails.
 * Or its output must be the same as without the failure. It must never show a part of a
 * recording, or of a machine, as if it were complete. ASan reports memory that is not freed
 * after a failure. tests/cli/fail_each.c tests allocations within libraries.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kmemtrace_pages.h>

#include "base/json.h"
#include "base/msg.h"
#include "command.h"
#include "tempdir.h"
#include "trace/writer.h"

/* --- failing calls -------------------------------------------------------- */

static long memory_left, reads_left; /* the call that fails, counted from 1; 0: none */

static bool fails(long *left)
{
	return __atomic_load_n(left, __ATOMIC_RELAXED) > 0 &&
	       !__atomic_sub_fetch(left, 1, __ATOMIC_RELAXED);
}

#define WRAP_MEMORY(name, parameters, arguments)                               \
	void *__real_##name parameters;                                        \
	void *__wrap_##name parameters;                                        \
	void *__wrap_##name parameters                                         \
	{                                                                      \
		if (!fails(&memory_left))                                      \
			return __real_##name arguments;                        \
		errno = ENOMEM;                                                \
		return NULL;                                                   \
	}

WRAP_MEMORY(malloc, (size_t size), (size))
WRAP_MEMORY(calloc, (size_t count, size_t size), (count, size))
WRAP_MEMORY(realloc, (void *old, size_t size), (old, size))
WRAP_MEMORY(reallocarray, (void *old, size_t count, size_t size),
	    (old, count, size))
WRAP_MEMORY(aligned_alloc, (size_t to, size_t size), (to, size))
WRAP_MEMORY(strdup, (const char *text), (text))
WRAP_MEMORY(ZSTD_createDCtx, (void), ())

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
	if (!fails(&reads_left))
		return __real_pread(fd, to, size, at);
	errno = EIO;
	return -1;
}

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	if (!fails(&reads_left))
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

/* Write records of two CPUs, @count of one CPU in each turn. */
static void write_recording(bool compress, uint32_t turns, uint32_t count)
{
	uint8_t *buf = malloc(count * KMT_RECORD_MAX);
	struct trace_writer *w;
	uint32_t i, seq = 0;
	char end[64];

	ck_assert_int_eq(trace_writer_create(tempdir_path(kmt), compress, &w),
			 0);
	put_text(w, TRACE_META, "release=6.1\npage_size=4096\nseq_start=0\n");
	put_text(w, TRACE_GFP, "0xcc0 GFP_KERNEL\n");
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

/* --- files of a machine --------------------------------------------------- */

#define FRAMES 64

/* All pages are in use. Two sites own them. */
static void write_frames(void)
{
	struct kmemtrace_page page[FRAMES] = { 0 };
	uint64_t flags[FRAMES] = { 0 }, count[FRAMES] = { 0 };
	int i;

	for (i = 0; i < FRAMES; i++) {
		page[i].tag = 2 + i % 2;
		page[i].flags = KMEMTRACE_PAGE_EXISTS | KMEMTRACE_PAGE_HEAD;
	}
	tempdir_put("kpageflags", flags, sizeof(flags));
	tempdir_put("kpagecount", count, sizeof(count));
	tempdir_put("pages", page, sizeof(page));
	tempdir_put_text("pages_version", "1\n");
}

static void write_machine(void)
{
	write_frames();
	tempdir_put_text("stats", "accounting 1\nuntracked_objects 0\n");
	tempdir_put_text("tags", "kmemtrace tags - version: 1\n"
		"page 131072 32 131072 32 0 131072 5 10 2 a.c:1 func:a\n"
		"page 131072 32 131072 32 0 131072 5 20 3 b+0x1:0 func:b\n"
		"slab 64 1 60 1 0 64 - - 4 c.c:3 func:c\n");
	tempdir_put_text("zoneinfo", "Node 0, zone      DMA\n  pages free     0\n"
		"        managed  64\n  start_pfn:           0\n"
		"        spanned  64\n");
	tempdir_put_text("pagetypeinfo", "Page block order: 3\n");
	tempdir_put_text("kallsyms", "ffffffff81000000 T a\n");
	tempdir_put_text("vmallocinfo", "");
	tempdir_put("objects", "", 0);
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
	ret = msg_status(command(argc, argv));
	*has_failed = !memory_left && !reads_left;
	memory_left = reads_left = 0;
	fflush(stdout);
	capture_end(&out, output, sizeof(output));
	capture_end(&err, message, sizeof(message));
	return ret;
}

/* Return: whether the message is true of a failed call. */
static bool names_cause(const long *left)
{
	return left == &reads_left ? strstr(message, strerror(EIO)) != NULL :
				     *message != '\0';
}

static void fail_each_of(int (*command)(int, char **), char **argv, long *left)
{
	char *expected;
	long i, failed = 0;
	bool more;
	int ret;

	ret = run(command, argv, &more);
	ck_assert_msg(ret == EXIT_DONE, "%s: %s", *argv, message);
	expected = strdup(output);
	/* the loop ends when the command makes fewer than i calls: then no call fails */
	for (i = 1, more = true; more; i++) {
		*left = i;
		ret = run(command, argv, &more);
		if (ret == EXIT_DONE && !strcmp(expected, output))
			continue;
		failed++;
		ck_assert_msg(ret == EXIT_FAILED && names_cause(left),
			      "%s: call %ld failed, and it returned %d, \"%s\" and:\n%s",
			      *argv, i, ret, message, output);
	}
	ck_assert_int_gt(failed, 0);
	free(expected);
}

static void fail_each(int (*command)(int, char **), const char *name,
		      const char *file, long *left)
{
	char path[128];
	char *argv[] = { (char *)name, path, NULL };

	snprintf(path, sizeof(path), "%s", tempdir_path(file));
	fail_each_of(command, argv, left);
}

static void fail_all(const char *file, long *left)
{
	fail_each(cmd_report, "report", file, left);
	fail_each(cmd_script, "script", file, left);
	fail_each(cmd_check, "check", file, left);
}

START_TEST(memory)
{
	tempdir_begin();
	write_recording(true, 4, 100);
	fail_all(kmt, &memory_left);
	fail_each(cmd_info, "info", kmt, &memory_left);
	tempdir_end();
}
END_TEST

START_TEST(memory_without_compression)
{
	tempdir_begin();
	write_recording(false, 4, 100);
	write_raw();
	fail_all(kmt, &memory_left);
	fail_all(raw, &memory_left);
	tempdir_end();
}
END_TEST

START_TEST(reads)
{
	tempdir_begin();
	write_recording(true, 4, 100);
	write_raw();
	fail_all(kmt, &reads_left);
	fail_each(cmd_info, "info", kmt, &reads_left);
	fail_each(cmd_report, "report", raw, &reads_left);
	fail_each(cmd_script, "script", raw, &reads_left);
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

	ck_assert_int_eq(trace_writer_create(tempdir_path(kmt), true, &w), 0);
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
	fail_each_of(cmd_report, report, &reads_left);
	tempdir_end();
}
END_TEST

/* The recording is so large that a thread reads ahead. */
START_TEST(another_thread)
{
	tempdir_begin();
	write_recording(false, 60, 500);
	fail_each(cmd_check, "check", kmt, &memory_left);
	fail_each(cmd_check, "check", kmt, &reads_left);
	unlink(tempdir_path(kmt));
	tempdir_end();
}
END_TEST

START_TEST(json_of_a_recording)
{
	char path[128];
	char *report[] = { "report", "--json", path, NULL };
	char *script[] = { "script", "--json", path, NULL };

	tempdir_begin();
	write_recording(true, 4, 20);
	snprintf(path, sizeof(path), "%s", tempdir_path(kmt));
	json_prepare();
	fail_each_of(cmd_report, report, &memory_left);
	fail_each_of(cmd_script, script, &memory_left);
	tempdir_end();
}
END_TEST

static void fail_live(char *option)
{
	char *allocinfo[] = { "allocinfo", option, NULL };
	char *pages[] = { "pages", option, NULL };

	fail_each_of(cmd_allocinfo, allocinfo, &memory_left);
	fail_each_of(cmd_pages, pages, &memory_left);
}

START_TEST(memory_of_a_machine)
{
	char *pinned[] = { "pages", "--pinned", NULL };

	tempdir_begin();
	write_machine();
	json_prepare();
	fail_live(NULL);
	fail_live("--json");
	fail_each_of(cmd_pages, pinned, &memory_left);
	tempdir_end();
}
END_TEST

START_TEST(memory_of_a_difference)
{
	char path[128];
	char *diff[] = { "allocinfo", "--diff", path, NULL };

	tempdir_begin();
	write_machine();
	tempdir_put_text("old", "kmemtrace tags - version: 1\n"
		"page 4096 1 4096 1 0 4096 5 10 2 renamed.c:1 func:a\n"
		"page 4096 1 4096 1 0 4096 5 30 9 gone.c:1 func:gone\n");
	snprintf(path, sizeof(path), "%s", tempdir_path("old"));
	fail_each_of(cmd_allocinfo, diff, &memory_left);
	tempdir_end();
}
END_TEST

UNIT_MAIN("errors", memory, memory_without_compression, reads,
	  reads_of_stacks, another_thread, json_of_a_recording,
	  memory_of_a_machine, memory_of_a_difference)
