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
 * @cycles: counter at that moment; 0 is to call local_clock() instead, and the
 *	others may be changing
 * @ns: local_clock() at that moment
 * @scale: nanoseconds in a cycle, times 2^32
 */
struct kmt_clock {
	u64 cycles;
	u64 ns;
	u64 scale;
};

extern struct kmt_clock kmt_clock;

/*
 * mul_u64_u64_shr(cycles, scale, 32). With the 128-bit numbers of that one, gcc
 * aligns the stack of every probe, whether time is recorded or not.
 */
static __always_inline u64 kmt_clock_scale(u64 cycles)
{
#ifdef CONFIG_X86_64
	asm("mulq %[scale]\n\tshrdq $32, %%rdx, %%rax"
	    : "+a"(cycles)
	    : [scale] "rm"(kmt_clock.scale)
	    : "rdx", "cc");
	return cycles;
#else
	return mul_u64_u64_shr(cycles, kmt_clock.scale, 32);
#endif
}

/**
 * kmt_clock_now() - nanoseconds since boot
 *
 * Context: a probe, or kmt_channel_sem is held. Stays on one CPU.
 */
static __always_inline u64 kmt_clock_now(void)
{
	u64 cycles = smp_load_acquire(&kmt_clock.cycles);

	if (likely(cycles))
		return kmt_clock.ns + kmt_clock_scale(get_cycles() - cycles);
	return local_clock();
}

/**
 * kmt_clock_stop() - call local_clock() from now on
 *
 * Triggers that look at the time do so while nothing is recorded, too.
 *
 * Context: kmt_channel_sem is held for writing.
 */
void kmt_clock_stop(void);

/**
 * kmt_clock_start() - choose the clock and set it by local_clock()
 *
 * Between kmt_clock_suspend() and kmt_clock_resume() it does nothing.
 *
 * Context: kmt_channel_sem is held for writing, and a grace period has passed since
 * kmt_clock_stop().
 */
void kmt_clock_start(void);

/**
 * kmt_clock_suspend() - the machine may go to sleep: call local_clock() until it is up
 *
 * Context: kmt_channel_sem is held for writing.
 */
void kmt_clock_suspend(void);

/**
 * kmt_clock_resume() - undo kmt_clock_suspend(), and start the clock
 *
 * Context: as kmt_clock_start().
 */
void kmt_clock_resume(void);

#endif /* KMT_CLOCK_H */
