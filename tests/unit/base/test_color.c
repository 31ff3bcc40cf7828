// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>

#include "base/color.h"
#include "unit.h"

static FILE *terminal;

static void begin(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(grantpt(fd), 0);
	ck_assert_int_eq(unlockpt(fd), 0);
	terminal = fdopen(open(ptsname(fd), O_RDWR | O_NOCTTY), "w");
	ck_assert_ptr_nonnull(terminal);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
}

START_TEST(a_terminal_has_colors)
{
	begin();
	ck_assert_str_eq(color_bold(terminal), "\033[1m");
	ck_assert_str_eq(color_red(terminal), "\033[31m");
	ck_assert_str_eq(color_end(terminal), "\033[0m");
}
END_TEST

START_TEST(NO_COLOR_switches_colors_off)
{
	begin();
	setenv("NO_COLOR", "1", 1);
	ck_assert_str_eq(color_bold(terminal), "");
	ck_assert_str_eq(color_red(terminal), "");
	ck_assert_str_eq(color_end(terminal), "");
	setenv("NO_COLOR", "", 1);
	ck_assert(color_wanted(terminal));
}
END_TEST

START_TEST(files_and_simple_terminals_have_no_colors)
{
	FILE *file = tmpfile();

	begin();
	ck_assert_ptr_nonnull(file);
	ck_assert_str_eq(color_bold(file), "");
	setenv("TERM", "dumb", 1);
	ck_assert_str_eq(color_bold(terminal), "");
	unsetenv("TERM");
	ck_assert_str_eq(color_bold(terminal), "");
}
END_TEST

UNIT_MAIN("color", a_terminal_has_colors, NO_COLOR_switches_colors_off,
	  files_and_simple_terminals_have_no_colors)
