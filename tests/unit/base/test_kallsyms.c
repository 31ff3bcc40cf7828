// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/kallsyms.h"
#include "unit.h"

static bool parse(const char *line, struct symbol *s)
{
	return kallsyms_parse(line, strchrnul(line, '\n'), s);
}

static void check(const char *text, size_t len, const char *expected)
{
	ck_assert_uint_eq(len, strlen(expected));
	ck_assert(!memcmp(text, expected, len));
}

START_TEST(a_function_of_the_kernel)
{
	struct symbol s;

	ck_assert(parse("ffffffff81000000 T _text\nffffffff81000010 T next\n",
			&s));
	ck_assert_uint_eq(s.addr, 0xffffffff81000000ull);
	check(s.name, s.name_len, "_text");
	ck_assert_ptr_null(s.module);
	ck_assert_uint_eq(s.module_len, 0);
}
END_TEST

START_TEST(a_function_of_a_module)
{
	struct symbol s;

	ck_assert(parse("ffffffffc0001000 t init\t[mod]", &s));
	check(s.name, s.name_len, "init");
	check(s.module, s.module_len, "mod");
}
END_TEST

START_TEST(only_code_with_an_address)
{
	static const char *const good[] = {
		"1 t f", "1 T f", "1 w f", "1 W f",
	};
	static const char *const bad[] = {
		"",	  "\n",	     "1",	"1 t",	   "1 t ",
		"1  t f", "1 tt f", "x t f",	"1 d f",   "1 B f",
		"1 v f",  " t f",   "0000000000000000 T hidden",
	};
	struct symbol s;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(parse(good[i], &s), "'%s'", good[i]);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!parse(bad[i], &s), "'%s'", bad[i]);
}
END_TEST

START_TEST(malformed_modules_are_ignored)
{
	static const char *const lines[] = {
		"1 t f\t", "1 t f\tmod", "1 t f\t[mod", "1 t f\tmod]",
		"1 t f\t[]",
	};
	struct symbol s;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_msg(parse(lines[i], &s), "'%s'", lines[i]);
		check(s.name, s.name_len, "f");
		ck_assert_ptr_null(s.module);
	}
}
END_TEST

UNIT_MAIN("kallsyms", a_function_of_the_kernel, a_function_of_a_module,
	  only_code_with_an_address, malformed_modules_are_ignored)
