// SPDX-License-Identifier: GPL-2.0-only
#include "base/similar.h"
#include "unit.h"

static const char *search(const char *name)
{
	static const char *const names[] = { "record", "report", "script", "top",
					     "filter", "features" };
	struct similar s;
	size_t i;

	similar_init(&s, name);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		similar_offer(&s, names[i]);
	return s.best;
}

START_TEST(finds)
{
	ck_assert_str_eq(search("recrod"), "record");
	ck_assert_str_eq(search("reportt"), "report");
	ck_assert_str_eq(search("scr"), "script");
	ck_assert_str_eq(search("filtre"), "filter");
	ck_assert_str_eq(search("tip"), "top");
	ck_assert_str_eq(search("tops"), "top");
}
END_TEST

START_TEST(finds_nothing)
{
	ck_assert_ptr_null(search("moon"));
	ck_assert_ptr_null(search("tpo"));
	ck_assert_ptr_null(search("frobnicate"));
	ck_assert_ptr_null(search("a-name-that-is-longer-than-any-other-one-here"));
}
END_TEST

UNIT_MAIN("similar", finds, finds_nothing)
