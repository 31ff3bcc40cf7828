// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "why/target.h"

static struct site_row tag[] = {
	{ .kind = SITE_PAGE, .f.bytes = 10, .id = 1, .location = "a" },
	{ .kind = SITE_SLAB, .f.bytes = 5, .id = 2, .location = "b" },
	{ .kind = SITE_SLAB, .f.bytes = 7, .id = 3, .location = "a" },
	{ .kind = SITE_SLAB, .f.bytes = 100, .id = 4, .location = "c" },
	{ .kind = SITE_SLAB, .f.bytes = 5, .id = 5, .location = "d" },
};
static const struct tags tags = { .rows = { tag, sizeof(tag) / sizeof(*tag) } };

static bool all(void *arg, const struct site_row *t)
{
	(void)arg;
	(void)t;
	return true;
}

static bool is_below(void *arg, const struct site_row *t)
{
	return t->id < *(const uint32_t *)arg;
}

START_TEST(tags_of_a_location_are_one_site)
{
	struct matches m;

	matches_find(&m, &tags, all, NULL);
	ck_assert_uint_eq(m.count, 4);
	ck_assert_str_eq(m.match[0].location, "c");
	ck_assert_str_eq(m.match[1].location, "a");
	ck_assert_uint_eq(m.match[1].count, 2);
	ck_assert_int_eq(m.match[1].bytes, 17);
	ck_assert_uint_eq(m.match[1].tag[0]->id, 3); /* by kind */
	ck_assert_uint_eq(m.match[1].tag[1]->id, 1);
	ck_assert_str_eq(m.match[2].location, "b"); /* equal bytes: by location */
	ck_assert_str_eq(m.match[3].location, "d");
	matches_free(&m);
}
END_TEST

START_TEST(some_or_none)
{
	uint32_t limit = 3;
	struct matches m;

	matches_find(&m, &tags, is_below, &limit);
	ck_assert_uint_eq(m.count, 2);
	ck_assert_str_eq(m.match[0].location, "a");
	ck_assert_uint_eq(m.match[0].count, 1);
	matches_free(&m);
	limit = 0;
	matches_find(&m, &tags, is_below, &limit);
	ck_assert_uint_eq(m.count, 0);
	matches_free(&m);
}
END_TEST

UNIT_MAIN("matches", tags_of_a_location_are_one_site, some_or_none)
