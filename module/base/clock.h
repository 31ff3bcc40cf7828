/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time stamps of records, in nanoseconds of local_clock(), at the cost of a few
 * instructions. If the kernel trusts the time stamp counter, kmt_clock_now() reads and
 * scales the counter itself. Otherwise it calls local_clock().
 */
#ifndef KMT_CLOCK_H
#define KMT_CLOCK_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/timex.h>
#include <linux/types.h>

#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>
#endif

/**
 * struct kmt_clock - converts cycles to nanoseconds
 * @cycles: counter at the moment when the clock was started; 0: call local_clock(),
 *	and do not use the other members, which may be changing
 * @ns: local_clock() at that moment
 * @scale: nanoseconds for each cycle, times 2^32
 * @zero: the time at which the counter would have been 0
 */
struct kmt_clock {
	u64 cycles;
	u64 ns;
	u64 scale;
	u64 zero;
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
 * Context: preemption off, for example in a probe, which has interrupts off.
 * Return: nanoseconds.
 */
static __always_inline u64 kmt_clock_now(void)
{
	u64 cycles = smp_load_acquire(&kmt_clock.cycles);

	if (likely(cycles))
		return kmt_clock.ns + kmt_clock_scale(get_cycles() - cycles);
	return local_clock();
}

/*
 * The counter, read after all earlier instructions of this CPU have completed: what they
 * saw of other CPUs happened before.
 */
static __always_inline u64 kmt_clock_ordered_cycles(void)
{
#ifdef CONFIG_X86_TSC
	return rdtsc_ordered();
#else
	return get_cycles();
#endif
}

/**
 * kmt_clock_running_stamp() - as kmt_clock_stamp(), while the clock runs
 *
 * Context: as kmt_clock_now(). The clock has been running, though it may have been stopped
 * since.
 * Return: nanoseconds.
 */
static __always_inline u64 kmt_clock_running_stamp(void)
{
	return kmt_clock.zero + kmt_clock_scale(kmt_clock_ordered_cycles());
}

/* kmt_clock_stamp() while the clock is stopped */
u64 kmt_clock_stamp_slowly(void);

/**
 * kmt_clock_stamp() - get the time, for the order of events on different CPUs
 *
 * If an event has seen anything that another CPU did after its event, it gets a stamp
 * that is not lower than that of the other event. This holds while kmt_clock_trusted().
 *
 * Context: as kmt_clock_now().
 * Return: nanoseconds.
 */
static __always_inline u64 kmt_clock_stamp(void)
{
	if (unlikely(!smp_load_acquire(&kmt_clock.cycles)))
		return kmt_clock_stamp_slowly();
	return kmt_clock_running_stamp();
}

/**
 * kmt_clock_runs() - whether the clock uses the time stamp counter
 *
 * Context: kmt_control_mutex is held.
 */
static inline bool kmt_clock_runs(void)
{
	return READ_ONCE(kmt_clock.cycles);
}

/**
 * kmt_clock_trusted() - whether the stamps of different CPUs can be compared
 *
 * Context: any.
 * Return: true if the kernel trusts the time stamp counter.
 */
bool kmt_clock_trusted(void);

/**
 * kmt_clock_breaks() - how often the machine has gone to sleep
 *
 * The stamps of different CPUs cannot be compared across that.
 *
 * Context: any.
 */
unsigned int kmt_clock_breaks(void);

/**
 * kmt_clock_stop() - make kmt_clock_now() call local_clock()
 *
 * Triggers call kmt_clock_now() also while nothing is recorded.
 *
 * Context: kmt_control_mutex is held.
 */
void kmt_clock_stop(void);

/**
 * kmt_clock_start() - use the time stamp counter from now on, if the kernel trusts it
 *
 * Sets the clock to local_clock(), but not back. Does nothing between kmt_clock_suspend() and
 * kmt_clock_resume().
 *
 * Context: kmt_control_mutex is held, and a grace period has passed since
 * kmt_clock_stop().
 */
void kmt_clock_start(void);

/**
 * kmt_clock_suspend() - use local_clock() while the machine may sleep
 *
 * Context: kmt_control_mutex is held.
 */
void kmt_clock_suspend(void);

/**
 * kmt_clock_resume() - undo kmt_clock_suspend(), and start the clock
 *
 * Context: as kmt_clock_start().
 */
void kmt_clock_resume(void);

#endif /* KMT_CLOCK_H */
