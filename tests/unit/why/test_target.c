// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "unit.h"
#include "why/target.h"

static void is(const char *text, enum target_kind kind, uint64_t number)
{
	struct target t;
	const char *why = target_parse(&t, text);

	ck_assert_msg(!why, "%s %s", text, why);
	ck_assert_int_eq(t.kind, kind);
	ck_assert_uint_eq(t.number, number);
	ck_assert_ptr_eq(t.text, text);
}

START_TEST(addresses)
{
	is("0x0", TARGET_ADDRESS, 0);
	is("0xffffffff81000010", TARGET_ADDRESS, 0xffffffff81000010);
	is("0XFFFF888000000000", TARGET_ADDRESS, 0xffff888000000000);
	is("ffffffff81000010", TARGET_ADDRESS, 0xffffffff81000010);
	is("0000000000001234", TARGET_ADDRESS, 0x1234);
	is("0xffffffffffffffff", TARGET_ADDRESS, UINT64_MAX);
}
END_TEST

START_TEST(frames)
{
	is("pfn:0", TARGET_FRAME, 0);
	is("PFN:17", TARGET_FRAME, 17);
	is("pfn:4711", TARGET_FRAME, 4711);
	is("pfn:0x4d2", TARGET_FRAME, 1234);
	is("pfn:0XFF", TARGET_FRAME, 255);
	is("pfn:010", TARGET_FRAME, 10);
	is("pfn:18446744073709551615", TARGET_FRAME, UINT64_MAX);
}
END_TEST

START_TEST(sites)
{
	is("ring_entry", TARGET_SITE, 0);
	is("ring_entry+0x1e", TARGET_SITE, 0);
	is("deadbeef", TARGET_SITE, 0);
	is("face", TARGET_SITE, 0);
	is("8250_core.c:12", TARGET_SITE, 0);
	is("mm/slub.c:12 func:x", TARGET_SITE, 0);
	is("pfn", TARGET_SITE, 0);
	is(" x", TARGET_SITE, 0);
	is("ffffffff8100001g", TARGET_SITE, 0);
}
END_TEST

START_TEST(others_are_refused)
{
	static const char *const texts[] = {
		"", " ", "\t\n", "4711", "0", "12ab", "00000000000000001", "0x", "0xg",
		"0x 1", "0x-1", "0x+1", "0x1 ", "0xfffffffffffffffff", "pfn:", "pfn:-1",
		"pfn:+1", "pfn: 1", "pfn:0x", "pfn:0xg", "pfn:1a", "pfn:1 ",
		"pfn:18446744073709551616", "pfn:0x0x1",
	};
	struct target t;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(target_parse(&t, texts[i]) != NULL, "'%s'", texts[i]);
}
END_TEST

/* Numbers in any of the forms come back. */
START_TEST(numbers_come_back)
{
	uint64_t n = 1;
	char text[64];
	int i;

	for (i = 0; i < 20000; i++) {
		n = n * 6364136223846793005ull + 1442695040888963407ull;
		n >>= i % 40;
		snprintf(text, sizeof(text), "0x%" PRIx64, n);
		is(text, TARGET_ADDRESS, n);
		snprintf(text, sizeof(text), "%016" PRIx64, n);
		is(text, TARGET_ADDRESS, n);
		snprintf(text, sizeof(text), "pfn:%" PRIu64, n);
		is(text, TARGET_FRAME, n);
		snprintf(text, sizeof(text), "pfn:0x%" PRIx64, n);
		is(text, TARGET_FRAME, n);
	}
}
END_TEST

UNIT_MAIN("target", addresses, frames, sites, others_are_refused, numbers_come_back)
