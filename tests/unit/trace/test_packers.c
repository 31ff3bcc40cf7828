// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads pack chunks, and one thread writes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmt_compact.h"
#include "random.h"
#include "trace/packers.h"
#include "trace/sink.h"
#include "trace/writer.h"
#include "tempdir.h"

#define THREADS 3
#define ROOM	65536
#define CHUNKS	300

/* --- the packers alone ------------------------------------------------------ */

static struct buffers buffers;
static sem_t may_write; /* how many chunks the disk takes */
static uint64_t written, errors, quick, last_quick;
static bool in_order;

/* The contents of a chunk: they have its number, and cannot be compressed. */
static uint64_t content(uint64_t number, size_t i)
{
	uint64_t random = number * ROOM + i;

	return next_random(&random);
}

static void fill(struct buffer *b, uint64_t number)
{
	uint64_t value;

	for (b->size = 0; b->size < ROOM; b->size += sizeof(value)) {
		value = content(number, b->size);
		memcpy(b->data + b->size, &value, sizeof(value));
	}
}

static struct sink disk;

void __wrap_sink_write(struct sink *s, struct chunk *c);
void __real_sink_write(struct sink *s, struct chunk *c);
void __wrap_sink_fail(struct sink *s, int err);
void __real_sink_fail(struct sink *s, int err);

static void write_number(const struct chunk *c)
{
	uint64_t value;
	size_t i;

	while (sem_wait(&may_write))
		;
	if (c->kind != CHUNK_RECORDS)
		return;
	for (i = 0; i < c->size; i += sizeof(value)) {
		memcpy(&value, c->data + i, sizeof(value));
		in_order = in_order && value == content(written, i);
	}
	in_order = in_order && c->size == ROOM;
	quick += c->quick;
	last_quick = c->quick ? written : last_quick;
	__atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
}

void __wrap_sink_write(struct sink *s, struct chunk *c)
{
	if (s == &disk)
		write_number(c);
	else
		__real_sink_write(s, c);
}

void __wrap_sink_fail(struct sink *s, int err)
{
	if (s == &disk)
		__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
	else
		__real_sink_fail(s, err);
}

static struct packers *start(int spill_dir, size_t count)
{
	struct packers *p;

	sem_init(&may_write, 0, 0);
	written = errors = quick = last_quick = 0;
	in_order = true;
	buffers_init(&buffers, ROOM, count);
	ck_assert_int_eq(packers_start(THREADS, &buffers, spill_dir, &disk, &p), 0);
	return p;
}

static void add(struct packers *p, enum chunk_kind kind, uint64_t number)
{
	struct chunk *c = calloc(1, sizeof(*c));

	ck_assert_ptr_nonnull(c);
	c->kind = kind;
	if (kind == CHUNK_RECORDS) {
		c->buffer = buffers_get(&buffers);
		ck_assert_ptr_nonnull(c->buffer);
		fill(c->buffer, number);
		c->data = c->buffer->data;
		c->head.type = TRACE_DATA;
		c->head.raw_size = ROOM;
	}
	packers_add(p, c);
}

static void allow(unsigned int count)
{
	while (count--)
		sem_post(&may_write);
}

static void end(struct packers *p, size_t count)
{
	packers_end(p);
	while (!packers_joined(p))
		usleep(1000);
	packers_free(p);
	ck_assert_uint_eq(buffers_left(&buffers), count);
	buffers_exit(&buffers);
	sem_destroy(&may_write);
}

/* As end(), and checks that the file has @chunks. */
static void end_complete(struct packers *p, size_t count, uint64_t chunks)
{
	end(p, count);
	ck_assert_uint_eq(written, chunks);
	ck_assert(in_order);
	ck_assert_uint_eq(errors, 0);
}

START_TEST(chunks_are_written_in_order)
{
	struct packers *p = start(-1, 20);
	unsigned int i;

	allow(2 * CHUNKS);
	for (i = 0; i < CHUNKS; i++) {
		add(p, CHUNK_RECORDS, i);
		add(p, CHUNK_SYNC, 0);
	}
	end_complete(p, 20, CHUNKS);
}
END_TEST

