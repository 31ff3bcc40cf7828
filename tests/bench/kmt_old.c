// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of freeing a page, in nanoseconds of the guest's clock. With QEMU's
 * -icount shift=0, a nanosecond is one instruction.
 *
 * Loading the module allocates pages. Unloading it frees them, and prints a line
 * "kmt_old: free_page NS" for single pages, and a line "kmt_old: free_page_3 NS" for
 * pages of order 3. So a tracer can be loaded before the pages are allocated, or between
 * allocating and freeing them. A figure is the median of BATCHES batches of PAGES
 * allocations, freed with interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sort.h>

#define PAGES	64
#define BATCHES 51

static struct page *single[BATCHES][PAGES], *order3[BATCHES][PAGES];
static u64 ns[BATCHES];

static void release(struct page *(*pages)[PAGES], unsigned int order)
{
	int i, j;

	for (i = 0; i < BATCHES; i++)
		for (j = 0; j < PAGES; j++)
			if (pages[i][j])
				__free_pages(pages[i][j], order);
}

static int get(struct page *(*pages)[PAGES], unsigned int order)
{
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		for (j = 0; j < PAGES; j++) {
			pages[i][j] = alloc_pages(GFP_KERNEL, order);
			if (!pages[i][j])
				return -ENOMEM;
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static __always_inline void time_free(const char *name,
				      struct page *(*pages)[PAGES],
				      unsigned int order)
{
	unsigned long flags;
	u64 start, tenths;
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		local_irq_save(flags);
		start = local_clock();
		for (j = 0; j < PAGES; j++)
			__free_pages(pages[i][j], order);
		ns[i] = local_clock() - start;
		local_irq_restore(flags);
		cond_resched();
	}
	sort(ns, BATCHES, sizeof(*ns), compare, NULL);
	tenths = ns[BATCHES / 2] * 10 / PAGES;
	pr_info("%s %llu.%llu\n", name, tenths / 10, tenths % 10);
}

static int __init kmt_old_init(void)
{
	int err = get(single, 0);

	if (!err)
		err = get(order3, 3);
	if (err) {
		release(single, 0);
		release(order3, 3);
	}
	return err;
}
module_init(kmt_old_init);

static void __exit kmt_old_exit(void)
{
	time_free("free_page", single, 0);
	time_free("free_page_3", order3, 3);
}
module_exit(kmt_old_exit);

MODULE_DESCRIPTION("Benchmark of freeing pages that are older than a tracer");
MODULE_LICENSE("GPL");
