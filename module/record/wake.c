// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "record/wake.h"

/**
 * struct waker - wakes the readers of one CPU's records
 * @queue: readers that poll
 * @work: wakes them; can be queued in any context
 */
struct waker {
	wait_queue_head_t queue;
	struct irq_work work;
};

static struct waker *wakers; /* by CPU */

wait_queue_head_t *kmt_wake_queue(int cpu)
{
	return &wakers[cpu].queue;
}

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct waker, work)->queue);
}

void kmt_wake(int cpu)
{
	struct waker *waker = &wakers[cpu];

	/* the records before the look at the queue; pairs with poll_wait() */
	if (wq_has_sleeper(&waker->queue))
		irq_work_queue(&waker->work);
}

void kmt_wake_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		wake_up_interruptible(&wakers[cpu].queue);
}

int __init kmt_wake_init(void)
{
	int cpu;

	wakers = kvcalloc(nr_cpu_ids, sizeof(*wakers), GFP_KERNEL);
	if (!wakers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		init_waitqueue_head(&wakers[cpu].queue);
		init_irq_work(&wakers[cpu].work, wake_readers);
	}
	return 0;
}

void kmt_wake_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&wakers[cpu].work);
	kvfree(wakers);
}