/* The disk takes nothing until all chunks are added: most of them are in the temporary file. */
START_TEST(a_stopped_disk_fills_the_temporary_file)
{
	struct packers *p;
	unsigned int i;
	int dir;

	tempdir_begin();
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	p = start(dir, 60);
	for (i = 0; i < CHUNKS; i++)
		add(p, CHUNK_RECORDS, i);
	/* the packers keep those that are written soon */
	ck_assert_uint_ge(packers_backlog(p), (CHUNKS - 60) * ROOM);
	ck_assert_uint_le(buffers.count, 60);
	allow(CHUNKS);
	end_complete(p, 60, CHUNKS);
	close(dir);
	tempdir_end();
}
END_TEST

/* The disk takes nothing until all chunks are added. The last ones do not wait for others. */
START_TEST(chunks_are_compressed_less_while_many_wait)
{
	struct packers *p = start(-1, CHUNKS);
	unsigned int i;

	for (i = 0; i < CHUNKS; i++)
		add(p, CHUNK_RECORDS, i);
	allow(CHUNKS);
	end(p, CHUNKS);
	ck_assert_uint_gt(quick, CHUNKS / 2);
	ck_assert_uint_eq(last_quick, CHUNKS - THREADS - 2);
}
END_TEST

/* As if malloc() of a further buffer had failed. */
static void let_memory_run_out(void)
{
	pthread_mutex_lock(&buffers.lock);
	buffers.max = buffers.count;
	pthread_mutex_unlock(&buffers.lock);
}

/* The packers look at the pool meanwhile; TSan checks how. */
START_TEST(memory_runs_out_while_chunks_are_packed)
{
	struct packers *p;
	unsigned int i;
	size_t left;
	int dir;

	tempdir_begin();
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	p = start(dir, CHUNKS);
	allow(CHUNKS);
	for (i = 0; i < CHUNKS; i++) {
		add(p, CHUNK_RECORDS, i);
		if (i >= CHUNKS / 3)
			let_memory_run_out();
	}
	left = buffers.max;
	ck_assert_uint_le(left, CHUNKS / 3 + 1);
	end_complete(p, left, CHUNKS);
	close(dir);
	tempdir_end();
}
END_TEST

/* What is written already stays; nothing else is written. */
START_TEST(the_rest_can_be_cut)
{
	struct packers *p = start(-1, CHUNKS);
	unsigned int i;

	for (i = 0; i < CHUNKS; i++)
		add(p, CHUNK_RECORDS, i);
	allow(5);
	while (__atomic_load_n(&written, __ATOMIC_RELAXED) < 5)
		usleep(1000);
	packers_cut(p);
	allow(CHUNKS);
	end(p, CHUNKS);
	/* one more may have been begun */
	ck_assert_uint_le(written, 6);
	ck_assert(in_order);
}
END_TEST

/* The temporary file cannot be made: the chunks wait in memory. */
START_TEST(a_missing_temporary_file_is_no_error)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY);
	struct packers *p = start(proc, 60);
	unsigned int i;

	for (i = 0; i < 60; i++)
		add(p, CHUNK_RECORDS, i);
	ck_assert_uint_eq(packers_backlog(p), 0);
	allow(60);
	end_complete(p, 60, 60);
	close(proc);
}
END_TEST

/* --- the whole writer ------------------------------------------------------- */

#define CPUS	5
#define RECORDS 120000
#define TURN	700 /* records of a CPU before the next CPU */
#define SIZE	(512 * 1024)

/* The stack of a record is one of many; some are new in each part of the file. */
static uint8_t *put(uint8_t *to, uint32_t i)
{
	struct kmt_event ev = i % 2 ? unit_free(i, 0, 64 * (i / 2)) :
				      unit_alloc(i, 0, 64 * (i / 2), 64);
	struct kmt_extra x = { .depth = 1 + i % 5 };
	unsigned int k;

	ev.time = 1000 * i;
	for (k = 0; k < x.depth; k++)
		x.stack[k] = 0xffffffff81000000ull + i % 700 * 16 + k + i / 9000;
	/* some records cannot be stored as columns */
	if (i % 50000 < 3 * TURN)
		ev.ptr = 0;
	return unit_put_extra(to, &ev, &x, KMT_FEATURE_TIME | KMT_FEATURE_STACK);
}

