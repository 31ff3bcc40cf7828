// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of one allocation and one free, in nanoseconds of the guest's clock.
 * With QEMU's -icount shift=0, a nanosecond is one instruction.
 *
 * Loading the module runs the benchmark, and prints one line for each kind of object:
 * "kmt_bench: NAME alloc free". Loading then fails, so that the module can be loaded
 * again immediately. A figure is the median of BATCHES batches of PAIRS objects, with
 * interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sort.h>

#include "objects.h"

#define PAIRS	64
#define BATCHES 201
#define LIVE	10000

static u64 alloc_ns[BATCHES], free_ns[BATCHES];
static void *objects[PAIRS];
static void *live[LIVE];

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median(u64 *ns)
{
	sort(ns, BATCHES, sizeof(*ns), compare, NULL);
	return ns[BATCHES / 2] * 10 / PAIRS;
}

/* Always inlined, so that @alloc and @release are called directly. */
static __always_inline void run(const char *name, void *(*alloc)(void),
				void (*release)(void *))
{
	unsigned long flags;
	u64 start, a, f;
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		local_irq_save(flags);
		start = local_clock();
		for (j = 0; j < PAIRS; j++)
			objects[j] = alloc();
		alloc_ns[i] = local_clock() - start;
		start = local_clock();
		for (j = 0; j < PAIRS; j++)
			release(objects[j]);
		free_ns[i] = local_clock() - start;
		local_irq_restore(flags);
		cond_resched();
	}
	a = median(alloc_ns);
	f = median(free_ns);
	pr_info("%s %llu.%llu %llu.%llu\n", name, a / 10, a % 10, f / 10,
		f % 10);
}

static noinline int run_all(void)
{
	int i;

	cache = kmem_cache_create("kmt_bench", 200, 8, SLAB_TYPESAFE_BY_RCU,
				  NULL);
	if (!cache)
		return -ENOMEM;
	run("kmalloc_64", kmalloc_64, kfree_64);
	run("kmem_cache", cache_alloc, cache_free);
	run("page", page_alloc, page_free);
	for (i = 0; i < LIVE; i++)
		live[i] = kmalloc_64();
	run("kmalloc_64_10k_live", kmalloc_64, kfree_64);
	for (i = 0; i < LIVE; i++)
		kfree(live[i]);
	kmem_cache_destroy(cache);
	return -EAGAIN;
}

/* Ensures that a stack trace has eight frames, however the kernel loads modules. */
static noinline int nest(void)
{
	int ret = run_all();

	barrier();
	return ret;
}

static int __init kmt_bench_init(void)
{
	int ret = nest();

	barrier();
	return ret;
}
module_init(kmt_bench_init);

MODULE_DESCRIPTION("Benchmark of the kernel's allocators");
MODULE_LICENSE("GPL");
