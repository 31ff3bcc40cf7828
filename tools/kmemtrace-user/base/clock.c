// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"

double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void clock_wait_until(double when)
{
	struct timespec t = { .tv_sec = when, .tv_nsec = (when - floor(when)) * 1e9 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}
