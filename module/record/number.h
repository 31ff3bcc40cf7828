/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of events.
 *
 * In the order "sequence", one counter numbers the events of all CPUs. In the order "time", each
 * CPU numbers its own.
 */
#ifndef KMT_NUMBER_H
#define KMT_NUMBER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/types.h>

/*
 * In a cache line of its own, because all CPUs write it. Numbers have 64 bits. A record has the
 * low half.
 */
struct kmt_sequence {
	atomic64_t next;
} ____cacheline_aligned_in_smp;

extern struct kmt_sequence kmt_sequence;

/* in the order "time": the number of this CPU's last event */
DECLARE_PER_CPU(u64, kmt_numbers);

static __always_inline u32 kmt_number_take(void)
{
	return atomic64_fetch_inc(&kmt_sequence.next);
}

/*
 * An NMI may count an event between the two steps. That event is lost. It then has the
 * lower number instead of the higher one, and exactly one number is missing.
 */
static __always_inline u32 kmt_number_take_of_cpu(void)
{
	this_cpu_inc(kmt_numbers);
	return __this_cpu_read(kmt_numbers);
}

/**
 * kmt_number_sum() - get the number of the next event
 *
 * In the order "time": the sum of the numbers of all CPUs, which counts events.
 *
 * Context: any.
 */
u64 kmt_number_sum(void);

/**
 * kmt_number_next() - get the number of the next event
 *
 * In the order "time": that of this CPU.
 *
 * Context: any, not preemptible.
 */
u64 kmt_number_next(void);

/**
 * kmt_number_next_on() - in the order "time": get the number of a CPU's next event
 * @cpu: the CPU
 *
 * Context: any.
 */
u64 kmt_number_next_on(int cpu);

/**
 * kmt_number_init() - start the numbers at the parameter seq_start
 *
 * Context: no probe is attached.
 * Return: 0.
 */
int kmt_number_init(void);

#endif /* KMT_NUMBER_H */
