/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the kernel that module/account/bucket.c and slots.h use, for user space:
 * enough to run them without changes. The lock has the same instructions as an
 * uncontended lock of the kernel on x86 (asm-generic/qspinlock.h). A thread that waits
 * for it spins. The kernel's queue is not needed, because there are only two threads.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <errno.h>
#include <stdlib.h>

#include "kmt_env.h"

/* replaces module/base/guard.h: the guard of a CPU against probes */
#define KMT_GUARD_H
#define kmt_guard_spin_lock(lock)	   (arch_spin_lock(lock), 0ul)
#define kmt_guard_spin_unlock(lock, flags) ((void)(flags), arch_spin_unlock(lock))

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1ul << PAGE_SHIFT)
#define PAGE_MASK  (~(PAGE_SIZE - 1))

/* As on x86, it is a variable. Only kmt_slots_words() uses it here (live_objects.c). */
extern unsigned long page_offset_base;
#define PAGE_OFFSET page_offset_base

#define BIT_ULL(n)	  (1ull << (n))
#define GENMASK_ULL(h, l) (~0ull >> (63 - (h)) & ~0ull << (l))
#define ALIGN(n, to)	  (((n) + (to)-1) & ~((__typeof__(n))(to)-1))
#define container_of(p, type, member) \
	((type *)((char *)(p)-offsetof(type, member)))

struct list_head {
	struct list_head *next, *prev;
};

#define U32_MAX		UINT32_MAX
#define GOLDEN_RATIO_64 0x61C8864680B583EBull
#define __aligned(n)	__attribute__((aligned(n)))
#define __ro_after_init

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

#define cond_resched()		 ((void)0)
#define kmemleak_no_scan(p)	 ((void)(p))

typedef union {
	u32 val;
	u8 locked;
} arch_spinlock_t;

static __always_inline bool arch_spin_trylock(arch_spinlock_t *lock)
{
	u32 val = READ_ONCE(lock->val);

	return likely(!val) &&
	       __atomic_compare_exchange_n(&lock->val, &val, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static __always_inline void arch_spin_lock(arch_spinlock_t *lock)
{
	while (!arch_spin_trylock(lock))
		__builtin_ia32_pause();
}

static __always_inline void arch_spin_unlock(arch_spinlock_t *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

static inline void *vzalloc(size_t size)
{
	void *p = aligned_alloc(4096, (size + 4095) & ~4095ul);

	return p ? memset(p, 0, size) : NULL;
}

static inline void vfree(void *p)
{
	free(p);
}

#endif /* BENCH_KERNEL_H */