static void add_records(struct trace_writer *w, bool threads, uint32_t first)
{
	uint32_t cpu = first / TURN % CPUS, i, n = first + TURN;
	struct buffer *b = threads ? buffers_get(&buffers) : malloc(SIZE);
	uint8_t *data = threads ? b->data : (uint8_t *)b, *to = data;

	for (i = first; i < n; i++)
		to = put(to, i);
	if (threads) {
		b->size = to - data;
		trace_writer_take(w, cpu, b, n, true);
	} else {
		trace_writer_data(w, cpu, data, to - data, n, true);
		free(b);
	}
	trace_writer_data(w, (cpu + 1) % CPUS, NULL, 0, n, true);
	trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, n, true);
}

static void announce(void *arg)
{
	trace_writer_insert(arg, TRACE_CACHES, "1 8 8 one\n", 10);
}

static void make_file(const char *path, bool threads, int dir)
{
	const struct trace_threads how = { .count = THREADS, .buffers = &buffers,
					   .spill_dir = dir };
	struct trace_writer *w;
	uint32_t i;

	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	trace_writer_text(w, TRACE_META, "seq_start=0\n", 12);
	if (threads)
		ck_assert_int_eq(trace_writer_start(w, &how), 0);
	trace_writer_before(w, announce, w);
	for (i = 0; i + TURN <= RECORDS; i += TURN)
		add_records(w, threads, i);
	trace_writer_before(w, NULL, NULL);
	if (threads) {
		trace_writer_end(w);
		while (!trace_writer_joined(w))
			usleep(1000);
	}
	trace_writer_text(w, TRACE_END, "seq_end=1\n", 10);
	ck_assert_uint_eq(trace_writer_records(w), RECORDS / TURN * TURN);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	struct stat st;
	void *data;

	ck_assert(file && !fstat(fileno(file), &st));
	data = malloc(st.st_size);
	ck_assert_uint_eq(fread(data, 1, st.st_size, file), st.st_size);
	fclose(file);
	*size = st.st_size;
	return data;
}

/* Byte for byte: the order of chunks, stacks, marks, syncs and the index. */
START_TEST(threads_write_the_same_file)
{
	size_t one_size, other_size;
	void *one, *other;
	char path[128];
	int dir;

	tempdir_begin();
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	/* so many that no chunk is compressed less; the last one has hardly more than CPUs */
	buffers_init(&buffers, SIZE, _i ? CPUS + 2 : 400);
	strcpy(path, tempdir_path("one"));
	make_file(path, false, -1);
	one = read_file(path, &one_size);
	strcpy(path, tempdir_path("other"));
	make_file(path, true, dir);
	other = read_file(path, &other_size);
	if (!_i) {
		ck_assert_uint_eq(one_size, other_size);
		ck_assert_int_eq(memcmp(one, other, one_size), 0);
	}
	ck_assert_uint_eq(buffers.taken, 0);
	buffers_exit(&buffers);
	free(one);
	free(other);
	close(dir);
	tempdir_end();
}
END_TEST

/* Gathered records are in all buffers that there are: they are passed on for a new one. */
START_TEST(memory_runs_out_while_records_are_gathered)
{
	const struct trace_threads how = { .count = THREADS, .buffers = &buffers,
					   .spill_dir = -1 };
	uint8_t data[KMT_RECORD_MAX];
	struct trace_writer *w;
	uint32_t cpu;

	tempdir_begin();
	buffers_init(&buffers, SIZE, CPUS);
	ck_assert_int_eq(trace_writer_create(tempdir_path("one"), &w), 0);
	ck_assert_int_eq(trace_writer_start(w, &how), 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		size_t size = put(data, cpu) - data;

		ck_assert_int_eq(trace_writer_data(w, cpu, data, size, cpu + 1, true), 0);
		if (cpu == 1)
			let_memory_run_out();
	}
	trace_writer_end(w);
	while (!trace_writer_joined(w))
		usleep(1000);
	ck_assert_uint_eq(buffers.count, 2);
	ck_assert_uint_eq(trace_writer_records(w), CPUS);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
	ck_assert_uint_eq(buffers.taken, 0);
	buffers_exit(&buffers);
	tempdir_end();
}
END_TEST

