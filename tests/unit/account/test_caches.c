// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "account/caches.h"
#include "tempdir.h"
#include "unit.h"

static char why[256];

START_TEST(rows_are_parsed)
{
	struct tags t;

	ck_assert_int_eq(caches_parse(&t, "kmalloc-64 3 192\n\nodd name 2 80\n",
				      why, sizeof(why)),
			 0);
	ck_assert_uint_eq(t.rows.count, 2);
	ck_assert_str_eq(t.rows.row[0].location, "kmalloc-64");
	ck_assert_int_eq(t.rows.row[0].kind, SITE_SLAB);
	ck_assert_int_eq(t.rows.row[0].f.objects, 3);
	ck_assert_int_eq(t.rows.row[0].f.bytes, 192);
	ck_assert_int_eq(t.rows.row[0].f.oldest_ms, -1);
	ck_assert_str_eq(t.rows.row[1].location, "odd name");
	tags_free(&t);
}
END_TEST

START_TEST(names_become_printable)
{
	struct tags t;

	ck_assert_int_eq(caches_parse(&t, "a\033[31mb\377 1 8\n", why, sizeof(why)), 0);
	ck_assert_str_eq(t.rows.row[0].location, "a?[31mb?");
	tags_free(&t);
}
END_TEST

START_TEST(malformed_text_is_refused)
{
	static const char *const bad[] = {
		"dentry\n", "dentry 1\n", " 1 8\n", "dentry x 8\n", "dentry 1 8x\n",
		"dentry 1  \n",
	};
	struct tags t;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_int_eq(caches_parse(&t, bad[i], why, sizeof(why)), -EINVAL);
		ck_assert_str_eq(why, "line 1 is no row of caches_live");
		tags_free(&t);
	}
}
END_TEST

START_TEST(the_module_is_read_with_its_counters)
{
	struct tags t;

	tempdir_begin();
	tempdir_put_text("stats", "clock_ns 5\n");
	ck_assert_int_ne(caches_read_module(&t, why, sizeof(why)), 0);
	ck_assert_str_eq(why, "cannot read the module's files: No such file or directory");
	tags_free(&t);
	tempdir_put_text("caches_live", "dentry 4\n");
	ck_assert_int_ne(caches_read_module(&t, why, sizeof(why)), 0);
	ck_assert_str_eq(why,
			 "cannot read the module's file caches_live: line 1 is no row of caches_live: use the tool that came with the module");
	tags_free(&t);
	tempdir_put_text("caches_live", "dentry 4 800\n");
	ck_assert_int_eq(caches_read_module(&t, why, sizeof(why)), 0);
	ck_assert_uint_eq(t.rows.count, 1);
	ck_assert_ptr_nonnull(strstr(t.stats, "clock_ns 5\n"));
	tags_free(&t);
	tempdir_end();
}
END_TEST

UNIT_MAIN("caches", rows_are_parsed, names_become_printable,
	  malformed_text_is_refused, the_module_is_read_with_its_counters)
