// SPDX-License-Identifier: GPL-2.0-only
#include "account/location.h"
#include "unit.h"

static struct location parsed(const char *text)
{
	struct location l;

	memset(&l, 0xff, sizeof(l));
	location_parse(&l, text);
	return l;
}

START_TEST(file_and_line)
{
	struct location l = parsed("mm/slub.c:2478 [ext4] func:alloc_slab_page");

	ck_assert(l.has_line && !l.has_offset);
	ck_assert_str_eq(l.file, "mm/slub.c");
	ck_assert_uint_eq(l.line, 2478);
	ck_assert_str_eq(l.module, "ext4");
	ck_assert_str_eq(l.function, "alloc_slab_page");
	ck_assert_str_eq(l.suffix, "");
}
END_TEST

START_TEST(function_and_offset)
{
	struct location l = parsed("f+0x1c func:f");

	ck_assert(!l.has_line && l.has_offset);
	ck_assert_uint_eq(l.offset, 0x1c);
	ck_assert_str_eq(l.module, "");
	ck_assert_str_eq(l.function, "f");
}
END_TEST

START_TEST(unloaded_module)
{
	struct location l = parsed("a.c:1 [m] func:f (unloaded) #3");

	ck_assert_str_eq(l.module, "m");
	ck_assert_str_eq(l.function, "f");
	ck_assert_str_eq(l.suffix, "(unloaded) #3");
}
END_TEST

START_TEST(other_text_has_no_parts)
{
	struct location l = parsed("moon [m]");

	ck_assert(!l.has_line && !l.has_offset);
	ck_assert_str_eq(l.function, "");
	ck_assert_str_eq(l.module, "");
}
END_TEST

UNIT_MAIN("location", file_and_line, function_and_offset, unloaded_module,
	  other_text_has_no_parts)
