// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>

#include "base/clock.h"

struct kmt_clock kmt_clock;
static bool suspended; /* this and the following are under kmt_control_mutex */
static u64 floor; /* the time when the clock was stopped */
static unsigned int breaks;

#ifdef CONFIG_X86_TSC

#include <asm/cpufeature.h>
#include <asm/tsc.h>

bool kmt_clock_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) && !check_tsc_unstable() &&
	       tsc_khz;
}

static u64 counter_scale(void)
{
	return div_u64((u64)NSEC_PER_MSEC << 32, tsc_khz);
}

#else

bool kmt_clock_trusted(void)
{
	return false;
}

static u64 counter_scale(void)
{
	return 0;
}

#endif

u64 kmt_clock_stamp_slowly(void)
{
#ifdef CONFIG_X86_TSC
	rdtsc_ordered(); /* local_clock() may read the counter too early */
#endif
	return local_clock();
}

unsigned int kmt_clock_breaks(void)
{
	return READ_ONCE(breaks);
}

void kmt_clock_stop(void)
{
	/* while the machine sleeps, the counter may restart */
	if (kmt_clock.cycles && !suspended)
		floor = kmt_clock_stamp();
	WRITE_ONCE(kmt_clock.cycles, 0);
}

void kmt_clock_start(void)
{
	unsigned long flags;
	u64 cycles;

	if (suspended || !kmt_clock_trusted())
		return;
	kmt_clock.scale = counter_scale();
	local_irq_save(flags);
	cycles = get_cycles(); /* first, so that time never steps back */
	kmt_clock.ns = max(local_clock(), floor);
	kmt_clock.zero = kmt_clock.ns - kmt_clock_scale(cycles);
	/* pairs with kmt_clock_now(): the others are set */
	smp_store_release(&kmt_clock.cycles, cycles);
	local_irq_restore(flags);
}

void kmt_clock_suspend(void)
{
	kmt_clock_stop();
	suspended = true;
	WRITE_ONCE(breaks, breaks + 1);
}

void kmt_clock_resume(void)
{
	suspended = false;
	kmt_clock_start();
}
