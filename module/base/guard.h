/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One guard for each CPU. Probes hold it, and so does other code while it holds a lock
 * that probes take.
 *
 * While the guard is held, the module does not process allocations and frees on this
 * CPU. It counts them as nested. Since interrupts are off, these are events in an NMI,
 * or made by the holder itself. The holder can therefore take the locks of the tables
 * without a deadlock.
 */
#ifndef KMT_GUARD_H
#define KMT_GUARD_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/types.h>

DECLARE_PER_CPU(bool, kmt_guard_busy);

/**
 * kmt_guard_enter() - take this CPU's guard
 *
 * Context: interrupts off until kmt_guard_leave(). NMI-safe.
 * Return: true; false if the guard is held.
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
 * kmt_guard_is_busy() - whether this CPU's guard is held
 *
 * Context: not preemptible. NMI-safe.
 */
static __always_inline bool kmt_guard_is_busy(void)
{
	return this_cpu_read(kmt_guard_busy);
}

/**
 * kmt_guard_leave() - release this CPU's guard
 *
 * Context: interrupts off.
 */
static __always_inline void kmt_guard_leave(void)
{
	barrier();
	__this_cpu_write(kmt_guard_busy, false);
}

/**
 * kmt_guard_pause() - let interrupts in, in the middle of a long piece of work
 * @flags: from local_irq_save(), before the guard was taken
 *
 * Does nothing if interrupts were off before local_irq_save(), which was called in a section
 * of kmt_probe_pin(). Else the guard is free until
 * kmt_guard_resume(), so that events of interrupts are processed. The CPU stays the same,
 * and no grace period ends.
 *
 * Context: the caller holds the guard, and no lock.
 */
static __always_inline void kmt_guard_pause(unsigned long flags)
{
	if (irqs_disabled_flags(flags))
		return;
	preempt_disable_notrace();
	kmt_guard_leave();
	local_irq_restore(flags);
}

/**
 * kmt_guard_resume() - undo kmt_guard_pause()
 * @flags: as for kmt_guard_pause()
 *
 * Context: as before kmt_guard_pause().
 */
static __always_inline void kmt_guard_resume(unsigned long flags)
{
	if (irqs_disabled_flags(flags))
		return;
	local_irq_disable();
	kmt_guard_enter(); /* cannot fail: interrupts release it before they return */
	preempt_enable_notrace();
}

/**
 * kmt_guard_breathe() - let interrupts in between two parts of a long piece of work
 * @flags: as for kmt_guard_pause()
 *
 * Context: as kmt_guard_pause().
 */
static inline void kmt_guard_breathe(unsigned long flags)
{
	kmt_guard_pause(flags);
	kmt_guard_resume(flags);
}

/**
 * kmt_guard_spin_wait() - take a lock in a probe, and let interrupts in meanwhile
 * @lock: the lock, whose holders have interrupts off and the guard
 * @flags: as for kmt_guard_pause()
 *
 * So the time with interrupts off does not grow with the number of CPUs that wait.
 *
 * Context: as kmt_guard_pause(), at a point where interrupts may come in.
 */
static inline void kmt_guard_spin_wait(arch_spinlock_t *lock, unsigned long flags)
{
	while (!arch_spin_trylock(lock)) {
		kmt_guard_breathe(flags);
		cpu_relax();
	}
}

/**
 * kmt_guard_lock() - disable interrupts and take the guard, outside of a probe
 *
 * Until kmt_guard_unlock(), no probe runs on this CPU, not even in an NMI. The caller
 * can therefore take a lock that probes take.
 *
 * Context: any except in a probe or an NMI.
 * Return: flags for kmt_guard_unlock().
 */
static inline unsigned long kmt_guard_lock(void)
{
	unsigned long flags;

	local_irq_save(flags);
	kmt_guard_enter(); /* cannot fail: the context excludes probes and NMIs */
	return flags;
}

/**
 * kmt_guard_unlock() - undo kmt_guard_lock()
 * @flags: return value of kmt_guard_lock()
 *
 * Context: the caller holds the guard.
 */
static inline void kmt_guard_unlock(unsigned long flags)
{
	kmt_guard_leave();
	local_irq_restore(flags);
}

/**
 * kmt_guard_spin_lock() - kmt_guard_lock(), and take a lock that probes take
 * @lock: the lock; lockdep does not check its type, because probes in an NMI take it
 *
 * Context: as kmt_guard_lock().
 * Return: flags for kmt_guard_spin_unlock().
 */
static inline unsigned long kmt_guard_spin_lock(arch_spinlock_t *lock)
{
	unsigned long flags = kmt_guard_lock();

	arch_spin_lock(lock);
	return flags;
}

/**
 * kmt_guard_spin_unlock() - undo kmt_guard_spin_lock()
 * @lock: the lock
 * @flags: return value of kmt_guard_spin_lock()
 *
 * Context: the caller holds both.
 */
static inline void kmt_guard_spin_unlock(arch_spinlock_t *lock,
					 unsigned long flags)
{
	arch_spin_unlock(lock);
	kmt_guard_unlock(flags);
}

#endif /* KMT_GUARD_H */
