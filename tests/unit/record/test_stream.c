// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reader threads and the queue read a directory of plain files instead of the files of
 * the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "record/stream.h"
#include "unit.h"

#define CPUS	4
#define RECORDS 50000
/* bytes per record; divides every read size, so pieces have whole records only */
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

static void join(struct stream *s)
{
	while (!stream_join(s))
		usleep(1000);
}

static struct stream *start(int dir, int cpu, struct piece_queue *queue,
			    int spill_dir)
{
	struct stream *s;

	ck_assert_int_eq(stream_create(dir, cpu, queue, spill_dir, &s), 0);
	ck_assert_int_eq(stream_start(s), 0);
	return s;
}

/* All bytes of each CPU arrive, with the right mark and number of events. */
START_TEST(nothing_is_lost_between_threads)
{
	struct stream *streams[CPUS];
	struct piece_queue queue;
	uint64_t events = 0, bytes[CPUS] = { 0 };
	int i, left = CPUS, dir = make_dir();
	bool done[CPUS] = { false };

	piece_queue_init(&queue);
	for (i = 0; i < CPUS; i++)
		streams[i] = start(dir, i, &queue, -1);
	while (left) {
		struct piece *piece = piece_queue_take(&queue);

		ck_assert_uint_eq(piece->mark, UINT32_MAX);
		ck_assert_uint_eq(piece->size, piece->events * SIZE);
		events += piece->events;
		bytes[piece->cpu] += piece->size;
		if (!done[piece->cpu] &&
		    bytes[piece->cpu] == RECORDS * SIZE) {
			done[piece->cpu] = true;
			left--;
		}
		piece_release(piece);
	}
	for (i = 0; i < CPUS; i++)
		stream_stop(streams[i]);
	for (i = 0; i < CPUS; i++)
		join(streams[i]);
	ck_assert_uint_eq(events, CPUS * RECORDS);
	while (!sem_trywait(&queue.filled)) {
		sem_post(&queue.filled);
		piece_release(piece_queue_take(&queue));
	}
	for (i = 0; i < CPUS; i++)
		ck_assert_int_eq(stream_destroy(streams[i]), 0);
	piece_queue_exit(&queue);
	remove_dir(dir);
}
END_TEST

static bool is_in_file(int dir, const struct piece *piece, const void *data,
		       uint64_t at)
{
	char name[16];
	void *buf = malloc(PIECE_SIZE);
	bool same;
	int fd;

	snprintf(name, sizeof(name), "cpu%u", piece->cpu);
	fd = openat(dir, name, O_RDONLY);
	same = pread(fd, buf, piece->size, at) == piece->size &&
	       !memcmp(buf, data, piece->size);
	close(fd);
	free(buf);
	return same;
}

/* The writer takes no piece until the readers have read everything. */
START_TEST(a_slow_writer_does_not_block_readers)
{
	uint64_t bytes[CPUS] = { 0 };
	struct stream *streams[CPUS];
	struct piece_queue queue;
	void *room = malloc(PIECE_SIZE);
	int i, spilled = 0, dir = make_dir();

	piece_queue_init(&queue);
	for (i = 0; i < CPUS; i++)
		streams[i] = start(dir, i, &queue, dir);
	for (i = 0; i < CPUS; i++) {
		stream_stop(streams[i]);
		join(streams[i]);
	}
	while (!sem_trywait(&queue.filled)) {
		struct piece *piece;
		const void *data;

		sem_post(&queue.filled);
		piece = piece_queue_take(&queue);
		data = piece_data(piece, room);
		ck_assert_ptr_nonnull(data);
		ck_assert(is_in_file(dir, piece, data, bytes[piece->cpu]));
		bytes[piece->cpu] += piece->size;
		spilled += data == room;
		piece_release(piece);
	}
	ck_assert_int_gt(spilled, 0);
	for (i = 0; i < CPUS; i++) {
		ck_assert_uint_eq(bytes[i], RECORDS * SIZE);
		ck_assert_int_eq(stream_destroy(streams[i]), 0);
	}
	piece_queue_exit(&queue);
	free(room);
	remove_dir(dir);
}
END_TEST

/* No file can be created in /proc, so pieces cannot be spilled. */
START_TEST(pieces_wait_if_they_cannot_be_spilled)
{
	uint64_t bytes = 0;
	struct piece_queue queue;
	struct stream *s;
	int dir = make_dir(), proc = open("/proc", O_RDONLY | O_DIRECTORY);

	piece_queue_init(&queue);
	s = start(dir, 0, &queue, proc);
	usleep(100000);
	while (bytes < RECORDS * SIZE) {
		struct piece *piece = piece_queue_take(&queue);

		ck_assert_ptr_null(piece->spilled);
		ck_assert(is_in_file(dir, piece, piece->data, bytes));
		bytes += piece->size;
		piece_release(piece);
	}
	stream_stop(s);
	join(s);
	while (!sem_trywait(&queue.filled)) {
		sem_post(&queue.filled);
		piece_release(piece_queue_take(&queue));
	}
	ck_assert_int_eq(stream_destroy(s), 0);
	piece_queue_exit(&queue);
	close(proc);
	remove_dir(dir);
}
END_TEST

START_TEST(a_missing_file_is_reported)
{
	struct piece_queue queue;
	struct stream *s;
	int dir = make_dir();

	piece_queue_init(&queue);
	ck_assert_int_eq(stream_create(dir, CPUS, &queue, -1, &s), -ENOENT);
	piece_queue_exit(&queue);
	remove_dir(dir);
}
END_TEST

UNIT_MAIN("stream", nothing_is_lost_between_threads,
	  a_slow_writer_does_not_block_readers, pieces_wait_if_they_cannot_be_spilled,
	  a_missing_file_is_reported)
