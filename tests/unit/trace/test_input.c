// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input from good files, and from hundreds of damaged files, which are the same in every
 * run. KMEMTRACE_MUTATIONS sets their number. A larger number needs a larger
 * CK_DEFAULT_TIMEOUT.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "command.h"
#include "random.h"
#include "trace/input.h"
#include "trace/writer.h"
#include "unit.h"

#define RECORDS	  60
#define MUTATIONS 400

static char dir[32];
static char path[64], raw[64];

static void setup(void)
{
	/* in memory if possible: a disk is slow to flush hundreds of recordings */
	sprintf(dir, "%s/test_input.XXXXXX",
		access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.kmt", dir);
	snprintf(raw, sizeof(raw), "%s/cpu3.out", dir);
}

static void teardown(void)
{
	unlink(path);
	unlink(raw);
	rmdir(dir);
}

START_TEST(values)
{
	static const char text[] =
		"a=1\nlong=a b=c\nempty=\nesc=\033x\nlast=42";
	char value[6];
	uint64_t n;

	ck_assert(input_value(text, "long", value, sizeof(value)));
	ck_assert_str_eq(value, "a b=c");
	ck_assert(input_value(text, "empty", value, sizeof(value)));
	ck_assert_str_eq(value, "");
	ck_assert(input_value(text, "esc", value, sizeof(value)));
	ck_assert_str_eq(value, "?x");
	ck_assert(!input_value(text, "lon", value, sizeof(value)));
	ck_assert(!input_value(NULL, "a", value, sizeof(value)));
	ck_assert(input_number(text, "last", &n));
	ck_assert_uint_eq(n, 42);
	ck_assert(!input_number(text, "empty", &n));
	ck_assert(!input_number(text, "long", &n));
}
END_TEST

/* Make records of all kinds. Their sequence numbers wrap around. */
static size_t make_records(uint8_t *to, size_t room, uint32_t step,
			   uint32_t first)
{
	uint64_t random = first;
	size_t size = 0, i;

	for (i = 0; i < RECORDS && size + KMT_RECORD_MAX < room; i++) {
		struct kmt_event ev = {
			.event_id = random_below(&random, 2),
			.type_id = random_below(&random, 4),
			.seq = 0xfffffff0u + first + i * step,
			.ptr = 0xffff888000000000ull +
			       4096 * random_below(&random, 32),
			.call_site = 0xffffffff81000000ull +
				     random_below(&random, 999),
			.bytes_req = 4096,
			.time = i,
			.gfp_flags = 0xcc0,
			.cache = random_below(&random, 9),
			.order = random_below(&random, 5),
		};
		struct kmt_extra x = {.pid = i,
				      .comm = "task",
				      .cgroup = i,
				      .depth = random_below(&random, 4)};
		u32 features = KMT_FEATURES_ALL &
			       ~(random_below(&random, 8) << 4);
		size_t n = kmt_record_size(&ev, features);
		size_t more = kmt_record_extra_size(&x, features);

		ev.bytes_alloc = ev.bytes_req = 4096 << ev.order;
		kmt_record_encode(to + size, n + more, &ev, features);
		kmt_record_encode_extra(to + size + n, &x, features);
		size += n + more;
	}
	return size;
}

/* Change up to 5 bits, bytes or fields of 8 bytes. */
static void mutate(uint8_t *data, size_t size, uint64_t *random)
{
	static const uint8_t special[] = {0, 1, 23, 24, 48, 127, 128, 255};
	unsigned int n = random_below(random, 6);

	while (n--) {
		size_t at = random_below(random, size);

		switch (random_below(random, 3)) {
		case 0:
			data[at] ^= 1 << random_below(random, 8);
			break;
		case 1:
			data[at] = special[random_below(random, 8)];
			break;
		case 2:
			memset(data + at, random_below(random, 2) ? 0xff : 0,
			       size - at < 8 ? size - at : 8);
			break;
		}
	}
}

/* Write texts, and one piece of each of two CPUs, with damaged content. */
static void write_mutated(uint64_t *random)
{
	static const struct {
		enum trace_chunk_type type;
		const char *text;
	} texts[] = {
		{TRACE_META,
		 "release=6.1\npage_size=4096\nseq_start=4294967280\n"},
		{TRACE_GFP, "0xcc0 GFP_KERNEL\n"},
		{TRACE_KALLSYMS,
		 "ffffffff81000000 T a\nffffffff81000100 t b\t[m]\n"},
		{TRACE_CACHES, "1 8 8 one\n2 16 16 two\n"},
		{TRACE_END, "seq_end=104\nlost_events=3\nlost_events.cpu0=3\n"},
	};
	struct trace_writer *w;
	uint8_t data[8192];
	char text[256];
	uint32_t cpu;
	size_t i, size;

	unlink(path);
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	for (i = 0; i < 5; i++) {
		size = strlen(texts[i].text);
		memcpy(text, texts[i].text, size);
		if (!random_below(random, 3))
			mutate((uint8_t *)text, size, random);
		trace_writer_text(w, texts[i].type, text, size);
		for (cpu = 0; i == 3 && cpu < 2; cpu++) {
			size = make_records(data, sizeof(data), 2, cpu);
			mutate(data, size, random);
			trace_writer_data(w, cpu, data, size,
					  random_below(random, 200) - 16,
					  random_below(random, 2));
		}
	}
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* Damage the file itself: headers of chunks, compressed data, its length. */
static void mutate_file(const char *name, uint64_t *random)
{
	static uint8_t data[65536];
	FILE *f = fopen(name, "r+");
	size_t size = fread(data, 1, sizeof(data), f);

	mutate(data + 16, size - 16, random);
	rewind(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	fclose(f);
	if (!random_below(random, 4))
		ck_assert_int_eq(truncate(name, random_below(random, size)), 0);
}

static void run_commands(const char *name, uint64_t *random)
{
	static const char *const by[] = {"site",  "cache", "kind", "gfp",
					 "order", "node",  "cpu",  "size"};
	static const char *const format[] = {"--json", "--csv", "--raw-ip"};
	const char *report[] = {"report",
				"--by",
				by[random_below(random, 8)],
				format[random_below(random, 3)],
				name,
				NULL};
	static const char *const scripts[] = {
		"--json", "--raw-ip", "--fields=event,pid,cgroup,order,cache,stack"};
	const char *script[] = {"script", NULL,
				"-fcpu < 4 || comm ~ \"*a*\" || cache ~ \"*\"",
				name, NULL};
	const char *check[] = {"check", name, NULL};
	const char *info[] = {"info", name, NULL};
	int ret;

	ret = cmd_report(5, (char **)report);
	ck_assert(ret == EXIT_DONE || ret == EXIT_FAILED || ret == EXIT_LOST);
	report[3] = "--top=0";
	cmd_report(5, (char **)report);
	cmd_check(2, (char **)check);
	cmd_info(2, (char **)info);
	script[1] = scripts[random_below(random, 3)];
	ret = cmd_script(4, (char **)script);
	ck_assert(ret == EXIT_DONE || ret == EXIT_FAILED || ret == EXIT_LOST);
}

static void silence(void)
{
	int null = open("/dev/null", O_WRONLY);

	fflush(stdout);
	dup2(null, 1);
	if (!getenv("KMEMTRACE_LOUD"))
		dup2(null, 2);
	close(null);
}

static unsigned int mutations(void)
{
	const char *n = getenv("KMEMTRACE_MUTATIONS");

	return n ? strtoul(n, NULL, 10) : MUTATIONS;
}

START_TEST(damaged_recordings)
{
	unsigned int i, n = mutations();
	uint64_t random;

	setup();
	silence();
	for (i = 0; i < n; i++) {
		random = i;
		write_mutated(&random);
		if (random_below(&random, 2))
			mutate_file(path, &random);
		run_commands(path, &random);
	}
	teardown();
}
END_TEST

START_TEST(damaged_raw_files)
{
	unsigned int i, n = mutations();
	uint8_t data[8192];
	uint64_t random;
	size_t size;
	FILE *f;

	setup();
	silence();
	for (i = 0; i < n; i++) {
		random = i;
		size = make_records(data, sizeof(data), 1, i);
		if (i)
			mutate(data, size, &random);
		f = fopen(raw, "w");
		ck_assert_uint_eq(fwrite(data, 1, size, f), size);
		fclose(f);
		run_commands(raw, &random);
	}
	teardown();
}
END_TEST

/* --- raw files ------------------------------------------------------------ */

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

static uint64_t count_events(struct input *in)
{
	ck_assert_int_eq(input_begin(in, false), EXIT_DONE);
	while (input_next(in))
		;
	return merge_stats(in->merge)->events;
}

/* The CPU of a raw file follows from its name. Other names get unused CPU numbers. */
START_TEST(each_raw_file_is_a_cpu)
{
	char other[64], *paths[] = {raw, other}, *twice[] = {raw, raw};
	struct kmt_event ev = unit_free(1, 0, 4096);
	uint8_t rec[64];
	struct input in;

	setup();
	write_file(raw, rec, unit_put(rec, &ev, 0) - rec);
	snprintf(other, sizeof(other), "%s/other", dir);
	ev.seq = 2;
	write_file(other, rec, unit_put(rec, &ev, 0) - rec);
	ck_assert_int_eq(input_open(&in, paths, 2), EXIT_DONE);
	ck_assert_uint_eq(rawfiles_cpu(&in.raw, 0), 3);
	ck_assert_uint_eq(rawfiles_cpu(&in.raw, 1), 0);
	ck_assert_uint_eq(count_events(&in), 2);
	input_close(&in);
	silence();
	ck_assert_int_eq(input_open(&in, twice, 2), EXIT_USAGE);
	unlink(other);
	teardown();
}
END_TEST

/* A record of a newer kernel may come first. */
START_TEST(raw_file_starts_with_an_unknown_id)
{
	struct kmt_event ev = unit_alloc(1, 0, 4096, 8);
	char *paths[] = {raw};
	uint8_t rec[256], *end;
	struct input in;

	setup();
	end = unit_put(rec, &ev, 0);
	rec[1] = 99;
	ev.seq = 2;
	end = unit_put(end, &ev, 0);
	write_file(raw, rec, end - rec);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert_uint_eq(count_events(&in), 1);
	ck_assert_uint_eq(merge_stats(in.merge)->unknown, 1);
	input_close(&in);
	teardown();
}
END_TEST

/* Behind a malformed record nothing is read as a record, not even in later pieces. */
START_TEST(raw_file_ends_where_it_is_broken)
{
	static uint8_t data[1 << 20];
	struct kmt_event ev = unit_free(1, 0, 4096);
	uint8_t *end = unit_put(data, &ev, 0);
	char *paths[] = {raw};
	struct input in;

	setup();
	memset(end, 0, 24);
	for (end += 24; end < data + sizeof(data) - 64; ev.seq++)
		end = unit_put(end, &ev, 0);
	write_file(raw, data, end - data);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert_uint_eq(count_events(&in), 1);
	ck_assert_uint_eq(merge_stats(in.merge)->broken, 1);
	input_close(&in);
	teardown();
}
END_TEST

/* An allocation smaller than requested is a violation, but its waste is 0. */
START_TEST(no_negative_waste)
{
	struct kmt_event ev = unit_alloc(1, 0, 4096, 50);
	const char *report[] = {"report", "--csv", raw};
	char out[64], text[512] = "";
	uint8_t rec[64];
	FILE *f;

	setup();
	ev.bytes_req = 100;
	write_file(raw, rec, unit_put(rec, &ev, 0) - rec);
	snprintf(out, sizeof(out), "%s/out", dir);
	ck_assert_ptr_nonnull(freopen(out, "w", stdout));
	ck_assert_int_eq(cmd_report(3, (char **)report), EXIT_DONE);
	fflush(stdout);
	f = fopen(out, "r");
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, f), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "50,1,1,0,100,50,0.0,kmalloc"));
	unlink(out);
	teardown();
}
END_TEST

