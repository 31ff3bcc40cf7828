// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/color.h"
#include "base/msg.h"
#include "base/utf8.h"

#define TOOL "kmemtrace-user"

/* Names in messages may have characters that a terminal would obey. */
static size_t msg_printable(const char *text)
{
	size_t at = 0, len;

	do {
		len = text[at] == '\n' || text[at] == '\t' ? 1 : utf8_printable(text + at);
		at += len;
	} while (len);
	return at;
}

static void msg_print(const char *format, va_list args)
{
	char *text = NULL;
	const char *s;

	if (vasprintf(&text, format, args) < 0) {
		fputs(format, stderr);
		return;
	}
	for (s = text; *s;) {
		size_t len = msg_printable(s);

		fwrite(s, 1, len, stderr);
		s += len;
		if (*s)
			fprintf(stderr, "\\x%02x", (unsigned char)*s++);
	}
	free(text);
}

int msg_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(color_red(stderr), stderr);
	fputs(TOOL ": ", stderr);
	msg_print(format, args);
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
	msg_print(format, args);
	fprintf(stderr, "\nTry '" TOOL " %s --help'.\n", command);
	va_end(args);
	return EXIT_USAGE;
}

void msg_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(TOOL ": ", stderr);
	msg_print(format, args);
	fputc('\n', stderr);
	va_end(args);
}

