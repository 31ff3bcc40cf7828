// SPDX-License-Identifier: GPL-2.0-only
#include "base/duration.h"
#include "unit.h"

#define SECOND 1000000000ull

static const struct {
	const char *text;
	uint64_t ns;
} good[] = {
	{ "0", 0 },
	{ "90", 90 * SECOND },
	{ "90s", 90 * SECOND },
	{ "007", 7 * SECOND },
	{ "0.2", SECOND / 5 },
	{ ".5", SECOND / 2 },
	{ "12.", 12 * SECOND },
	{ "100.000000001", 100 * SECOND + 1 },
	{ "0.0000000019", 1 },
	{ "0.9999999999999999999999", SECOND - 1 },
	{ "7ns", 7 },
	{ "7.9ns", 7 },
	{ "1.5us", 1500 },
	{ "500ms", SECOND / 2 },
	{ "10m", 600 * SECOND },
	{ "10min", 600 * SECOND },
	{ "0.5m", 30 * SECOND },
	{ "2h", 7200 * SECOND },
	{ "1.000000001h", 3600 * SECOND + 3600 },
	{ "18446744073709551615ns", UINT64_MAX },
	{ "18446744073709551614ns", UINT64_MAX - 1 },
	{ "18446744073.709551614", UINT64_MAX - 1 },
	/* longer than 64 bits of ns */
	{ "18446744073709551616ns", UINT64_MAX },
	{ "18446744073.709551616", UINT64_MAX },
	{ "18446744074s", UINT64_MAX },
	{ "99999999999999999999999999999999h", UINT64_MAX },
};

static const char *const bad[] = {
	"", ".", "s", "ms", ".s", "+5", "-5", " 5", "5 ", "5 s", "5S", "5ss", "5d",
	"1.5.5", "1,5", "1e3", "0x10", "inf", "nan", "soon", "5%", "10:00",
};

START_TEST(durations)
{
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ns = 1;
		ck_assert_msg(duration_parse(good[i].text, &ns) &&
				      ns == good[i].ns,
			      "'%s': %llu", good[i].text,
			      (unsigned long long)ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!duration_parse(bad[i], &ns), "'%s'", bad[i]);
}
END_TEST

START_TEST(numbers)
{
	struct duration_number n;
	const char *text = "25%";

	ck_assert(duration_number(&text, &n));
	ck_assert_str_eq(text, "%");
	ck_assert_uint_eq(duration_ns(&n, 3), 75);
	text = "0.25%";
	ck_assert(duration_number(&text, &n));
	ck_assert_uint_eq(duration_ns(&n, 7), 1);
	ck_assert_uint_eq(duration_ns(&n, UINT64_MAX), UINT64_MAX / 4);
	text = "2";
	ck_assert(duration_number(&text, &n));
	ck_assert_uint_eq(duration_ns(&n, UINT64_MAX / 2), UINT64_MAX - 1);
	ck_assert_uint_eq(duration_ns(&n, UINT64_MAX / 2 + 1), UINT64_MAX);
}
END_TEST

START_TEST(limits)
{
	double seconds = 5;

	ck_assert(duration_seconds("10ms", 0.01, 86400, &seconds));
	ck_assert_double_eq(seconds, 0.01);
	ck_assert(duration_seconds("24h", 0.01, 86400, &seconds));
	ck_assert_double_eq(seconds, 86400);
	ck_assert(!duration_seconds("9.999999ms", 0.01, 86400, &seconds));
	ck_assert(!duration_seconds("86400.000001", 0.01, 86400, &seconds));
	ck_assert(!duration_seconds("99999999999", 0, 1e12, &seconds));
	ck_assert(!duration_seconds("1x", 0, 86400, &seconds));
	ck_assert_double_eq(seconds, 86400);
	ck_assert(duration_seconds("0", 0, 86400, &seconds));
	ck_assert_double_eq(seconds, 0);
}
END_TEST

UNIT_MAIN("duration", durations, numbers, limits)
