// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "account/sites.h"
#include "unit.h"

static void parse(struct sites *s, const char *rows)
{
	char why[256], text[1024];
	struct tags tags;

	snprintf(text, sizeof(text), "kmemtrace tags - version: 1\n%s", rows);
	ck_assert_int_eq(tags_parse(&tags, text, why, sizeof(why)), 0);
	sites_init(s, &tags);
}

START_TEST(tags_of_one_location_are_one_site)
{
	struct sites s;

	parse(&s, "page 4096 1 4096 1 0 4096 1 ffffffff81000010 7 b.c:1 func:g\n"
		  "slab 8 1 8 1 0 8 1 ffffffff81000020 3 a.c:1 func:f\n"
		  "page 0 0 0 0 0 0 - ffffffff81000040 0 c.c:1 func:never\n"
		  "slab 8 1 8 1 0 8 1 ffffffff81000030 9 b.c:1 func:g\n");
	ck_assert_uint_eq(s.count, SITE_FIRST + 2);
	ck_assert_uint_eq(sites_of(&s, 7), sites_of(&s, 9));
	ck_assert_uint_ne(sites_of(&s, 7), sites_of(&s, 3));
	ck_assert_str_eq(s.location[sites_of(&s, 7)], "b.c:1 func:g");
	ck_assert_str_eq(s.location[sites_of(&s, 3)], "a.c:1 func:f");
	ck_assert_uint_eq(sites_tag(&s, 9)->address, 0xffffffff81000030ull);
	ck_assert_uint_eq(sites_tag(&s, 7)->address, 0xffffffff81000010ull);
	sites_free(&s);
}
END_TEST

START_TEST(ids_that_are_not_listed_have_no_row)
{
	struct sites s;

	parse(&s, "page 4096 1 4096 1 0 4096 1 ffffffff81000010 7 b.c:1 func:g\n"
		  "page 4096 1 4096 1 0 4096 1 ffffffff81000010 4000000000 c.c:1 func:h\n");
	ck_assert_uint_eq(sites_of(&s, 0), SITE_UNKNOWN);
	ck_assert_uint_eq(sites_of(&s, 6), SITE_NEWER);
	ck_assert_uint_eq(sites_of(&s, 8), SITE_NEWER);
	ck_assert_uint_eq(sites_of(&s, 4000000000u), SITE_NEWER);
	ck_assert_ptr_null(sites_tag(&s, 0));
	ck_assert_ptr_null(sites_tag(&s, 8));
	ck_assert_ptr_null(sites_tag(&s, UINT32_MAX));
	ck_assert_uint_eq(sites_of(&s, 7), SITE_FIRST);
	sites_free(&s);
}
END_TEST

START_TEST(loads_of_a_module_are_one_site)
{
	struct sites s;

	parse(&s, "slab 8 1 8 1 0 8 1 - 3 f+0x1:0 [m] func:f (unloaded) #1\n"
		  "slab 8 1 8 1 0 8 1 - 4 f+0x1:0 [m] func:f (unloaded) #10\n"
		  "slab 8 1 8 1 0 8 1 ffffffffc0000001 5 f+0x1:0 [m] func:f\n"
		  "slab 8 1 8 1 0 8 1 - 6 f+0x1:0 [n] func:f (unloaded) #2\n"
		  "slab 8 1 8 1 0 8 1 - 7 f+0x1:0 [n] func:f (unloaded) #3\n"
		  "slab 8 1 8 1 0 8 1 ffffffffc0000002 8 f+0x2:0 [m] func:f\n"
		  "slab 8 1 8 1 0 8 1 ffffffffc0000003 9 f+0x1:0 [m] func:f.cold\n");
	ck_assert_uint_eq(s.count, SITE_FIRST + 4);
	ck_assert_uint_eq(sites_of(&s, 3), sites_of(&s, 5));
	ck_assert_uint_eq(sites_of(&s, 4), sites_of(&s, 5));
	ck_assert_str_eq(s.location[sites_of(&s, 3)], "f+0x1 [m] func:f");
	ck_assert_uint_eq(sites_of(&s, 6), sites_of(&s, 7));
	ck_assert_str_eq(s.location[sites_of(&s, 6)], "f+0x1 [n] func:f (unloaded)");
	ck_assert_str_eq(s.location[sites_of(&s, 8)], "f+0x2 [m] func:f");
	sites_free(&s);
}
END_TEST

START_TEST(no_tags_make_no_sites)
{
	struct sites s;

	parse(&s, "");
	ck_assert_uint_eq(s.count, SITE_FIRST);
	ck_assert_uint_eq(sites_of(&s, 1), SITE_NEWER);
	sites_free(&s);
}
END_TEST

UNIT_MAIN("sites", tags_of_one_location_are_one_site,
	  ids_that_are_not_listed_have_no_row, loads_of_a_module_are_one_site,
	  no_tags_make_no_sites)
