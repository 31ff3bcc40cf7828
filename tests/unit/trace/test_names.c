// SPDX-License-Identifier: GPL-2.0-only
#include "trace/names.h"
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

	names_symbol(n, addr, 0, text, sizeof(text));
	return text;
}

START_TEST(symbols)
{
	struct names *n = names_create();

	ck_assert_str_eq(symbol(n, 0xffffffff81000110), "0xffffffff81000110");
	names_add_kallsyms(n, kallsyms);
	ck_assert_str_eq(symbol(n, 0xffffffff81000110), "second+0x10");
	/* a call at the end of a function has a return address behind the function */
	ck_assert_str_eq(symbol(n, 0xffffffff81000100), "_text+0x100");
	ck_assert_str_eq(symbol(n, 0xffffffff81000301), "third+0x1");
	ck_assert_str_eq(symbol(n, 0xffffffffc0000050), "fourth+0x10 [mod]");
	ck_assert_str_eq(symbol(n, 0), "(unknown)");
	ck_assert_str_eq(symbol(n, 0x1000), "0x1000");
	names_destroy(n);
}
END_TEST

/* A symbol does not name addresses behind the end of the kernel or of its module. */
START_TEST(ends)
{
	struct names *n = names_create();

	names_add_kallsyms(n, "ffffffff81000000 T code\n"
			   "ffffffff81000100 T _etext\n"
			   "ffffffffc0000000 t leaky_init\t[leaky]\n"
			   "ffffffffc0000040 t leaky_exit\t[leaky]\n");
	ck_assert_str_eq(symbol(n, 0xffffffff81000100), "code+0x100");
	ck_assert_str_eq(symbol(n, 0xffffffff81000101), "0xffffffff81000101");
	ck_assert_str_eq(symbol(n, 0xffffffffc0005e7b),
			 "leaky_exit+0x5e3b [leaky]");
	names_add_modules(n, "leaky 12288 0xffffffffc0000000 -\n");
	ck_assert_str_eq(symbol(n, 0xffffffffc0003000),
			 "leaky_exit+0x2fc0 [leaky]");
	ck_assert_str_eq(symbol(n, 0xffffffffc0003001), "0xffffffffc0003001");
	ck_assert_str_eq(symbol(n, 0xffffffffc0005e7b), "0xffffffffc0005e7b");
	names_destroy(n);
}
END_TEST

/* Recordings of earlier versions only have lists of modules, no log with numbers. */
START_TEST(later_modules)
{
	struct names *n = names_create();

	names_add_kallsyms(n, "ffffffffc0000000 t leaky_init\t[leaky]\n"
			   "ffffffffc0010000 t gone_init\t[gone]\n");
	names_add_modules(n, "leaky 12288 0xffffffffc0000000 -\n"
			  "gone 8192 0xffffffffc0010000 -\n");
	names_add_modules(n, "leaky 12288 0xffffffffc0000000 -\n"
			  "waster 8192 0xffffffffc0005000 -\n"
			  "next 4096 0xffffffffc0010000 -\n");
	ck_assert_str_eq(symbol(n, 0xffffffffc0005e7b), "[waster]+0xe7b");
	ck_assert_str_eq(symbol(n, 0xffffffffc0000010),
			 "leaky_init+0x10 [leaky]");
	/* in both modules, so neither is named */
	ck_assert_str_eq(symbol(n, 0xffffffffc0010010), "0xffffffffc0010010");
	ck_assert_str_eq(symbol(n, 0xffffffffc0011010), "gone_init+0x1010 [gone]");
	names_destroy(n);
}
END_TEST

/* The sizes in the list count data that lies elsewhere. So "wide" seems to contain "next". */
START_TEST(overlapping_modules)
{
	struct names *n = names_create();

	names_add_modules(n, "wide 65536 0xffffffffc0000000 -\n"
			  "next 4096 0xffffffffc0004000 -\n");
	ck_assert_str_eq(symbol(n, 0xffffffffc0003010), "[wide]+0x3010");
	ck_assert_str_eq(symbol(n, 0xffffffffc0004010), "[next]+0x10");
	ck_assert_str_eq(symbol(n, 0xffffffffc0005010), "[wide]+0x5010");
	names_destroy(n);
}
END_TEST

static const char *symbol_at(struct names *n, uint64_t addr, uint64_t seq)
{
	static char text[256];

	names_symbol(n, addr, names_place(n, addr, seq), text, sizeof(text));
	return text;
}

