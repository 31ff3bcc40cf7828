/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of a record: nanoseconds, as local_clock() counts them, for a few
 * instructions. Where the kernel trusts the time stamp counter it is read and
 * scaled right here; elsewhere local_clock() is called.
 */
#ifndef KMT_CLOCK_H
#define KMT_CLOCK_H

#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/timex.h>
#include <linux/types.h>

/**
 * struct kmt_clock - cycles to nanoseconds, from one moment on
 * @cycles: counter at that moment; 0 is to call local_clock() instead
 * @ns: local_clock() at that moment
 * @scale: nanoseconds in a cycle, times 2^32
 */
struct kmt_clock {
	u64 cycles;
	u64 ns;
	u64 scale;
};

extern struct kmt_clock kmt_clock;

/**
 * kmt_clock_now() - nanoseconds since boot
 *
 * Context: any, also NMI. Stays on one CPU.
 */
static __always_inline u64 kmt_clock_now(void)
{
	if (likely(kmt_clock.cycles))
		return kmt_clock.ns +
		       mul_u64_u64_shr(get_cycles() - kmt_clock.cycles,
				       kmt_clock.scale, 32);
	return local_clock();
}

/**
 * kmt_clock_start() - choose the clock and set it by local_clock()
 *
 * Context: recording is off.
 */
void kmt_clock_start(void);

#endif /* KMT_CLOCK_H */
