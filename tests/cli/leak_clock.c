// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets no time pass but that for which a program waits, and waits are over at once. So an
 * observation has the same result on any machine. It is preloaded (LD_PRELOAD).
 * Environment variables:
 *
 *   LEAKING          a file ages: 100 objects leak in each second
 *   LEAK_PAGES       three pages leak with each of them
 *   LEAK_CACHE       these objects are of a cache that the kernel can reclaim
 *   LEAK_FILES       they are those of the files of each tmpfs
 *   LEAK_COUNT       a file has their number
 *   LEAK_DROP        the file drop_caches: once it is written, they are freed
 *   LEAK_LATER       a file that becomes the module's file stats after 5 s
 *   LEAK_INTERRUPT   seconds until SIGINT arrives, if the program waits for it
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "leaking.h"

static struct timespec now = { .tv_sec = 1000 };

static bool is_dropped(void)
{
	const char *drop = getenv("LEAK_DROP");
	struct stat st;

	return drop && !stat(drop, &st) && st.st_size;
}

static uint64_t count_leaked(void)
{
	uint64_t ms = (now.tv_sec - 1000) * 1000ull + now.tv_nsec / 1000000;

	return is_dropped() ? 0 : 1000 + ms / 10;
}

static void change_stats(void)
{
	const char *later = getenv("LEAK_LATER"), *dir = getenv("KMEMTRACE_DIR");
	char path[4096];

	if (!later || !dir || now.tv_sec < 1005)
		return;
	snprintf(path, sizeof(path), "%s/stats", dir);
	rename(later, path);
}

static void leak(void)
{
	const char *ages = getenv("LEAKING"), *path = getenv("LEAK_COUNT");
	uint64_t leaked = count_leaked();
	FILE *count = path ? fopen(path, "w") : NULL;

	change_stats();
	if (path && (!count || fprintf(count, "%" PRIu64 "\n", leaked) < 0 || fclose(count)))
		_exit(99);
	if (ages && !leaking_write(ages, leaked, getenv("LEAK_CACHE") ? leaked : 0,
				   getenv("LEAK_PAGES") ? 3 * leaked : 0))
		_exit(99);
}

int statfs(const char *path, struct statfs *s)
{
	(void)path;
	*s = (struct statfs){ .f_type = TMPFS_MAGIC, .f_files = 100000, .f_ffree = 100000 };
	if (getenv("LEAK_FILES"))
		s->f_ffree -= count_leaked();
	return 0;
}

void sync(void)
{
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = now;
	return 0;
}

static int is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void wait_until(const struct timespec *until)
{
	if (is_before(&now, until))
		now = *until;
	leak();
}

/* The tool waits only until a moment of CLOCK_MONOTONIC. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
		    struct timespec *left)
{
	(void)left;
	if (clock != CLOCK_MONOTONIC || flags != TIMER_ABSTIME)
		_exit(99);
	wait_until(until);
	return 0;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	const char *interrupt = getenv("LEAK_INTERRUPT");
	struct timespec until = { now.tv_sec + timeout->tv_sec,
				  now.tv_nsec + timeout->tv_nsec };

	(void)info;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	wait_until(&until);
	if (interrupt && now.tv_sec - 1000 >= atol(interrupt) && sigismember(set, SIGINT))
		return SIGINT;
	errno = EAGAIN;
	return -1;
}
