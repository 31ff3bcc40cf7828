// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct timespec timespec_of(double seconds)
{
	double whole = floor(seconds);

	return (struct timespec){ .tv_sec = whole, .tv_nsec = (seconds - whole) * 1e9 };
}

void clock_wait_until(double when)
{
	struct timespec t = timespec_of(when);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

bool clock_wait_for_signal(double when, int signal)
{
	struct timespec t;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	do {
		t = timespec_of(fmax(0, when - clock_now()));
		if (sigtimedwait(&set, NULL, &t) == signal)
			return true;
		/* seconds are rounded to ns */
	} while (clock_now() < when - 1e-6);
	return false;
}
