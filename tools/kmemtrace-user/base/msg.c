// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/color.h"
#include "base/msg.h"

#define TOOL "kmemtrace-user"

static bool no_memory; /* atomic */

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

int msg_oom(void)
{
	return msg_error("out of memory");
}

void msg_no_memory(void)
{
	__atomic_store_n(&no_memory, true, __ATOMIC_RELAXED);
}

int msg_status(int status)
{
	if (!__atomic_exchange_n(&no_memory, false, __ATOMIC_RELAXED) ||
	    (status != EXIT_DONE && status != EXIT_LOST))
		return status;
	return msg_error("out of memory: the output is incomplete");
}
