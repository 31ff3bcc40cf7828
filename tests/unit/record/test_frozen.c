// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/wait.h>

#include "base/msg.h"
#include "record/frozen.h"
#include "tempdir.h"

#define FULL 3000 /* bytes per CPU; a CPU with over 1/3 may have overwritten records */

static struct frozen_files *files;
static struct frozen frozen;

static void put_stats(void)
{
	char text[64];

	snprintf(text, sizeof(text), "buffer_bytes_per_cpu %d\n", FULL);
	tempdir_begin();
	tempdir_put_text("stats", text);
}

/* Write @count consecutive records of a CPU. Return: their size in bytes. */
static size_t put_cpu(const char *name, uint32_t first, size_t count)
{
	uint8_t *data = calloc(count, KMT_RECORD_MAX), *end = data;
	size_t i, size;

	ck_assert_ptr_nonnull(data);
	for (i = 0; i < count; i++) {
		struct kmt_event ev = unit_free(first + i,
						KMEMTRACE_TYPE_KMALLOC, 64 * i);

		end = unit_put(end, &ev, 0);
	}
	size = end - data;
	tempdir_put(name, data, size);
	free(data);
	return size;
}

static void save(const char *prefix, const char *cpus, uint64_t end,
		 const uint64_t *start)
{
	int dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);

	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(frozen_open(dir, prefix, cpus, &files), EXIT_DONE);
	ck_assert_int_eq(frozen_save(files, NULL, end, start, &frozen),
			 EXIT_DONE);
	frozen_close(files);
	close(dir);
	tempdir_end();
}

START_TEST(nothing_overwritten_is_whole_from_the_start)
{
	const uint64_t start = 90;

	put_stats();
	ck_assert_uint_lt(put_cpu("cpu0", 100, 3), FULL / 3);
	put_cpu("cpu1", 103, 5);
	save(FROZEN_BUFFERS, NULL, 108, &start);
	ck_assert_uint_eq(frozen.records, 8);
	ck_assert(!frozen.overwritten && !frozen.exchanged);
	ck_assert_uint_eq(frozen.whole, start);
}
END_TEST

/*
 * The recording is complete from the latest first record of all CPUs that may have
 * overwritten records. Sequence numbers wrap around.
 */
START_TEST(complete_data_begins_with_the_busiest_cpu)
{
	const uint64_t start = 0ull - 1000;

	put_stats();
	put_cpu("cpu0", 0u - 900, 2); /* idle: nothing overwritten */
	ck_assert_uint_gt(put_cpu("cpu1", 0u - 500, 300), FULL / 3);
	ck_assert_uint_gt(put_cpu("cpu2", 0u - 200, 300), FULL / 3);
	save(FROZEN_BUFFERS, NULL, 100, &start);
	ck_assert_uint_eq(frozen.records, 602);
	ck_assert(frozen.overwritten && !frozen.exchanged);
	ck_assert_uint_eq(frozen.whole, 0ull - 200);
}
END_TEST

/* A CPU that was quiet may have records from before 2^32 other events. */
START_TEST(old_records_of_a_quiet_cpu)
{
	const uint64_t start = 7, end = 9ull << 30;
	char text[256];
	FILE *out = fmemopen(text, sizeof(text), "w");
	int dir;

	tempdir_begin();
	snprintf(text, sizeof(text),
		 "buffer_bytes_per_cpu %d\nstart_number.cpu0 8\nstart_number.cpu1 %llu\n",
		 FULL, (unsigned long long)end - 100);
	tempdir_put_text("stats", text);
	put_cpu("cpu0", 10, 2);
	ck_assert_uint_gt(put_cpu("cpu1", (uint32_t)end - 90, 90), FULL / 3);
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(frozen_open(dir, FROZEN_BUFFERS, NULL, &files), EXIT_DONE);
	ck_assert_int_eq(frozen_save(files, NULL, end, &start, &frozen), EXIT_DONE);
	ck_assert_uint_eq(frozen.whole, end - 90);
	frozen_print_starts(frozen.files, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "start_number.cpu0=10\n"));
	ck_assert_ptr_nonnull(strstr(text, "start_number.cpu1=9663676326\n"));
	frozen_close(files);
	close(dir);
	tempdir_end();
}
END_TEST

/* The start of the recording into exchanged buffers is not known. */
START_TEST(exchanged_buffers_are_whole_from_the_oldest)
{
	put_stats();
	put_cpu("snapshot_cpu0", 40, 3);
	put_cpu("snapshot_cpu1", 20, 2);
	put_cpu("cpu0", 5, 1); /* not in the snapshot */
	save(FROZEN_SNAPSHOT, NULL, 43, NULL);
	ck_assert_uint_eq(frozen.records, 5);
	ck_assert(frozen.exchanged && !frozen.overwritten);
	ck_assert_uint_eq(frozen.whole, 20);
}
END_TEST

/* A CPU can write a record with a number behind the end; it is not the oldest. */
START_TEST(a_record_behind_the_end_is_not_the_oldest)
{
	put_stats();
	put_cpu("snapshot_cpu0", 43, 1);
	put_cpu("snapshot_cpu1", 41, 1);
	save(FROZEN_SNAPSHOT, NULL, 42, NULL);
	ck_assert_uint_eq(frozen.records, 2);
	ck_assert_uint_eq(frozen.whole, 41);
}
END_TEST

START_TEST(only_cpus_that_are_asked_for_and_have_records)
{
	const uint64_t start = 1;

	put_stats();
	put_cpu("cpu0", 1, 1);
	put_cpu("cpu1", 2, 2);
	put_cpu("cpu2", 4, 0);
	put_cpu("cpu11", 4, 4);
	tempdir_put_text("cpus", "no buffer");
	save(FROZEN_BUFFERS, "1-2", 8, &start);
	ck_assert_uint_eq(frozen.records, 2);
	ck_assert_uint_eq(frozen.whole, start);
}
END_TEST

START_TEST(a_snapshot_says_that_it_was_taken)
{
	pid_t pid;
	int dir;

	put_stats();
	dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);
	ck_assert(!frozen_is_taken(dir));
	ck_assert_uint_eq(frozen_snapshots(dir), 0);
	tempdir_put_text("snapshot", "state none\ntaken 2\n");
	ck_assert(!frozen_is_taken(dir));
	ck_assert_uint_eq(frozen_snapshots(dir), 2);
	tempdir_put_text("snapshot", "state freezing\ntaken 3\n");
	pid = fork();
	if (!pid) {
		usleep(200000);
		tempdir_put_text("new", "state taken\ntaken 3\n");
		_exit(renameat(dir, "new", dir, "snapshot"));
	}
	ck_assert_int_gt(pid, 0);
	ck_assert(frozen_is_taken(dir));
	ck_assert_uint_eq(frozen_snapshots(dir), 3);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(dir);
	tempdir_end();
}
END_TEST

UNIT_MAIN("frozen", nothing_overwritten_is_whole_from_the_start,
	  complete_data_begins_with_the_busiest_cpu, old_records_of_a_quiet_cpu,
	  exchanged_buffers_are_whole_from_the_oldest,
	  a_record_behind_the_end_is_not_the_oldest,
	  only_cpus_that_are_asked_for_and_have_records,
	  a_snapshot_says_that_it_was_taken)
