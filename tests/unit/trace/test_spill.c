// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "trace/packers.c"
#include "unit.h"

#define SIZE 100000

static int open_tmp(void)
{
	int dir = open("/tmp", O_RDONLY | O_DIRECTORY);

	ck_assert_int_ge(dir, 0);
	return dir;
}

START_TEST(stored_data_is_read_back)
{
	static char a[SIZE], b[SIZE], back[SIZE];
	uint64_t at_a, at_b;
	struct spill spill;
	int dir = open_tmp();

	memset(a, 'a', SIZE);
	memset(b, 'b', SIZE);
	spill_init(&spill, dir);
	ck_assert_int_eq(spill_put(&spill, a, SIZE, &at_a), 0);
	ck_assert_int_eq(spill_put(&spill, b, SIZE, &at_b), 0);
	ck_assert_int_eq(spill_fetch(&spill, back, SIZE, at_b), 0);
	ck_assert_mem_eq(back, b, SIZE);
	ck_assert_int_eq(spill_fetch(&spill, back, SIZE, at_a), 0);
	ck_assert_mem_eq(back, a, SIZE);
	ck_assert_int_eq(spill_fetch(&spill, back, SIZE, 2 * SIZE), -EIO);
	spill_exit(&spill);
	close(dir);
}
END_TEST

START_TEST(half_of_the_room_stays_free)
{
	struct spill spill;
	int dir = open_tmp();
	uint64_t at;

	spill_init(&spill, dir);
	ck_assert_uint_gt(spill.reserve, 0);
	spill.reserve *= 4;
	ck_assert_int_eq(spill_put(&spill, "x", 1, &at), -ENOSPC);
	ck_assert(spill_is_possible(&spill));
	spill.reserve /= 4;
	ck_assert_int_eq(spill_put(&spill, "x", 1, &at), 0);
	spill_exit(&spill);
	close(dir);
}
END_TEST

START_TEST(a_bad_directory_is_refused)
{
	struct spill spill;
	uint64_t at;

	spill_init(&spill, -1);
	ck_assert(!spill_is_possible(&spill));
	spill_exit(&spill);
	spill_init(&spill, open("/proc", O_RDONLY | O_DIRECTORY));
	ck_assert_int_lt(spill_put(&spill, "x", 1, &at), 0);
	close(spill.dir);
	spill_exit(&spill);
}
END_TEST

UNIT_MAIN("spill", stored_data_is_read_back, half_of_the_room_stays_free,
	  a_bad_directory_is_refused)
