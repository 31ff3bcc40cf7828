// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/undo.h"

/*
 * Never released: a thread that uses the list, or for which memory runs out as well, then
 * waits until the process has ended. Output in buffers is dropped: it is incomplete, and
 * another thread may hold its lock.
 */
void die(void)
{
	undo_hold();
	undo_all();
	_exit(msg_error("out of memory"));
}

/* A size of 0 is not refused. */
static void *die_check(void *memory)
{
	if (!memory)
		die();
	return memory;
}

void *xmalloc(size_t size)
{
	return die_check(malloc(size));
}

void *xcalloc(size_t count, size_t size)
{
	return die_check(calloc(count, size));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return die_check(reallocarray(old, count, size));
}

char *xstrdup(const char *text)
{
	return die_check(strdup(text));
}

char *xstrndup(const char *text, size_t max)
{
	return die_check(strndup(text, max));
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		die();
	return text;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}
