/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Out of memory ends the tool. So functions that can only fail for lack of memory do not
 * fail, and their callers check nothing.
 */
#ifndef DIE_H
#define DIE_H

#include <stdarg.h>
#include <stddef.h>

/*
 * The list of what must be undone however the tool ends: unfinished files are removed, the
 * settings of the module and the terminal are restored. die(), main(), SIGHUP, SIGINT and
 * SIGTERM undo it, the last entry first.
 */

/**
 * struct undo - an entry; it must not move while it is on the list
 * @run: undoes it
 * @arg: argument of @run
 * @next: the entry before it
 */
struct undo {
	void (*run)(void *arg);
	void *arg;
	struct undo *next;
};

/**
 * undo_push() - put an entry on the list
 * @u: the entry
 * @run: undoes it. It may be called by a signal handler, unless the caller blocks the
 *	three signals; or by another thread, for which memory ran out
 * @arg: argument of @run
 */
void undo_push(struct undo *u, void (*run)(void *arg), void *arg);

/** undo_drop() - take an entry off the list, if it is there: it need not be undone */
void undo_drop(struct undo *u);

/** undo_now() - take an entry off the list and undo it, if it is there */
void undo_now(struct undo *u);

/** undo_all() - undo all entries; the list is then empty */
void undo_all(void);

/**
 * undo_hold() - let signals and other threads that end the tool wait for undo_release()
 *
 * In between, a file is created and its entry pushed. May be nested.
 */
void undo_hold(void);

/** undo_release() - undo undo_hold() */
void undo_release(void);

/** undo_forget() - empty the list after fork(): the parent undoes its entries */
void undo_forget(void);

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
