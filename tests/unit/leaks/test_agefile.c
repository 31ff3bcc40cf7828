// SPDX-License-Identifier: GPL-2.0-only
#include "leaks/agefile.h"
#include "leaks/ages.h"


START_TEST(sums)
{
	struct kmemtrace_ages_tag t[2] = {
		{ .tag = 3, .age = { { 1, 10 }, { 2, 20 }, { 4, 40 }, { 8, 80 } } },
		{ .tag = 5, .flags = KMEMTRACE_AGES_BACKING, .age[31] = { 7, 70 } },
	};
	struct agefile f;

	tempdir_begin();
	ages_write(t, 2, 1000, 64000000);
	ck_assert_int_eq(agefile_open(&f), 0);
	ck_assert_int_eq(agefile_read(&f), 0);
	ck_assert_uint_eq(f.head.tags, 2);
	ck_assert_uint_eq(agefile_tag(&f, 1)->tag, 5);
	ck_assert_uint_eq(agefile_tag(&f, 1)->flags, KMEMTRACE_AGES_BACKING);
	ck_assert_uint_eq(agefile_all(agefile_tag(&f, 0)).objects, 15);
	ck_assert_uint_eq(agefile_all(agefile_tag(&f, 0)).bytes, 150);
	/* at least 1, 2, 4 and 8 ticks */
	ck_assert_uint_eq(agefile_older(agefile_tag(&f, 0), 0).objects, 14);
	ck_assert_uint_eq(agefile_older(agefile_tag(&f, 0), 1).objects, 12);
	ck_assert_uint_eq(agefile_older(agefile_tag(&f, 0), 2).bytes, 80);
	ck_assert_uint_eq(agefile_older(agefile_tag(&f, 0), 3).bytes, 0);
	ck_assert_uint_eq(agefile_older(agefile_tag(&f, 1), 30).objects, 7);
	agefile_close(&f);
	tempdir_end();
}
END_TEST

/* Change four bytes of the file. Return: agefile_read() */
static int damaged(long at, uint32_t value, long size)
{
	struct kmemtrace_ages_tag t = { .tag = 1 };
	struct agefile f;
	FILE *out;
	int ret;

	ages_write(&t, 1, 1000, 64000000);
	out = fopen(tempdir_path("ages"), "r+");
	fseek(out, at, SEEK_SET);
	fwrite(&value, sizeof(value), 1, out);
	fclose(out);
	ck_assert(!size || !truncate(tempdir_path("ages"), size));
	ck_assert_int_eq(agefile_open(&f), 0);
	ret = agefile_read(&f);
	agefile_close(&f);
	return ret;
}

#define AT(member) offsetof(struct kmemtrace_ages, member)

START_TEST(damage)
{
	tempdir_begin();
	ck_assert_int_eq(damaged(AT(version), KMEMTRACE_AGES_VERSION, 0), 0);
	ck_assert_int_eq(damaged(AT(version), 2, 0), -1);
	ck_assert_int_eq(damaged(AT(size), 8, 0), -1);
	ck_assert_int_eq(damaged(AT(size), 1 << 20, 0), -1);
	ck_assert_int_eq(damaged(AT(tag_size), 8, 0), -1);
	ck_assert_int_eq(damaged(AT(tags), UINT32_MAX, 0), -1);
	ck_assert_int_eq(damaged(AT(tags), 2, 0), -1);
	ck_assert_int_eq(damaged(AT(buckets), 64, 0), -1);
	ck_assert_int_eq(damaged(AT(tick_ns), 0, 0), -1);
	ck_assert_int_eq(damaged(AT(version), 1, 40), -1);
	ck_assert_int_eq(damaged(AT(version), 1, 100), -1);
	tempdir_end();
}
END_TEST

START_TEST(missing)
{
	struct agefile f;

	tempdir_begin();
	ck_assert_int_eq(agefile_open(&f), -1);
	agefile_close(&f);
	tempdir_end();
}
END_TEST

UNIT_MAIN("agefile", sums, damage, missing)