/* --- compact records -------------------------------------------------------- */

#define FEW 3000

/* A record that is plain, or the compact one of which this is made. */
static uint8_t *put_few(uint8_t *to, uint32_t i, uint32_t features, bool compact, bool odd)
{
	struct kmt_event ev = i % 3 ? unit_alloc(i, i % 4, 64 * i, 8 * (i % 9 + 1)) :
				      unit_free(i, i % 4, 64 * (i / 2) + 64);
	struct kmt_extra x = { .depth = i % 2, .stack = { 0xffffffff81000000ull + i % 50 } };
	uint32_t more = i % 5 ? 0 : KMT_FEATURE_STACK;
	size_t core = kmt_compact_size(ev.event_id, ev.type_id);
	size_t tail = kmt_record_extra_size(&x, more);

	ev.time = 1000 * i;
	ev.cache = i % 4 == KMEMTRACE_TYPE_CACHE ? i % 6 : 0;
	/* free(NULL) cannot be stored in columns */
	if (odd && i == FEW / 2)
		ev = unit_free(i, 0, 0);
	/* a value that does not fit */
	if (i % 100 == 4 && i % 3)
		ev.bytes_req = ev.bytes_alloc = 1ull << 33;
	if (!compact || !kmt_compact_fits(&ev))
		return unit_put_extra(to, &ev, &x,
				      more | (kmt_compact_fits(&ev) ? features :
								      KMT_FEATURE_TIME));
	core = kmt_compact_size(ev.event_id, ev.type_id);
	kmt_compact_encode(to, core + tail, &ev);
	kmt_record_encode_extra(to + core, &x, more);
	return to + core + tail;
}

static void make_few(const char *path, uint32_t features, bool compact, bool odd)
{
	uint8_t *data = malloc(SIZE), *to = data;
	struct trace_writer *w;
	uint32_t i;

	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	if (compact)
		trace_writer_compact(w, features);
	for (i = 0; i < FEW; i++)
		to = put_few(to, i, features, compact, odd);
	ck_assert_int_eq(trace_writer_data(w, 1, data, to - data, FEW, true), 0);
	ck_assert_uint_eq(trace_writer_records(w), 0);
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
	free(data);
}

/* Byte for byte, with and without columns. */
START_TEST(compact_records_become_plain)
{
	uint32_t features = (_i & 7) * KMT_FEATURE_TIME;
	bool odd = _i & 8;
	size_t one_size, other_size;
	void *one, *other;
	char path[128];

	tempdir_begin();
	strcpy(path, tempdir_path("one"));
	make_few(path, features, false, odd);
	one = read_file(path, &one_size);
	strcpy(path, tempdir_path("other"));
	make_few(path, features, true, odd);
	other = read_file(path, &other_size);
	ck_assert_uint_eq(one_size, other_size);
	ck_assert_int_eq(memcmp(one, other, one_size), 0);
	free(one);
	free(other);
	tempdir_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("packers");
	TCase *tests = tcase_create("packers");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, chunks_are_written_in_order);
	tcase_add_test(tests, a_stopped_disk_fills_the_temporary_file);
	tcase_add_test(tests, chunks_are_compressed_less_while_many_wait);
	tcase_add_test(tests, memory_runs_out_while_chunks_are_packed);
	tcase_add_test(tests, the_rest_can_be_cut);
	tcase_add_test(tests, a_missing_temporary_file_is_no_error);
	tcase_add_loop_test(tests, threads_write_the_same_file, 0, 2);
	tcase_add_test(tests, memory_runs_out_while_records_are_gathered);
	tcase_add_loop_test(tests, compact_records_become_plain, 0, 16);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