/* --- large files ---------------------------------------------------------- */

#define MANY (400000 / TURN * TURN)

/* CPUs take turns of so many records. */
#define TURN 64

/*
 * Record n is at 10 * n ns, on CPU n / TURN % @cpus. Multiples of @lost_every are lost.
 */
static void write_many(uint32_t count, uint32_t cpus, uint32_t lost_every)
{
	uint8_t recs[TURN * 64], *end = recs;
	struct trace_writer *w;
	struct kmt_event ev;
	uint64_t random = 1;
	uint32_t i;

	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	trace_writer_text(w, TRACE_META, "seq_start=0\n", 12);
	for (i = 0; i < count; i++) {
		/* addresses that cannot be compressed */
		ev = unit_free(i, 0, 8 + (next_random(&random) >> 32) * 8);
		ev.time = 10 * i;
		if (i % lost_every)
			end = unit_put(end, &ev, KMT_FEATURE_TIME);
		if (i % TURN != TURN - 1)
			continue;
		trace_writer_data(w, i / TURN % cpus, recs, end - recs, i + 1,
				  true);
		/* no other CPU has records up to here */
		trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, i + 1, true);
		end = recs;
	}
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* For the first window, the reader does not read past the first syncs. */
START_TEST(reads_no_further_than_needed)
{
	char *paths[] = {path};
	struct input in;

	setup();
	write_many(MANY, 2, MANY);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	in.threads = INPUT_THREADS_NONE;
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	ck_assert_ptr_nonnull(input_next(&in));
	ck_assert_uint_lt(trace_reader_offset(in.reader),
			  trace_reader_size(in.reader) / 7);
	input_close(&in);
	teardown();
}
END_TEST

