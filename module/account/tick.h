/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of allocation of live memory, in ticks of 1 << KMT_TICK_SHIFT jiffies. It has 32
 * bits, which wrap after years.
 */
#ifndef KMT_TICK_H
#define KMT_TICK_H

#include <linux/jiffies.h>
#include <linux/types.h>

#define KMT_TICK_SHIFT 4

static __always_inline u32 kmt_tick_now(void)
{
	return jiffies >> KMT_TICK_SHIFT;
}

/* Return: age in jiffies; 0 if @born is later than now. */
static inline unsigned long kmt_tick_age(u32 born)
{
	u32 ticks = kmt_tick_now() - born;

	return ticks > S32_MAX ? 0 : (unsigned long)ticks << KMT_TICK_SHIFT;
}

/**
 * kmt_tick_age_ms() - convert an age to milliseconds
 * @age: from kmt_tick_age()
 *
 * jiffies_to_msecs() returns 32 bits, which are full after 49 days.
 *
 * Context: any.
 */
static inline u64 kmt_tick_age_ms(unsigned long age)
{
	return (u64)age * MSEC_PER_SEC / HZ;
}

#endif /* KMT_TICK_H */
