// SPDX-License-Identifier: GPL-2.0-only
#include "tempdir.h"
#include "why/slabcaches.h"

#define REST " : tunables    0    0    0 : slabdata      2      2      0\n"

static const char text[] =
	"slabinfo - version: 2.1\n"
	"# name <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables\n"
	"dentry            20     20    192   21    1" REST
	"two words         20     20    192   42    2" REST
	"kmalloc-192        4      4    192   21    1" REST
	"dma-kmalloc-192    4      4    192   21    1" REST
	"empty              0      0    192   21    1 : tunables 0 0 0 : slabdata 0 0 0\n"
	"short 1 2 3" REST
	"1 2 3 4 5" REST
	"no tunables        1      1    192   21    1\n"
	"\n"
	"wide 4294967296 4294967296 4294967296 1 1048576" REST;

static size_t find(const struct slabcaches *c, uint64_t size, uint64_t pages, bool kmalloc,
		   const char *name[4])
{
	const struct slabcache_want want = { size, pages, kmalloc };

	return slabcaches_find(c, &want, name, 4);
}

START_TEST(lines)
{
	struct slabcaches c;

	slabcaches_parse(&c, text);
	ck_assert_uint_eq(c.count, 5);
	ck_assert_str_eq(c.cache[0].name, "dentry");
	ck_assert_uint_eq(c.cache[0].size, 192);
	ck_assert_uint_eq(c.cache[0].pages, 1);
	ck_assert_str_eq(c.cache[1].name, "two words");
	ck_assert_uint_eq(c.cache[1].pages, 2);
	ck_assert_str_eq(c.cache[4].name, "wide");
	ck_assert_uint_eq(c.cache[4].size, 4294967296);
	ck_assert_uint_eq(c.cache[4].pages, 1048576);
	slabcaches_free(&c);
}
END_TEST

START_TEST(what_fits)
{
	const char *name[4];
	struct slabcaches c;

	slabcaches_parse(&c, text);
	ck_assert_uint_eq(find(&c, 192, 0, false, name), 2);
	ck_assert_uint_eq(find(&c, 192, 2, false, name), 1);
	ck_assert_str_eq(name[0], "two words");
	ck_assert_uint_eq(find(&c, 192, 1, false, name), 1);
	ck_assert_str_eq(name[0], "dentry");
	ck_assert_uint_eq(find(&c, 192, 0, true, name), 2);
	ck_assert_str_eq(name[0], "kmalloc-192");
	ck_assert_str_eq(name[1], "dma-kmalloc-192");
	ck_assert_uint_eq(find(&c, 64, 0, false, name), 0);
	slabcaches_free(&c);
}
END_TEST

START_TEST(more_than_fit_into_the_list)
{
	const struct slabcache_want want = { .size = 192 };
	const char *name[2] = { NULL, "untouched" };
	struct slabcaches c;

	slabcaches_parse(&c, text);
	ck_assert_uint_eq(slabcaches_find(&c, &want, name, 1), 2);
	ck_assert_str_eq(name[0], "dentry");
	ck_assert_str_eq(name[1], "untouched");
	slabcaches_free(&c);
}
END_TEST

START_TEST(files)
{
	struct slabcaches c;

	tempdir_begin();
	slabcaches_read(&c); /* no file */
	ck_assert_uint_eq(c.count, 0);
	slabcaches_free(&c);
	tempdir_put_text("slabinfo", text);
	slabcaches_read(&c);
	ck_assert_uint_eq(c.count, 5);
	slabcaches_free(&c);
	tempdir_end();
}
END_TEST

/* A cut or damaged text makes no other difference than fewer rows. */
START_TEST(damaged)
{
	struct slabcaches c;
	char copy[sizeof(text)];
	size_t i;

	for (i = 0; i < sizeof(text); i++) {
		memcpy(copy, text, sizeof(text));
		copy[i] = '\0';
		slabcaches_parse(&c, copy);
		ck_assert_uint_le(c.count, 5);
		slabcaches_free(&c);
		memcpy(copy, text, sizeof(text));
		copy[i < sizeof(text) - 1 ? i : 0] = ' ';
		slabcaches_parse(&c, copy);
		slabcaches_free(&c);
	}
}
END_TEST

UNIT_MAIN("slabcaches", lines, what_fits, more_than_fit_into_the_list, files, damaged)