/* A thread reads a large file if the process has a second CPU. It can be stopped. */
START_TEST(another_thread_reads_the_same)
{
	char *paths[] = {path};
	const struct window *w;
	struct input in;
	cpu_set_t set;
	uint32_t n = 1, good = 0; /* a ck_assert() per record is slow */
	size_t i;

	setup();
	write_many(MANY, 2, MANY);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert_int_eq(input_begin(&in, true), EXIT_DONE);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	ck_assert_int_eq(in.loader != NULL, CPU_COUNT(&set) > 1);
	while ((w = input_next(&in)))
		for (i = 0; i < w->count; i++, n++)
			good += w->events[i].ev.seq == n &&
				w->events[i].cpu == n / TURN % 2;
	ck_assert_uint_eq(n, MANY);
	ck_assert_uint_eq(good, MANY - 1);
	input_close(&in);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	ck_assert_ptr_nonnull(input_next(&in));
	input_close(&in);
	teardown();
}
END_TEST

/* --- times ---------------------------------------------------------------- */

/* Return: @n, or the next number if @n was lost. */
static uint64_t present(uint64_t n)
{
	return n + (n % 1000 == 0);
}

/* Return: the offset in the file after the first window was read. */
static uint64_t check_between(uint64_t first, uint64_t last, bool indexed)
{
	uint64_t n = present((first + 9) / 10), end = last / 10 + 1, offset = 0;
	uint64_t wrong = 0;
	char *paths[] = {path};
	const struct window *w;
	struct input in;
	size_t i;

	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert_int_eq(in.indexed, indexed);
	input_limit(&in, first, last);
	in.threads = INPUT_THREADS_NONE;
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in))) {
		if (!offset)
			offset = trace_reader_offset(in.reader);
		for (i = 0; i < w->count; i++, n = present(n + 1))
			wrong += w->events[i].ev.seq != n ||
				 w->events[i].ev.time != 10 * n;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(n, present(end < MANY ? end : MANY));
	ck_assert_uint_eq(merge_stats(in.merge)->backwards, 0);
	input_close(&in);
	return offset;
}