static const char module_log[] =
	"module old - - 100 0xffffffffc0000000 4096 0x0 0\n"
	"ffffffffc0000000 t old_one\n"
	"module short 100 110 120 0xffffffffc0000000 4096 0xffffffffc0008000 4096\n"
	"ffffffffc0000020 t short_one\n"
	"ffffffffc0000080 t short_two\n"
	"ffffffffc0008000 t short_init\n"
	"module bad x - - 0x1 1 0x1 1\n"
	"module stays 130 140 - 0xffffffffc0000000 4096 0xffffffffc0008000 4096\n"
	"ffffffffc0000000 t stays_one\n"
	"module bare 4294967290 - 4294967299 0xffffffffc0004000 4096 0x0 0\n"
	"dropped 7\n";

/* Several modules had the same address. The sequence number selects one of them. */
START_TEST(module_visits)
{
	struct names *n = names_create();
	uint64_t start, size;

	ck_assert(!names_have_places(n));
	names_add_kallsyms(n, "ffffffff81000000 T code\n"
			   "ffffffffc0000000 t old_one\t[old]\n");
	names_add_modules(n, "old 16384 0xffffffffc0000000 -\n");
	names_add_modules(n, "stays 16384 0xffffffffc0000000 -\n");
	names_add_module_log(n, module_log);
	ck_assert(names_have_places(n));
	ck_assert_str_eq(symbol_at(n, 0xffffffff81000010, 50), "code+0x10");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000090, 50), "old_one+0x90 [old]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000090, 99), "old_one+0x90 [old]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000090, 100), "short_two+0x10 [short]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000080, 119), "short_one+0x60 [short]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 119), "[short]+0x10");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0008010, 109), "short_init+0x10 [short]");
	/* its init memory was freed by then */
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0008010, 110), "0xffffffffc0008010");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0008010, 135), "[stays]+0x10");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000090, 120), "0xffffffffc0000090");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000090, 130), "stays_one+0x90 [stays]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0004010, 4294967298), "[bare]+0x10");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0004010, 4294967289u),
			 "0xffffffffc0004010");
	ck_assert(names_function(n, "short_one", 9, 0, &start, &size));
	ck_assert_uint_eq(start, 0xffffffffc0000020);
	ck_assert_uint_eq(size, 0x60);
	ck_assert(names_function(n, "short:short_two", 15, 0, &start, &size));
	ck_assert_uint_eq(size, 0xf80);
	ck_assert(!names_function(n, "old:short_two", 13, 0, &start, &size));
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
	names_add_kallsyms(n, "ffffffffa0000000 t both\t[first]\n"
			   "ffffffffa0000040 t alone\t[first]\n"
			   "ffffffff81000100 t second\n"
			   "ffffffff81000100 T second_alias\n"
			   "ffffffff81000200 t both\n"
			   "ffffffff81000240 t last\n"
			   "ffffffff8f000000 t far\n"
			   "ffffffff90000000 t both\n");
	ck_assert(function(n, "second", 0, 0xffffffff81000100, 0x100));
	ck_assert(function(n, "second_alias", 0, 0xffffffff81000100, 0x100));
	/* functions of the kernel come first; of several, the lowest address */
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

/* the object of kmalloc-192 is padded */
START_TEST(buckets)
{
	static const struct {
		uint64_t size;
		const char *name;
	} of[] = {
		{ 8, "kmalloc-8" },	{ 192, "kmalloc-192" }, { 320, "kmalloc-192" },
		{ 512, "kmalloc-512" }, { 1024, "kmalloc-1k" }, { 8192, "kmalloc-8k" },
		{ 8193, "large-8193" }, { 96, "kmalloc-96" },	{ 2304, "kmalloc-2304" },
	};
	struct names *n = names_create();
	char name[32];
	size_t i;

	names_add_caches(n, "1 96 96 kmalloc-cg-96\n2 192 320 kmalloc-192\n"
				      "3 512 512 kmalloc-cg-512\n4 2304 2304 other\n");
	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		names_bucket(n, of[i].size, name, sizeof(name));
		ck_assert_str_eq(name, of[i].name);
	}
	names_bucket(NULL, 4096, name, sizeof(name));
	ck_assert_str_eq(name, "kmalloc-4k");
	names_destroy(n);
}
END_TEST

