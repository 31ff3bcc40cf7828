// SPDX-License-Identifier: GPL-2.0-only
#include "report/when.h"
#include "unit.h"

#define SECOND 1000000000ull

/* Clock from 100 s to 110.000000007 s. The clock was 100 s at 2026-11-21 15:04:05 UTC. */
static const struct when when = { .first = 100 * SECOND,
				  .last = 110 * SECOND + 7,
				  .has_clock = true,
				  .clock = 100 * SECOND,
				  .real = 1795273445 * SECOND };

static const struct {
	const char *text;
	uint64_t ns;
} good[] = {
	{ "0", 0 },
	{ "12", 12 * SECOND },
	{ "12.5", 12 * SECOND + SECOND / 2 },
	{ "12.", 12 * SECOND },
	{ ".5", SECOND / 2 },
	{ "+2m", 220 * SECOND },
	{ "100.000000001", 100 * SECOND + 1 },
	{ "0.0000000019", 1 },
	{ "7ns", 7 },
	{ "1.5us", 1500 },
	{ "104500ms", 104 * SECOND + SECOND / 2 },
	{ "2min", 120 * SECOND },
	{ "1h", 3600 * SECOND },
	{ "+5s", 105 * SECOND },
	{ "+5", 105 * SECOND },
	{ "-5s", 105 * SECOND + 7 },
	{ "-200", 0 },
	{ "0%", 100 * SECOND },
	{ "50%", 105 * SECOND + 3 },
	{ "12.5%", 101 * SECOND + SECOND / 4 },
	{ "+50%", 105 * SECOND + 3 },
	{ "-50%", 105 * SECOND + 4 },
	{ "100%", 110 * SECOND + 7 },
	{ "15:04:06", 101 * SECOND },
	{ "15:04:06.25", 101 * SECOND + SECOND / 4 },
	{ "15:04:06.", 101 * SECOND },
	{ "15:05", 155 * SECOND },
	{ "2026-11-21 15:04:07", 102 * SECOND },
	{ "2026-11-21T15:04:07.5", 102 * SECOND + SECOND / 2 },
	{ "2026-11-21 15:05", 155 * SECOND },
	{ "2026-11-22 15:04:05", (100 + 24 * 3600) * SECOND },
	{ "2026-11-20 15:04:05", 0 },
};

static const char *const bad[] = {
	"", "+", "-", "%", ".", "1.5.5", "5 s", "5parsecs", "0x10", "s", "--5",
	"99999999999999999999", "18446744073s", "1000001%", "6000000h",
	"15:", "15:04:05x", "15:04:05.x", "25:00", ":", "2026-11-21",
};

START_TEST(times)
{
	const char *wrong;
	uint64_t ns;
	size_t i;

	setenv("TZ", "UTC", 1);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		wrong = when_parse(&when, good[i].text, &ns);
		ck_assert_msg(!wrong && ns == good[i].ns, "'%s': %s, %llu",
			      good[i].text, wrong ? wrong : "good",
			      (unsigned long long)ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(when_parse(&when, bad[i], &ns) != NULL, "'%s'",
			      bad[i]);
}
END_TEST

/* A time of day is on the day of the recording, in the local time zone of the reader. */
START_TEST(time_zones)
{
	uint64_t ns;

	setenv("TZ", "UTC-10", 1); /* starts at 2026-11-22 01:04:05 */
	ck_assert(!when_parse(&when, "01:04:06", &ns));
	ck_assert_uint_eq(ns, 101 * SECOND);
	ck_assert(!when_parse(&when, "2026-11-22 01:04:06", &ns));
	ck_assert_uint_eq(ns, 101 * SECOND);
}
END_TEST

START_TEST(no_clock)
{
	struct when w = when;
	uint64_t ns;

	w.has_clock = false;
	ck_assert_ptr_nonnull(when_parse(&w, "15:04:05", &ns));
	ck_assert(!when_parse(&w, "+1s", &ns));
}
END_TEST

UNIT_MAIN("when", times, time_zones, no_clock)
