// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/term.h"

size_t term_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long n = columns ? strtoul(columns, NULL, 10) : 0;

	if (n)
		return n;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_col)
		return size.ws_col;
	return TERM_WIDTH;
}

bool term_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		value = getenv(names[i]);
		if (value && *value)
			break;
	}
	return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}
