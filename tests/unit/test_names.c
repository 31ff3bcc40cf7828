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

static bool function(struct names *n, const char *name, uint64_t addr,
		     uint64_t start, uint64_t size)
{
	uint64_t s, z;

	return names_function(n, name, name ? strlen(name) : 0, addr, &s, &z) &&
	       s == start && z == size;
}

START_TEST(functions)
{
	struct names *n = names_create();
	uint64_t start, size;

	ck_assert(!names_function(n, "third", 5, 0, &start, &size));
	ck_assert(!names_function(n, NULL, 0, 0x1000, &start, &size));
	ck_assert(names_add_kallsyms(n,
		"ffffffffa0000000 t both\t[first]\n"
		"ffffffffa0000040 t alone\t[first]\n"
		"ffffffff81000100 t second\n"
		"ffffffff81000100 T second_alias\n"
		"ffffffff81000200 t both\n"
		"ffffffff81000240 t last\n"
		"ffffffff8f000000 t far\n"
		"ffffffff90000000 t both\n"));
	ck_assert(function(n, "second", 0, 0xffffffff81000100, 0x100));
	ck_assert(function(n, "second_alias", 0, 0xffffffff81000100, 0x100));
	/* one of the kernel, wherever modules lie; and the first of those */
	ck_assert(function(n, "both", 0, 0xffffffff81000200, 0x40));
	ck_assert(function(n, "first:both", 0, 0xffffffffa0000000, 0x40));
	ck_assert(function(n, "alone", 0, 0xffffffffa0000040, 16 << 20));
	ck_assert(function(n, "last", 0, 0xffffffff81000240, 16 << 20));
	ck_assert(!names_function(n, "first:last", 10, 0, &start, &size));
	ck_assert(!names_function(n, "bot", 3, 0, &start, &size));
	ck_assert(!names_function(n, "", 0, 0, &start, &size));
	ck_assert(function(n, NULL, 0xffffffff81000100, 0xffffffff81000100,
			   0x100));
	ck_assert(function(n, NULL, 0xffffffff810001ff, 0xffffffff81000100,
			   0x100));
	ck_assert(!names_function(n, NULL, 0, 0xffffffff8e000000, &start,
				  &size));
	ck_assert(!names_function(n, NULL, 0, 0x1000, &start, &size));
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
	ck_assert_str_eq(names_cache_find(n, 7), "with blank");
	ck_assert_ptr_null(names_cache_find(n, 3));
	ck_assert_ptr_null(names_cache_find(n, 1ull << 40));
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

/* @count times the same line */
static char *repeat(const char *line, size_t count)
{
	size_t len = strlen(line), i;
	char *text = malloc(count * len + 1);

	ck_assert_ptr_nonnull(text);
	for (i = 0; i < count; i++)
		memcpy(text + i * len, line, len);
	text[count * len] = '\0';
	return text;
}

#define MANY 1000000

/* Damaged files may have texts of any length; these would take hours. */
START_TEST(long_texts)
{
	char *kallsyms = repeat("ffffffff81000000 t f\n", MANY);
	char *caches = repeat("1 8 8 name\n", MANY);
	char *gfp = repeat("none of all\n", MANY);
	struct names *n = names_create();
	char text[64];
	int i;

	ck_assert(names_add_kallsyms(n, kallsyms));
	for (i = 0; i < MANY; i++)
		names_symbol(n, 0xffffffff81000001, text, sizeof(text));
	ck_assert_str_eq(text, "f+0x1");
	ck_assert(names_add_caches(n, caches));
	ck_assert_str_eq(names_cache_find(n, 1), "name");
	ck_assert(names_add_gfp(n, gfp));
	names_destroy(n);
	free(kallsyms);
	free(caches);
	free(gfp);
}
END_TEST

UNIT_MAIN("names", symbols, functions, caches, gfp_flags, long_texts)
