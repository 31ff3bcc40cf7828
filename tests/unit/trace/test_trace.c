// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording is written and read: complete, truncated, damaged, and in the other byte
 * order.
 */
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/msg.h"
#include "report/analysis.h"
#include "trace/input.h"
#include "trace/writer.h"
#include "unit.h"

#define EVENTS 1000

static char path[64];
/* read in a separate thread */
static bool thread;

static void make_path(void)
{
	/* in memory if possible: a disk is slow to flush recordings */
	snprintf(path, sizeof(path), "%s/kmt_test_trace.%d",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
}

/* Two CPUs take turns of ten events: CPU 0 allocates, CPU 1 frees the same objects. */
static void write_recording(void)
{
	static const char meta[] = "release=1.2.3\nseq_start=5\npage_size=4096\n";
	static const char end[] = "seq_end=1005\nlost_events=0\nevents=1000\n";
	struct trace_writer *w;
	uint8_t buf[4096], *to;
	uint32_t i, cpu;

	make_path();
	unlink(path);
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	trace_writer_text(w, TRACE_CACHES, "1 8 8 one\n", 10);
	for (i = 0; i < EVENTS;) {
		cpu = i / 10 % 2;
		for (to = buf; to == buf || i % 10; i++) {
			struct kmt_event ev =
				i % 20 < 10 ? unit_alloc(5 + i, 0, 0x1000 + i % 10 * 64, 64) :
					      unit_free(5 + i, 0, 0x1000 + i % 10 * 64);

			ev.time = i;
			to = unit_put(to, &ev, KMT_FEATURE_TIME);
		}
		trace_writer_data(w, cpu, buf, to - buf, 5 + i, true);
	}
	trace_writer_text(w, TRACE_END, end, strlen(end));
	ck_assert_int_eq(trace_writer_error(w), 0);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* Read the whole file. This must not crash, whatever the file contains. */
static uint64_t read_recording(struct merge_stats *stats)
{
	char *paths[] = { path };
	const struct window *w;
	struct analysis a;
	struct input in;
	uint64_t n = 0;
	size_t i;

	if (input_open(&in, paths, 1))
		return 0;
	analysis_init(&a, BY_SITE, in.page_size);
	in.threads = thread ? INPUT_THREADS_ALWAYS : INPUT_THREADS_NONE;
	ck_assert_int_eq(input_begin(&in, true), EXIT_DONE);
	while ((w = input_next(&in))) {
		for (i = 0; i < w->count; i++)
			analysis_add(&a, &w->events[i].ev, w->events[i].cpu);
		n += w->count;
	}
	ck_assert_uint_eq(n, merge_stats(in.merge)->events);
	if (stats)
		*stats = *merge_stats(in.merge);
	analysis_exit(&a);
	input_close(&in);
	return n;
}

START_TEST(comes_back)
{
	struct merge_stats stats;
	struct stat st;
	int way;

	for (way = 0; way < 2; way++) {
		write_recording();
		thread = way;
		ck_assert_uint_eq(read_recording(&stats), EVENTS);
		ck_assert_uint_eq(stats.missing, 0);
		ck_assert_uint_eq(stats.backwards, 0);
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_int_eq(st.st_mode & 0777, 0600);
		unlink(path);
	}
}
END_TEST

START_TEST(is_read_up_to_a_cut)
{
	struct stat st;
	uint64_t n, last = 0;
	off_t size;

	write_recording();
	ck_assert_int_eq(stat(path, &st), 0);
	for (size = 0; size < st.st_size; size += 97) {
		write_recording();
		ck_assert_int_eq(truncate(path, size), 0);
		n = read_recording(NULL);
		ck_assert_uint_ge(n, last);
		last = n;
	}
	ck_assert_uint_gt(last, EVENTS - 20);
	unlink(path);
}
END_TEST

static uint8_t *load(size_t *size)
{
	FILE *f = fopen(path, "r");
	uint8_t *data = malloc(1 << 20);

	ck_assert(f && data);
	*size = fread(data, 1, 1 << 20, f);
	fclose(f);
	return data;
}

static void save(const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	ck_assert(f && fwrite(data, 1, size, f) == size);
	fclose(f);
}

static void fix_crcs(uint8_t *data, size_t size)
{
	size_t pos = sizeof(struct trace_header);

	while (pos + sizeof(struct trace_chunk) <= size) {
		struct trace_chunk *c = (void *)(data + pos);

		if (c->magic != TRACE_CHUNK_MAGIC ||
		    pos + sizeof(*c) + c->stored_size > size)
			break;
		c->crc = crc32(0, data + pos + sizeof(*c), c->stored_size);
		pos += sizeof(*c) + ((c->stored_size + 7) & ~7u);
	}
}

START_TEST(survives_mutations)
{
	unsigned int seed = 7, round, i;
	uint8_t *good, *bad;
	size_t size;

	write_recording();
	good = load(&size);
	bad = malloc(size);
	/* drop the messages about damaged files */
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	for (round = 0; round < 1000; round++) {
		memcpy(bad, good, size);
		for (i = 0; i < 1 + round % 8; i++)
			bad[rand_r(&seed) % size] = rand_r(&seed);
		if (round % 2)
			fix_crcs(bad, size); /* else most damage only fails the CRC */
		save(bad, size - (round % 5 ? 0 : rand_r(&seed) % size));
		read_recording(NULL);
	}
	free(good);
	free(bad);
	unlink(path);
}
END_TEST

/* Columns do not depend on the byte order. */
START_TEST(other_byte_order)
{
	struct trace_header *head;
	struct merge_stats stats;
	size_t size, pos, stored;
	uint8_t *data;

	write_recording();
	data = load(&size);
	head = (void *)data;
	head->byte_order = bswap_32(head->byte_order);
	head->version = bswap_16(head->version);
	pos = head->header_size;
	head->header_size = bswap_16(head->header_size);
	while (pos + sizeof(struct trace_chunk) <= size) {
		struct trace_chunk *c = (void *)(data + pos);

		stored = c->stored_size;
		c->crc = bswap_32(crc32(0, data + pos + sizeof(*c), stored));
		c->magic = bswap_32(c->magic);
		c->type = bswap_16(c->type);
		c->cpu = bswap_32(c->cpu);
		c->stored_size = bswap_32(c->stored_size);
		c->raw_size = bswap_32(c->raw_size);
		c->mark = bswap_32(c->mark);
		c->first_seq = bswap_32(c->first_seq);
		c->time_first = bswap_64(c->time_first);
		c->time_last = bswap_64(c->time_last);
		pos += sizeof(*c) + ((stored + 7) & ~7ul);
	}
	save(data, size);
	free(data);
	ck_assert_uint_eq(read_recording(&stats), EVENTS);
	ck_assert_uint_eq(stats.missing, 0);
	unlink(path);
}
END_TEST

/* Without a limit, a small file could make readers search millions of CPUs. */
START_TEST(cpus_are_bounded)
{
	struct kmt_event ev = unit_free(5, 0, 0x1000);
	struct trace_writer *w;
	uint8_t buf[64];
	size_t size = unit_put(buf, &ev, 0) - buf;
	uint32_t cpu;

	make_path();
	for (cpu = TRACE_CPUS_MAX - 1; cpu <= TRACE_CPUS_MAX; cpu++) {
		ck_assert_int_eq(trace_writer_create(path, &w), 0);
		trace_writer_data(w, cpu, buf, size, 6, true);
		ck_assert_int_eq(trace_writer_destroy(w, true), 0);
		ck_assert_uint_eq(read_recording(NULL), cpu < TRACE_CPUS_MAX);
		unlink(path);
	}
}
END_TEST

/* The writer's clock stands still: no sync is due, however long a test takes. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC_COARSE)
		return syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){ 0 };
	return 0;
}

#define MANY_CPUS 600

/* With many CPUs, the writer buffers fewer records of each CPU. */
START_TEST(buffers_are_smaller_with_many_cpus)
{
	size_t size = 1600 * KMT_FREE_SIZE;
	uint8_t *buf = malloc(size), *to = buf;
	struct trace_writer *w;
	uint32_t i;

	make_path();
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	for (i = 0; i < 1600; i++) {
		struct kmt_event ev = unit_free(i, 0, 8);

		to = unit_put(to, &ev, 0);
	}
	for (i = 0; i < MANY_CPUS; i++)
		trace_writer_data(w, i, buf, size, 0, false);
	ck_assert_uint_eq(trace_writer_records(w), 0);
	for (i = 0; i < MANY_CPUS / 2; i++)
		trace_writer_data(w, i, buf, size, 0, false);
	ck_assert_uint_ge(trace_writer_records(w), MANY_CPUS / 2 * 1600);
	trace_writer_destroy(w, false);
	free(buf);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
	struct trace_writer *w;
	uint8_t *noise = malloc(TRACE_DATA_MAX);
	int i, err = 0;

	memset(noise, 1, TRACE_DATA_MAX);
	ck_assert_int_eq(trace_writer_create("/dev/full", &w), 0);
	ck_assert_ptr_null(trace_writer_path(w));
	for (i = 0; i < 4 && !err; i++)
		err = trace_writer_text(w, TRACE_META, (char *)noise,
					TRACE_DATA_MAX);
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert_int_eq(trace_writer_error(w), -ENOSPC);
	ck_assert_int_eq(trace_writer_destroy(w, true), -ENOSPC);
	free(noise);
}
END_TEST

/* A recorder that is killed leaves such a file. */
START_TEST(an_incomplete_file_can_be_read)
{
	static const char meta[] = "release=1.2.3\n";
	struct trace_chunk chunk;
	struct trace_reader *r;
	struct trace_writer *w;
	char part[80];
	const char *why;

	make_path();
	snprintf(part, sizeof(part), "%s.part", path);
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	ck_assert_str_eq(trace_writer_path(w), path);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	trace_writer_text(w, TRACE_CACHES, "1 8 8 one\n", 10);
	r = trace_reader_open(part, &why);
	ck_assert_ptr_nonnull(r);
	ck_assert(trace_reader_next(r, &chunk));
	ck_assert_uint_eq(chunk.type, TRACE_META);
	ck_assert_str_eq((const char *)trace_reader_load(r), meta);
	ck_assert(trace_reader_next(r, &chunk));
	ck_assert_uint_eq(chunk.type, TRACE_CACHES);
	ck_assert(!trace_reader_next(r, &chunk));
	ck_assert_int_eq(trace_reader_end(r), TRACE_CUT);
	trace_reader_close(r);
	ck_assert_int_eq(trace_writer_destroy(w, false), 0);
	ck_assert_int_ne(access(part, F_OK), 0);
}
END_TEST

static void *watch(void *arg)
{
	struct trace_writer *w = arg;
	uint64_t bytes = 0, now;

	while (!trace_writer_error(w)) {
		now = trace_writer_bytes(w);
		ck_assert_uint_ge(now, bytes);
		bytes = now;
	}
	return NULL;
}

/* The recorder does the same. TSan checks that there is no race. */
START_TEST(another_thread_sees_progress_and_errors)
{
	size_t size = 1600 * KMT_FREE_SIZE;
	uint8_t *buf = malloc(size), *to = buf;
	struct trace_writer *w;
	pthread_t thread;
	uint32_t i;
	int err = 0;

	for (i = 0; i < 1600; i++) {
		struct kmt_event ev = unit_free(i, 0, 8);

		to = unit_put(to, &ev, 0);
	}
	ck_assert_int_eq(trace_writer_create("/dev/full", &w), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, watch, w), 0);
	for (i = 0; !err; i++)
		err = trace_writer_data(w, i % 2, buf, size, 0, false);
	pthread_join(thread, NULL);
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert_int_eq(trace_writer_destroy(w, true), -ENOSPC);
	free(buf);
}
END_TEST

UNIT_MAIN("trace", comes_back, is_read_up_to_a_cut, survives_mutations,
	  other_byte_order, cpus_are_bounded,
	  buffers_are_smaller_with_many_cpus, a_full_disk_is_reported,
	  an_incomplete_file_can_be_read,
	  another_thread_sees_progress_and_errors)
