// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets no time pass but that for which a program waits, and waits are over at once. So an
 * observation has the same result on any machine. It is preloaded (LD_PRELOAD). If the
 * environment variable LEAKING names a file ages, 100 objects leak in each second.
 */
#include <stdlib.h>
#include <time.h>

#include "leaking.h"

static struct timespec now = { .tv_sec = 1000 };

static void leak(void)
{
	const char *ages = getenv("LEAKING");
	uint64_t ms = (now.tv_sec - 1000) * 1000ull + now.tv_nsec / 1000000;

	if (ages && !leaking_write(ages, 1000 + ms / 10))
		_exit(99);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = now;
	return 0;
}

/* The tool waits only until a moment of CLOCK_MONOTONIC. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
		    struct timespec *left)
{
	(void)left;
	if (clock != CLOCK_MONOTONIC || flags != TIMER_ABSTIME)
		_exit(99);
	if (until->tv_sec > now.tv_sec ||
	    (until->tv_sec == now.tv_sec && until->tv_nsec > now.tv_nsec))
		now = *until;
	leak();
	return 0;
}
