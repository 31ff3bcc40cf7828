// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the frequency of this machine's time stamp counter in kHz. QEMU's emulation has the
 * same counter. On a busy host, a guest that measures the frequency with emulated timers may be
 * wrong by a factor of several, and all its clocks with it.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

/* Read the counter and the clock at the same time: of many tries, the fastest. */
static double read_both(double *ms)
{
	uint64_t before, after, least = UINT64_MAX;
	double ticks = 0, now;
	int i;

	for (i = 0; i < 10000; i++) {
		before = __rdtsc();
		now = now_ms();
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		ticks = before + least / 2.0;
		*ms = now;
	}
	return ticks;
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = 200 * 1000 * 1000 };
	double start_ms = 0, end_ms = 0, start = read_both(&start_ms);

	nanosleep(&wait, NULL);
	printf("%.0f\n", (read_both(&end_ms) - start) / (end_ms - start_ms));
	return 0;
}
