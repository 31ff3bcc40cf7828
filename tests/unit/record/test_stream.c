// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reader threads and the queue read a directory of plain files instead of the files of
 * the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "record/ordering.h"
#include "record/streams.c"
#include "unit.h"

#define CPUS	4
#define RECORDS 50000
/* bytes per record; divides every read size, so batches have whole records only */
#define SIZE	32

static char dir_path[64];

static void write_file(int dir, const char *name, const void *data, size_t size)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), size);
	close(fd);
}

static int make_dir(void)
{
	uint8_t *buf = malloc(RECORDS * KMT_RECORD_MAX), *end;
	char name[16];
	int dir, cpu, i;

	snprintf(dir_path, sizeof(dir_path), "/tmp/kmt_stream.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir_path));
	dir = open(dir_path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		end = buf;
		for (i = 0; i < RECORDS; i++) {
			struct kmt_event ev = unit_free(i * CPUS + cpu, 0, 1);

			end = unit_put(end, &ev, 0);
			((struct kmemtrace_event *)(end - KMT_FREE_SIZE))
				->event_size = SIZE;
			memcpy(end, "\x08\0\xc8.....", 8); /* unknown feature */
			end += 8;
		}
		snprintf(name, sizeof(name), "cpu%d", cpu);
		write_file(dir, name, buf, end - buf);
	}
	free(buf);
	write_file(dir, "sequence", "4294967295\n", 11);
	return dir;
}

static void remove_dir(int dir)
{
	char name[16];
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		unlinkat(dir, name, 0);
	}
	unlinkat(dir, "sequence", 0);
	close(dir);
	rmdir(dir_path);
}

/* bytes of a buffer; a multiple of SIZE */
#define ROOM 65536

static struct buffers buffers;

/* Return: bytes of records in the batch, whose buffer is put back. */
static size_t release(const struct batch *b)
{
	size_t size = 0;

	if (b->buffer) {
		size = b->buffer->size;
		buffers_put(&buffers, b->buffer);
	}
	return size;
}

static bool try_take(struct batch_queue *queue, struct batch *b)
{
	if (sem_trywait(&queue->filled))
		return false;
	sem_post(&queue->filled);
	batch_take(queue, b);
	return true;
}

static void empty(struct batch_queue *queue)
{
	struct batch b;

	while (try_take(queue, &b))
		release(&b);
}

static void init(struct batch_queue *queue, size_t max)
{
	batch_queue_init(queue);
	buffers_init(&buffers, ROOM, max);
	ck_assert_int_eq(buffers_start(&buffers), 0);
}

static void join(struct stream *s)
{
	while (!stream_join(s))
		usleep(1000);
}

/* Start a reader for each CPU, once each of them is a holder of buffers. */
static void start_all(int dir, struct batch_queue *queue, struct stream **streams)
{
	int i;

	for (i = 0; i < CPUS; i++)
		ck_assert_int_eq(stream_create(dir, i, ORDERING_BY_NUMBER, queue, &buffers,
					       &streams[i]), 0);
	for (i = 0; i < CPUS; i++)
		ck_assert_int_eq(stream_start(streams[i], UINT32_MAX), 0);
}

/* All bytes of each CPU arrive, with the right mark. */
START_TEST(nothing_is_lost_between_threads)
{
	struct stream *streams[CPUS];
	struct batch_queue queue;
	uint64_t bytes[CPUS] = { 0 };
	int i, left = CPUS, dir = make_dir();
	bool done[CPUS] = { false };

	init(&queue, 8);
	start_all(dir, &queue, streams);
	while (left) {
		struct batch b;

		batch_take(&queue, &b);
		ck_assert_uint_eq(b.mark, UINT32_MAX);
		bytes[b.cpu] += release(&b);
		if (!done[b.cpu] && bytes[b.cpu] == RECORDS * SIZE) {
			done[b.cpu] = true;
			left--;
		}
	}
	for (i = 0; i < CPUS; i++)
		stream_stop(streams[i]);
	for (i = 0; i < CPUS; i++)
		join(streams[i]);
	empty(&queue);
	for (i = 0; i < CPUS; i++)
		ck_assert_int_eq(stream_destroy(streams[i]), 0);
	batch_queue_exit(&queue);
	buffers_exit(&buffers);
	remove_dir(dir);
}
END_TEST

