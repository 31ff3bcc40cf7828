// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/color.h"
#include "base/msg.h"

#define TOOL "kmemtrace-user"

int msg_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(color_red(stderr), stderr);
	fputs(TOOL ": ", stderr);
	vfprintf(stderr, format, args);
	fputs(color_end(stderr), stderr);
	fputc('\n', stderr);
	va_end(args);
	return EXIT_FAILED;
}

int msg_usage(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(TOOL " ", stderr);
	fprintf(stderr, "%s: ", command);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\nTry '" TOOL " %s --help'.\n", command);
	va_end(args);
	return EXIT_USAGE;
}

void msg_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(TOOL ": ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

