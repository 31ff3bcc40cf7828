// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "kmt_place.h"
#include "unit.h"

START_TEST(rows)
{
	char text[] = "# the kernel\n\n"
		      "0xffffffff81000010 mm/slub.c:1 f\n"
		      " \tAb  a:b:4294967295 \tg \r\n"
		      "0X1 x:007 h";
	static const struct kmt_place want[] = {
		{0xffffffff81000010, "mm/slub.c", 1, "f"},
		{0xab, "a:b", 4294967295, "g"},
		{1, "x", 7, "h"},
	};
	struct kmt_place p;
	char *at = text;
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		ck_assert_int_eq(kmt_place_next(&at, &p), KMT_PLACE_ROW);
		ck_assert_uint_eq(p.site, want[i].site);
		ck_assert_uint_eq(p.line, want[i].line);
		ck_assert_str_eq(p.file, want[i].file);
		ck_assert_str_eq(p.function, want[i].function);
	}
	ck_assert_int_eq(kmt_place_next(&at, &p), KMT_PLACE_NONE);
	ck_assert_int_eq(kmt_place_next(&at, &p), KMT_PLACE_NONE);
}
END_TEST

START_TEST(malformed)
{
	static const char *const bad[] = {
		"nonsense", "0x12", "0x12 file 3", "0x12 file:x f",
		"0x12 file: f", "zz file:1 f", "0x file:1 f", "0x12 :1 f",
		"0x12 file:1", "0x0 file:1 f", "0x12 file:1 f g", "-1 file:1 f",
		"0x12 file:-1 f", "0x12 file:4294967296 f",
		"0x10000000000000000 file:1 f", "0x12g file:1 f",
	};
	struct kmt_place p;
	char text[64], *at;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		at = strcpy(text, bad[i]);
		ck_assert_msg(kmt_place_next(&at, &p) == KMT_PLACE_MALFORMED,
			      "%s", bad[i]);
	}
}
END_TEST

/* Parse a row whose file and function have these lengths in bytes. */
static enum kmt_place_result read_long(int file, int function)
{
	char text[1024], *at = text, fill[512];
	struct kmt_place p;

	memset(fill, 'f', sizeof(fill));
	snprintf(text, sizeof(text), "1 %.*s:1 %.*s", file, fill, function,
		 fill);
	return kmt_place_next(&at, &p);
}

START_TEST(longest)
{
	const int file = KMT_PLACE_FILE_MAX, function = KMT_PLACE_FUNCTION_MAX;

	ck_assert_int_eq(read_long(file, function), KMT_PLACE_ROW);
	ck_assert_int_eq(read_long(file + 1, function), KMT_PLACE_MALFORMED);
	ck_assert_int_eq(read_long(file, function + 1), KMT_PLACE_MALFORMED);
}
END_TEST

UNIT_MAIN("place", rows, malformed, longest)