static void check_times(bool indexed)
{
	uint64_t end = 10 * MANY, early, late;

	check_between(0, UINT64_MAX, indexed);
	check_between(5, 5000, indexed);
	check_between(1234570, 1234570, indexed);
	check_between(1234570, 1234579, indexed);
	check_between(1111111, 3333333, indexed);
	check_between(end - 15, end, indexed);
	early = check_between(end / 10 + 1, end / 5, indexed);
	late = check_between(end / 10 * 9 + 1, UINT64_MAX, indexed);
	ck_assert(!indexed || late > 4 * early);
}

/* With an index, reading starts near the first time. Without it, results are the same. */
START_TEST(between_times)
{
	struct stat st;

	setup();
	write_many(MANY, 4, 1000);
	check_times(true);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - 8), 0);
	check_times(false);
	teardown();
}
END_TEST

/* --- streams -------------------------------------------------------------- */

/* Write the first half of the file into a pipe, wait for a byte, and write the rest. */
static void feed_halves(int to, int wait)
{
	static uint8_t data[32 << 20];
	FILE *f = fopen(path, "r");
	size_t size = fread(data, 1, sizeof(data), f), half = size / 4 * 3;
	char byte;

	if (write(to, data, half) == (ssize_t)half && read(wait, &byte, 1) == 1)
		_exit(write(to, data + half, size - half) < 0);
	_exit(1);
}

/* If the reader waited for the end of the stream, this test would never end. */
START_TEST(a_stream_is_passed_on_before_its_end)
{
	char *paths[] = {"-"};
	int data[2], go[2], status;
	const struct window *w;
	uint64_t events = 0;
	struct input in;
	pid_t pid;

	setup();
	write_many(MANY, 3, 1000);
	ck_assert(!pipe(data) && !pipe(go));
	pid = fork();
	if (!pid)
		feed_halves(data[1], go[0]);
	close(data[1]);
	dup2(data[0], STDIN_FILENO);
	close(data[0]);
	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	ck_assert(input_is_stream(&in));
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	while ((w = input_next(&in))) {
		if (!events)
			ck_assert_int_eq(write(go[1], "", 1), 1);
		events += w->count;
	}
	ck_assert_int_eq(in.err, 0);
	ck_assert_uint_eq(events, MANY - MANY / 1000);
	/* the first event is lost as well, and the last one is not */
	ck_assert_uint_eq(merge_stats(in.merge)->missing, MANY / 1000);
	ck_assert_uint_eq(merge_stats(in.merge)->backwards, 0);
	input_close(&in);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	teardown();
}
END_TEST

UNIT_MAIN("input", values, damaged_recordings, damaged_raw_files,
	  each_raw_file_is_a_cpu, raw_file_starts_with_an_unknown_id,
	  raw_file_ends_where_it_is_broken, no_negative_waste,
	  reads_no_further_than_needed, another_thread_reads_the_same,
	  between_times,
	  a_stream_is_passed_on_before_its_end)
