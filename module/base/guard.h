/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One guard for each CPU. A probe holds it, and so does other code that takes a
 * lock that probes take.
 *
 * While it is held, an allocation or a free on this CPU is not seen, but counted
 * as nested. With interrupts off that can only be in an NMI, or a mistake. The
 * holder may therefore take the locks of the tables.
 */
#ifndef KMT_GUARD_H
#define KMT_GUARD_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/types.h>

DECLARE_PER_CPU(bool, kmt_guard_busy);

/**
 * kmt_guard_enter() - take this CPU's guard
 *
 * Context: interrupts off, until kmt_guard_leave().
 * Return: false if it is taken.
 */
static __always_inline bool kmt_guard_enter(void)
{
	if (unlikely(__this_cpu_read(kmt_guard_busy)))
		return false;
	__this_cpu_write(kmt_guard_busy, true);
	barrier();
	return true;
}

/**
 * kmt_guard_leave() - give it back
 *
 * Context: interrupts off.
 */
static __always_inline void kmt_guard_leave(void)
{
	barrier();
	__this_cpu_write(kmt_guard_busy, false);
}

/**
 * kmt_guard_lock() - switch interrupts off and take the guard, outside of a probe
 *
 * Afterwards no probe runs on this CPU, not even one in an NMI, and the caller
 * can take a lock that probes take.
 *
 * Context: any, but that of a probe, or of an NMI.
 * Return: what kmt_guard_unlock() needs.
 */
static inline unsigned long kmt_guard_lock(void)
{
	unsigned long flags;

	local_irq_save(flags);
	kmt_guard_enter(); /* no other code of the module runs on this CPU */
	return flags;
}

/**
 * kmt_guard_unlock() - undo kmt_guard_lock()
 * @flags: what it returned
 *
 * Context: any.
 */
static inline void kmt_guard_unlock(unsigned long flags)
{
	kmt_guard_leave();
	local_irq_restore(flags);
}

#endif /* KMT_GUARD_H */
