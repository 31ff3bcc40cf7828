/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of classes, for each CPU.
 *
 * Each CPU that has been online has an array of counters. It begins with space for a part of
 * all classes. When half of it is in use, a worker makes it longer: it maps the same pages
 * and more pages at another address. The counters themselves do not move, so that no CPU has
 * to stop counting.
 *
 * A CPU comes online in any case. If there is no memory for its counters, its events change
 * counters that are never read (kmt_counter_scrap), and the caller of kmt_counter_init()
 * switches accounting off.
 */
#ifndef KMT_COUNTER_H
#define KMT_COUNTER_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * union kmt_count - a count, and the time of the CPU's next report to the tag
 * @whole: from bit KMT_COUNT_SHIFT on, the count at the moment when @left is 0; below
 *	that, KMT_COUNT_BATCH and @left
 * @left: events that can be counted without a report; below 0, a report is due. It is more than
 *	at the start of the batch if more events were taken back (kmt_count_back()) than counted
 *
 * Counting takes one instruction and a branch. A reader of @whole gets the exact count
 * at any time. All zero is a count of 0 whose next event is to be reported.
 */
union kmt_count {
	u64 whole;
#ifdef __LITTLE_ENDIAN
	s8 left;
#else
	struct {
		/* private: */
		u8 upper[7];
		/* public: */
		s8 left;
	};
#endif
};

#define KMT_COUNT_SHIFT 9
/* in @whole: the present batch has KMT_PEAK_EVERY events; if clear, one event */
#define KMT_COUNT_BATCH BIT_ULL(8)

/*
 * A CPU reports each of the first KMT_PEAK_EVERY - 1 allocations and frees of a class.
 * Then it reports whenever there are KMT_PEAK_EVERY more.
 */
#define KMT_PEAK_EVERY 64

/*
 * One instruction, so that an interrupt may come before or after it, but not in between.
 *
 * Return: whether the caller must call kmt_tag_report().
 */
static __always_inline bool kmt_count_one(union kmt_count *count)
{
	asm goto("decb %[left]\n\tjs %l[due]"
		 :
		 : [left] "m"(count->left)
		 : "memory", "cc"
		 : due);
	return false;
due:
	return true;
}

/*
 * Interrupts are off.
 *
 * Return: false if a report would be due before the last of these events. Then nothing
 * was counted.
 */
static __always_inline bool kmt_count_many(union kmt_count *count, unsigned int n)
{
	if (unlikely((int)n > count->left))
		return false;
	count->left -= n;
	return true;
}

/*
 * Take an event back. Interrupts are off.
 *
 * Return: whether the caller must call kmt_tag_report(): the events of the batch are below zero.
 */
static __always_inline bool kmt_count_back(union kmt_count *count)
{
	return ++count->left >= KMT_PEAK_EVERY;
}

static inline s64 kmt_count_read(const union kmt_count *count)
{
	u64 whole = READ_ONCE(count->whole);

	return ((s64)whole >> KMT_COUNT_SHIFT) - (s8)whole;
}

/**
 * struct kmt_counter - counts of one class on one CPU
 * @allocs: allocations
 * @frees: frees; live objects are allocs less frees, summed over all CPUs
 * @waste: bytes of @allocs that were not requested, less those of @frees; without the
 *	part of the waste in the class's key
 * @frames: pages freed, for the kinds made of pages
 *
 * Written by its CPU, not preemptible: each write is one instruction, or interrupts are
 * off. In the counter of class 0, @waste is the number of allocations that got no class
 * because the table was full.
 */
struct kmt_counter {
	union kmt_count allocs;
	union kmt_count frees;
	s64 waste;
	union kmt_count frames;
};

/* Add waste to a counter, with one instruction, as kmt_count_one(). */
static __always_inline void kmt_count_waste(struct kmt_counter *c, u64 bytes)
{
	asm volatile("addq %[bytes], %[waste]"
		     : [waste] "+m"(c->waste)
		     : [bytes] "er"(bytes)
		     : "cc");
}

static __always_inline void kmt_count_no_waste(struct kmt_counter *c, u64 bytes)
{
	asm volatile("subq %[bytes], %[waste]"
		     : [waste] "+m"(c->waste)
		     : [bytes] "er"(bytes)
		     : "cc");
}

/* Count an allocation. Return: as kmt_count_one(). */
static __always_inline bool kmt_count_alloc(struct kmt_counter *c, u32 waste)
{
	kmt_count_waste(c, waste);
	return kmt_count_one(&c->allocs);
}

/* Count a free. Return: as kmt_count_one(). */
static __always_inline bool kmt_count_free(struct kmt_counter *c, u32 waste)
{
	kmt_count_no_waste(c, waste);
	return kmt_count_one(&c->frees);
}

DECLARE_PER_CPU(struct kmt_counter *, kmt_counters);
extern struct cpumask kmt_counter_mask; /* CPUs that have counters */

/* the counters of all CPUs for which there was no memory; their values mean nothing */
extern struct kmt_counter *kmt_counter_scrap;

/**
 * kmt_counter_of() - the counters of a CPU
 * @cpu: the CPU
 *
 * Context: any, under rcu_read_lock().
 * Return: the counters; NULL if the CPU has not been online, or there was no memory for them.
 */
static inline struct kmt_counter *kmt_counter_of(int cpu)
{
	struct kmt_counter *c = smp_load_acquire(per_cpu_ptr(&kmt_counters, cpu));

	return c == kmt_counter_scrap ? NULL : c;
}

/*
 * All CPUs that have counters. Under rcu_read_lock(). A CPU gets its counters, and its bit in
 * kmt_counter_mask, before it comes online.
 */
#define kmt_counter_for_each(cpu, counters)                                    \
	for_each_cpu(cpu, &kmt_counter_mask)                                   \
		if (!((counters) = kmt_counter_of(cpu)))                       \
			continue;                                              \
		else

/**
 * kmt_counter_room() - number of classes that have counters
 *
 * Context: any.
 * Return: the number; 0 before kmt_counter_init().
 */
u32 kmt_counter_room(void);

/**
 * kmt_counter_cpus() - number of CPUs that have counters
 *
 * Context: any.
 */
u32 kmt_counter_cpus(void);

/**
 * kmt_counter_want() - make room for more classes, if many are in use
 * @used: number of classes in use
 *
 * Context: any, interrupts off. NMI-safe.
 */
void kmt_counter_want(u32 used);

/**
 * kmt_counter_memory() - memory of the counters
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_counter_memory(void);

/**
 * kmt_counter_complete() - give counters to the CPUs for which there was no memory
 *
 * Context: may sleep.
 * Return: 0, if each CPU that has been online has counters; -ENOMEM.
 */
int kmt_counter_complete(void);

/**
 * kmt_counter_reset() - set all counters to zero
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_counter_reset(void);

/**
 * kmt_counter_init() - allocate the counters
 * @classes: maximum number of classes
 * @refused: called with the number of a CPU that comes online later, and for which there is
 *	no memory; may sleep
 *
 * Context: may sleep.
 * Return: 0 or -errno; kmt_counter_exit() must be called in either case.
 */
int kmt_counter_init(u32 classes, void (*refused)(unsigned int cpu));

/**
 * kmt_counter_exit() - free the counters
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_counter_exit(void);

#endif /* KMT_COUNTER_H */
