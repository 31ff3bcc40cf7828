// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>

#include "base/clock.h"

struct kmt_clock kmt_clock;
static bool suspended; /* under kmt_channel_sem */

#ifdef CONFIG_X86_TSC

#include <asm/cpufeature.h>
#include <asm/tsc.h>

static bool counter_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) && !check_tsc_unstable() &&
	       tsc_khz;
}

static u64 counter_scale(void)
{
	return div_u64((u64)NSEC_PER_MSEC << 32, tsc_khz);
}

#else

static bool counter_trusted(void)
{
	return false;
}

static u64 counter_scale(void)
{
	return 0;
}

#endif

void kmt_clock_stop(void)
{
	WRITE_ONCE(kmt_clock.cycles, 0);
}

void kmt_clock_start(void)
{
	unsigned long flags;
	u64 cycles;

	if (suspended || !counter_trusted())
		return;
	kmt_clock.scale = counter_scale();
	local_irq_save(flags);
	cycles = get_cycles(); /* first, so that time never steps back */
	kmt_clock.ns = local_clock();
	/* pairs with kmt_clock_now(): ns and scale are set */
	smp_store_release(&kmt_clock.cycles, cycles);
	local_irq_restore(flags);
}

void kmt_clock_suspend(void)
{
	suspended = true;
	kmt_clock_stop();
}

void kmt_clock_resume(void)
{
	suspended = false;
	kmt_clock_start();
}