START_TEST(caches)
{
	struct names *n = names_create();
	char text[64];

	names_add_caches(n, "1 88 88 first\n7 10 16 with blank\nbad\n3 1\n"
				      "8 9 9 dentry reclaimable\n9 9 9 reclaimable\n"
				      "6 9 9 \xc3(\n");
	names_cache(n, 1, text, sizeof(text));
	ck_assert_str_eq(text, "first");
	names_cache(n, 7, text, sizeof(text));
	ck_assert_str_eq(text, "with blank");
	names_cache(n, 6, text, sizeof(text));
	ck_assert_str_eq(text, "\\xc3(");
	names_cache(n, 3, text, sizeof(text));
	ck_assert_str_eq(text, "cache 3");
	names_cache(n, 0, text, sizeof(text));
	ck_assert_str_eq(text, "(unknown)");
	ck_assert_str_eq(names_cache_find(n, 7), "with blank");
	ck_assert_ptr_null(names_cache_find(n, 3));
	ck_assert_str_eq(names_cache_find(n, 8), "dentry");
	ck_assert_str_eq(names_cache_find(n, 9), "reclaimable");
	ck_assert(names_cache_is_reclaimable(n, 8));
	ck_assert(!names_cache_is_reclaimable(n, 9) && !names_cache_is_reclaimable(n, 3));
	ck_assert(!names_cache_is_reclaimable(n, 1ull << 40));
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

	names_add_gfp(n, "0x1 A\n0x2 B\n0x3 BOTH\n0x0 NONE\nx\n");
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

/* Return: @count copies of @line */
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

/* Damaged files can have texts of any length. In quadratic time, these take hours. */
START_TEST(long_texts)
{
	char *kallsyms = repeat("ffffffff81000000 t f\n", MANY);
	char *caches = repeat("1 8 8 name\n", MANY);
	char *gfp = repeat("none of all\n", MANY);
	struct names *n = names_create();
	char text[64];
	int i;

	names_add_kallsyms(n, kallsyms);
	for (i = 0; i < MANY; i++)
		names_symbol(n, 0xffffffff81000001, 0, text, sizeof(text));
	ck_assert_str_eq(text, "f+0x1");
	names_add_caches(n, caches);
	ck_assert_str_eq(names_cache_find(n, 1), "name");
	names_add_gfp(n, gfp);
	names_destroy(n);
	free(kallsyms);
	free(caches);
	free(gfp);
}
END_TEST

/* The log of a stream is repeated when a module comes or goes. */
START_TEST(a_later_log)
{
	struct names *n = names_create();
	uint16_t place;

	names_add_module_log(n, "");
	ck_assert_uint_eq(names_place(n, 0xffffffffc0000010, 50), 0);
	names_add_module_log(n,
			     "module one 40 - - 0xffffffffc0000000 4096 0x0 0\n"
			     "ffffffffc0000000 t first\n");
	place = names_place(n, 0xffffffffc0000010, 50);
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 50), "first+0x10 [one]");
	names_add_module_log(n,
			     "module one 40 - 60 0xffffffffc0000000 4096 0x0 0\n"
			     "module one 70 - - 0xffffffffc0000000 4096 0x0 0\n"
			     "ffffffffc0000000 t again\n");
	ck_assert_uint_eq(names_place(n, 0xffffffffc0000010, 50), place);
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 50), "first+0x10 [one]");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 65), "0xffffffffc0000010");
	ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 70), "again+0x10 [one]");
	names_destroy(n);
}
END_TEST

START_TEST(after_two_billion_events)
{
	const uint64_t addr = 0xffffffffc0000010, many = 3ull << 30;
	struct names *n = names_create();

	names_add_module_log(n,
			     "module one 40 - 60 0xffffffffc0000000 4096 0x0 0\n"
			     "ffffffffc0000000 t first\n"
			     "module two 70 - 8589934599 0xffffffffc0000000 4096 0x0 0\n"
			     "ffffffffc0000000 t again\n"
			     "module three 8589934600 - - 0xffffffffc0000000 4096 0x0 0\n"
			     "ffffffffc0000000 t last\n");
	ck_assert_str_eq(symbol_at(n, addr, 50), "first+0x10 [one]");
	ck_assert_str_eq(symbol_at(n, addr, 70 + many), "again+0x10 [two]");
	ck_assert_str_eq(symbol_at(n, addr, 50 + 2 * many), "again+0x10 [two]");
	ck_assert_str_eq(symbol_at(n, addr, 50 + 3 * many), "last+0x10 [three]");
	names_destroy(n);
}
END_TEST

/* Without records in between, both have the same numbers. */
START_TEST(a_module_that_comes_twice)
{
	static const char log[] =
		"module one 40 40 40 0xffffffffc0000000 4096 0x0 0\n"
		"ffffffffc0000000 t old\n"
		"module one 40 40 - 0xffffffffc0000000 4096 0x0 0\n"
		"ffffffffc0000000 t new\n";
	struct names *n = names_create();
	int i;

	for (i = 0; i < 3; i++) {
		names_add_module_log(n, log);
		ck_assert_uint_eq(names_place(n, 0xffffffffc0000010, 50), 2);
		ck_assert_str_eq(symbol_at(n, 0xffffffffc0000010, 50), "new+0x10 [one]");
	}
	names_destroy(n);
}
END_TEST

UNIT_MAIN("names", symbols, ends, later_modules, overlapping_modules,
	  module_visits, a_later_log, after_two_billion_events,
	  a_module_that_comes_twice, functions, buckets, caches, gfp_flags, long_texts)
