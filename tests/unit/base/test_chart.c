// SPDX-License-Identifier: GPL-2.0-only
#include "base/chart.h"
#include "base/term.h"
#include "unit.h"

static void is(const uint64_t *values, size_t count, uint64_t highest,
	       unsigned int row, unsigned int rows, bool utf8,
	       const char *expected)
{
	char to[100];

	chart_row(to, values, count, highest, row, rows, utf8);
	ck_assert_str_eq(to, expected);
}

START_TEST(rows_of_bars)
{
	static const uint64_t values[] = { 0, 1, 50, 51, 100, 0 };

	is(values, 6, 100, 0, 1, false, " .::#");
	is(values, 6, 100, 0, 2, false, " .###");
	is(values, 6, 100, 1, 2, false, "   .#");
	is(values, 6, 100, 0, 1, true, " \u2581\u2584\u2585\u2588");
	is(values, 1, 100, 0, 1, true, "");
}
END_TEST

START_TEST(extreme_values)
{
	static const uint64_t values[] = { UINT64_MAX, 1, 0 };

	is(values, 3, UINT64_MAX, 0, 8, false, "#.");
	is(values, 3, UINT64_MAX, 7, 8, false, "#");
	is(values, 3, 0, 0, 1, false, "");
	is(values, 3, 1, 0, 1, false, "##");
}
END_TEST

static const char *drawn(const int64_t *value, size_t count, size_t width, bool utf8)
{
	static char text[9 * CHART_CHARACTER + 1];

	chart_sparkline(text, value, count, width, utf8);
	return text;
}

START_TEST(a_sparkline_shows_the_newest_values)
{
	static const int64_t ramp[] = { 900, 0, 1, 2, 3, 4, 5, 6, 7 };
	static const int64_t flat[] = { 5, 5, 5 };
	static const int64_t wide[] = { INT64_MIN, INT64_MAX, 0 };

	ck_assert_str_eq(drawn(ramp, 9, 8, true), "▁▂▃▄▅▆▇█");
	ck_assert_str_eq(drawn(ramp, 9, 8, false), "_.-:=+*#");
	ck_assert_str_eq(drawn(ramp, 9, 9, false), "#________");
	ck_assert_str_eq(drawn(flat, 3, 5, false), "  ___");
	ck_assert_str_eq(drawn(wide, 3, 3, false), "_#=");
	ck_assert_str_eq(drawn(ramp, 0, 4, true), "    ");
}
END_TEST

START_TEST(terminal)
{
	setenv("COLUMNS", "33", 1);
	ck_assert_uint_eq(term_width(), 33);
	setenv("COLUMNS", "wide", 1);
	ck_assert_uint_ge(term_width(), 1);
	unsetenv("LC_ALL");
	setenv("LC_CTYPE", "", 1);
	setenv("LANG", "de_DE.utf8", 1);
	ck_assert(term_is_utf8());
	setenv("LC_ALL", "C", 1);
	ck_assert(!term_is_utf8());
	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
	ck_assert(!term_is_utf8());
}
END_TEST

UNIT_MAIN("chart", rows_of_bars, extreme_values,
	  a_sparkline_shows_the_newest_values, terminal)
