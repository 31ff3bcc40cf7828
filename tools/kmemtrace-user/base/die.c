// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"

/* --- what is undone however the tool ends --------------------------------- */

/*
 * Notes on locking: the lock protects the list. Its holder blocks the signals, so that
 * their handler never interrupts it. An entry may end the tool by die() while it is run:
 * the lock is recursive.
 */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
static struct undo *last;
static unsigned int holds; /* calls of undo_hold() */
static sigset_t before;	   /* the signals that were blocked before the first of them */

void undo_hold(void)
{
	sigset_t set, old;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pthread_mutex_lock(&lock);
	if (!holds++)
		before = old;
}

void undo_release(void)
{
	sigset_t old = before;
	unsigned int left = --holds;

	pthread_mutex_unlock(&lock);
	if (!left)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void undo_all(void)
{
	struct undo *u;

	undo_hold();
	while ((u = last)) {
		last = u->next;
		u->run(u->arg);
	}
	undo_release();
}

/*
 * The signal then ends the tool as usual. The same signal may come a second time, to
 * another thread: it must not end the tool before.
 */
static void end(int number)
{
	undo_all();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle(int number)
{
	const struct sigaction action = { .sa_handler = end };
	struct sigaction old;

	/* as after nohup */
	if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

void undo_push(struct undo *u, void (*run)(void *arg), void *arg)
{
	size_t i;

	undo_hold();
	*u = (struct undo){ run, arg, last };
	last = u;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		handle(signals[i]);
	undo_release();
}

/* Return: whether it was on the list. */
static bool undo_take(const struct undo *u)
{
	struct undo **at = &last;

	while (*at && *at != u)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = u->next;
	return true;
}

void undo_drop(struct undo *u)
{
	undo_hold();
	undo_take(u);
	undo_release();
}

void undo_now(struct undo *u)
{
	undo_hold();
	if (undo_take(u))
		u->run(u->arg);
	undo_release();
}

void undo_forget(void)
{
	last = NULL;
}

/* --- die ------------------------------------------------------------------ */

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
