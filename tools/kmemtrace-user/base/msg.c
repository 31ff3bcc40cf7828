// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/color.h"
#include "base/msg.h"

#define TOOL "kmemtrace-user"

/* Names in messages may have control characters, which a terminal would obey. */
static void print(const char *format, va_list args)
{
	char *text = NULL;
	const char *s;

	if (vasprintf(&text, format, args) < 0)
		return;
	for (s = text; *s; s++) {
		if ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t')
			fprintf(stderr, "\\x%02x", *s);
		else
			fputc(*s, stderr);
	}
	free(text);
}

int msg_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(color_red(stderr), stderr);
	fputs(TOOL ": ", stderr);
	print(format, args);
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
	print(format, args);
	fprintf(stderr, "\nTry '" TOOL " %s --help'.\n", command);
	va_end(args);
	return EXIT_USAGE;
}

void msg_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(TOOL ": ", stderr);
	print(format, args);
	fputc('\n', stderr);
	va_end(args);
}

