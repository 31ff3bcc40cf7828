// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"
#include "unit.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t second\n"
			       "ffffffff81000100 T second_alias\n"
			       "ffffffff81000200 D data\n"
			       "ffffffff81000300 T third\n"
			       "not a line\n"
			       "ffffffffc0000000 t init\t[mod]\n"
			       "ffffffffc0000040 T fourth\t[mod]";

static const char *symbol(struct names *n, uint64_t addr)
{
	static char text[256];

	names_symbol(n, addr, text, sizeof(text));
	return text;
}

START_TEST(symbols)
{
	struct names *n = names_create();

	ck_assert_str_eq(symbol(n, 0xffffffff81000110), "0xffffffff81000110");
	ck_assert(names_add_kallsyms(n, kallsyms));
	ck_assert_str_eq(symbol(n, 0xffffffff81000110), "second+0x10");
	/* a call at the very end of a function returns behind it */
	ck_assert_str_eq(symbol(n, 0xffffffff81000100), "_text+0x100");
	ck_assert_str_eq(symbol(n, 0xffffffff81000301), "third+0x1");
	ck_assert_str_eq(symbol(n, 0xffffffffc0000050), "fourth+0x10 [mod]");
	ck_assert_str_eq(symbol(n, 0), "(unknown)");
	ck_assert_str_eq(symbol(n, 0x1000), "0x1000");
	names_destroy(n);
}
END_TEST

START_TEST(caches)
{
	struct names *n = names_create();
	char text[64];

	ck_assert(names_add_caches(n, "1 88 88 first\n7 10 16 with blank\nbad\n3 1\n"));
	names_cache(n, 1, text, sizeof(text));
	ck_assert_str_eq(text, "first");
	names_cache(n, 7, text, sizeof(text));
	ck_assert_str_eq(text, "with blank");
	names_cache(n, 3, text, sizeof(text));
	ck_assert_str_eq(text, "cache 3");
	names_cache(n, 0, text, sizeof(text));
	ck_assert_str_eq(text, "(unknown)");
	names_cache(n, 1ull << 40, text, sizeof(text));
	ck_assert_str_eq(text, "cache 1099511627776");
	names_destroy(n);
}
END_TEST

START_TEST(gfp_flags)
{
	struct names *n = names_create();
	char text[64];

	ck_assert(names_add_gfp(n, "0x1 A\n0x2 B\n0x3 BOTH\n0x0 NONE\nx\n"));
	names_gfp(n, 3, text, sizeof(text));
	ck_assert_str_eq(text, "BOTH");
	names_gfp(n, 2, text, sizeof(text));
	ck_assert_str_eq(text, "B");
	names_gfp(n, 0x13, text, sizeof(text));
	ck_assert_str_eq(text, "BOTH|0x10");
	names_gfp(n, 0, text, sizeof(text));
	ck_assert_str_eq(text, "0x0");
	names_gfp(n, 0x13, text, 5);
	ck_assert_str_eq(text, "BOTH");
	names_destroy(n);
}
END_TEST

UNIT_MAIN("names", symbols, caches, gfp_flags)
