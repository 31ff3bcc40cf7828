/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours. Only terminals get colours; files and pipes do not. The environment variable
 * NO_COLOR (https://no-color.org) switches them off.
 */
#ifndef COLOR_H
#define COLOR_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** color_wanted() - check whether text that is written to a file may have colours */
static inline bool color_wanted(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = fileno(file);

	return fd >= 0 && isatty(fd) && !(no && *no) && term &&
	       strcmp(term, "dumb");
}

/** color_bold() - begin bold text */
static inline const char *color_bold(FILE *file)
{
	return color_wanted(file) ? "\033[1m" : "";
}

/** color_red() - begin red text */
static inline const char *color_red(FILE *file)
{
	return color_wanted(file) ? "\033[31m" : "";
}

/** color_end() - end bold or red text */
static inline const char *color_end(FILE *file)
{
	return color_wanted(file) ? "\033[0m" : "";
}

#endif /* COLOR_H */