static bool is_in_file(int dir, const struct batch *batch, uint64_t at)
{
	const struct buffer *b = batch->buffer;
	void *buf = malloc(ROOM);
	char name[16];
	bool same;
	int fd;

	snprintf(name, sizeof(name), "cpu%u", batch->cpu);
	fd = openat(dir, name, O_RDONLY);
	same = !b || (pread(fd, buf, b->size, at) == (ssize_t)b->size &&
		      !memcmp(buf, b->data, b->size));
	close(fd);
	free(buf);
	return same;
}

/* The writer takes no batch until the readers have read everything. */
START_TEST(a_slow_writer_does_not_block_readers)
{
	uint64_t bytes[CPUS] = { 0 };
	struct stream *streams[CPUS];
	struct batch_queue queue;
	struct batch b;
	int i, dir = make_dir();

	init(&queue, CPUS * (RECORDS * SIZE / ROOM + 3));
	start_all(dir, &queue, streams);
	for (i = 0; i < CPUS; i++) {
		stream_stop(streams[i]);
		join(streams[i]);
	}
	while (try_take(&queue, &b)) {
		ck_assert(is_in_file(dir, &b, bytes[b.cpu]));
		bytes[b.cpu] += release(&b);
	}
	for (i = 0; i < CPUS; i++) {
		ck_assert_uint_eq(bytes[i], RECORDS * SIZE);
		ck_assert_int_eq(stream_destroy(streams[i]), 0);
	}
	batch_queue_exit(&queue);
	buffers_exit(&buffers);
	remove_dir(dir);
}
END_TEST

/* The readers of all CPUs share two buffers, besides one that each may always have. */
START_TEST(readers_wait_for_buffers)
{
	struct stream *streams[CPUS];
	struct batch_queue queue;
	uint64_t bytes[CPUS] = { 0 };
	int i, dir = make_dir();
	size_t all = 0;

	init(&queue, CPUS + 2);
	start_all(dir, &queue, streams);
	usleep(100000);
	while (all < CPUS * RECORDS * SIZE) {
		struct batch b;
		size_t size;

		batch_take(&queue, &b);
		ck_assert(is_in_file(dir, &b, bytes[b.cpu]));
		size = release(&b);
		bytes[b.cpu] += size;
		all += size;
	}
	for (i = 0; i < CPUS; i++) {
		stream_stop(streams[i]);
		join(streams[i]);
		ck_assert_uint_eq(bytes[i], RECORDS * SIZE);
		ck_assert_int_eq(stream_destroy(streams[i]), 0);
	}
	empty(&queue);
	ck_assert_uint_eq(buffers_left(&buffers), 2);
	ck_assert_uint_le(buffers.count, CPUS + 2);
	batch_queue_exit(&queue);
	buffers_exit(&buffers);
	remove_dir(dir);
}
END_TEST

START_TEST(a_missing_file_is_reported)
{
	struct batch_queue queue;
	struct stream *s;
	int dir = make_dir();

	batch_queue_init(&queue);
	ck_assert_int_eq(stream_create(dir, CPUS, ORDERING_BY_NUMBER, &queue, &buffers, &s), -ENOENT);
	batch_queue_exit(&queue);
	remove_dir(dir);
}
END_TEST

UNIT_MAIN("stream", nothing_is_lost_between_threads,
	  a_slow_writer_does_not_block_readers, readers_wait_for_buffers,
	  a_missing_file_is_reported)
