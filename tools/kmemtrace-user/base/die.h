/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Out of memory ends the tool. So functions that can only fail for lack of memory do not
 * fail, and their callers check nothing.
 */
#ifndef DIE_H
#define DIE_H

#include <stdarg.h>
#include <stddef.h>

/**
 * die() - end the tool, because memory ran out: undo_all(), message, EXIT_FAILED
 *
 * Context: any thread; not a signal handler.
 */
_Noreturn void die(void);

/** xmalloc() - malloc() that ends the tool if memory ran out */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));

/** xcalloc() - calloc() that ends the tool if memory ran out */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/** xreallocarray() - reallocarray() that ends the tool if memory ran out */
void *xreallocarray(void *old, size_t count, size_t size)
	__attribute__((returns_nonnull));

/** xstrdup() - strdup() that ends the tool if memory ran out */
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

/** xstrndup() - strndup() that ends the tool if memory ran out */
char *xstrndup(const char *text, size_t max) __attribute__((malloc, returns_nonnull));

/** xasprintf() - asprintf() that ends the tool if memory ran out; return the text */
char *xasprintf(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/** xvasprintf() - xasprintf() with its arguments in a list */
char *xvasprintf(const char *format, va_list args)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

#endif /* DIE_H */
