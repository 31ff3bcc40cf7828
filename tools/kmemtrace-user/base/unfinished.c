// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unfinished.h"

#define PATHS_MAX 6

static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
static char paths[PATHS_MAX][PATH_MAX];
static volatile sig_atomic_t count;
static bool is_held;
static sigset_t before; /* the signals that were blocked before unfinished_hold() */

/*
 * The files first, then their directory. The signal then ends the tool as usual. The same
 * signal may come a second time, to another thread: it must not end the tool before.
 */
static void remove_all(int number)
{
	int i = count;

	while (i--)
		if (unlink(paths[i]))
			rmdir(paths[i]);
	signal(number, SIG_DFL);
	raise(number);
}

static void handle(int number)
{
	const struct sigaction action = { .sa_handler = remove_all };
	struct sigaction old;

	/* as after nohup */
	if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

void unfinished_add(const char *path)
{
	size_t i;

	/* the file then stays */
	if (count == PATHS_MAX || strlen(path) >= PATH_MAX)
		return;
	strcpy(paths[count], path);
	count++;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		handle(signals[i]);
}

void unfinished_hold(const char *path)
{
	struct stat st;
	sigset_t set;
	size_t i;

	is_held = !path || stat(path, &st) || S_ISREG(st.st_mode) ||
		  S_ISDIR(st.st_mode);
	if (!is_held)
		return;
	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
}

void unfinished_release(void)
{
	if (is_held)
		sigprocmask(SIG_SETMASK, &before, NULL);
}

void unfinished_clear(void)
{
	count = 0;
}
