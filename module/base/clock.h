/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time stamps of records, in nanoseconds of local_clock(), at the cost of a few
 * instructions. If the kernel trusts the time stamp counter, kmt_clock_now() reads and
 * scales the counter itself. Otherwise it calls local_clock().
 */
#ifndef KMT_CLOCK_H
#define KMT_CLOCK_H

#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/timex.h>
#include <linux/types.h>

/**
 * struct kmt_clock - converts cycles to nanoseconds
 * @cycles: counter at the moment when the clock was started; 0: call local_clock(),
 *	and do not use the other members, which may be changing
 * @ns: local_clock() at that moment
 * @scale: nanoseconds for each cycle, times 2^32
 */
struct kmt_clock {
	u64 cycles;
	u64 ns;
	u64 scale;
};

extern struct kmt_clock kmt_clock;

/*
 * This is mul_u64_u64_shr(cycles, scale, 32). That function uses 128-bit numbers, for
 * which gcc aligns the stack of every probe, even if time is not recorded.
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
 * kmt_clock_now() - get the time since boot
 *
 * Context: interrupts off, for example in a probe; or kmt_channel_sem is held, and the
 * caller does not migrate to another CPU.
 * Return: nanoseconds.
 */
static __always_inline u64 kmt_clock_now(void)
{
	u64 cycles = smp_load_acquire(&kmt_clock.cycles);

	if (likely(cycles))
		return kmt_clock.ns + kmt_clock_scale(get_cycles() - cycles);
	return local_clock();
}

/**
 * kmt_clock_stop() - make kmt_clock_now() call local_clock()
 *
 * Triggers call kmt_clock_now() also while nothing is recorded.
 *
 * Context: kmt_channel_sem is held for writing.
 */
void kmt_clock_stop(void);

/**
 * kmt_clock_start() - use the time stamp counter from now on, if the kernel trusts it
 *
 * Sets the clock to local_clock(). Does nothing between kmt_clock_suspend() and
 * kmt_clock_resume().
 *
 * Context: kmt_channel_sem is held for writing, and a grace period has passed since
 * kmt_clock_stop().
 */
void kmt_clock_start(void);

/**
 * kmt_clock_suspend() - use local_clock() while the machine may sleep
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
