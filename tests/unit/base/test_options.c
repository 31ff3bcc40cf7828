// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"
#include "unit.h"

START_TEST(counts)
{
	static const char *const bad[] = {
		"", " 1", "+1", "-1", "1 ", "1k", "x", "0x10", "1.5",
		"18446744073709551616", "99999999999999999999",
	};
	size_t n, i;

	ck_assert(option_count("0", &n) && n == 0);
	ck_assert(option_count("007", &n) && n == 7);
	ck_assert(option_count("18446744073709551615", &n) && n == SIZE_MAX);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!option_count(bad[i], &n), "'%s'", bad[i]);
}
END_TEST

START_TEST(sizes)
{
	static const struct {
		const char *text;
		uint64_t kib;
	} good[] = {
		{ "1", 1 },	   { "1024", 1 },     { "1025", 2 },
		{ "1k", 1 },	   { "3K", 3 },	      { "3kib", 3 },
		{ "10M", 10240 },  { "10MiB", 10240 }, { "2g", 2 << 20 },
		{ "1GIB", 1 << 20 }, { "4095G", 4095ull << 20 },
		{ "4294967295k", UINT32_MAX },
		{ "4398046510080", UINT32_MAX },
	};
	uint64_t kib;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(option_kib(good[i].text, UINT32_MAX, &kib), "'%s'",
			      good[i].text);
		ck_assert_uint_eq(kib, good[i].kib);
	}
}
END_TEST

START_TEST(malformed_sizes)
{
	static const char *const bad[] = {
		"", "0", "0k", "-1", "+1", " 1", "k", "1T", "1kB", "1 k", "1kk",
		"1.5M", "0x10", "4096G", "4294967296k", "4398046510081",
		"18446744073709551615K", "17592186044417M",
		"99999999999999999999",
	};
	uint64_t kib;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!option_kib(bad[i], UINT32_MAX, &kib), "'%s'",
			      bad[i]);
}
END_TEST

UNIT_MAIN("options", counts, sizes, malformed_sizes)
