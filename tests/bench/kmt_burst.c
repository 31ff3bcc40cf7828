// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load for recorders: a thread on each CPU allocates and frees batches of BATCH objects
 * of 64 bytes:
 *
 *   insmod kmt_burst.ko events=N      until all threads together have made N events
 *   insmod kmt_burst.ko seconds=N     for N seconds
 *   ... rate=N                        at most N events per second, of all threads
 *
 * Prints "kmt_burst: EVENTS MILLISECONDS". Loading then fails.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>

#define BATCH 64

static ulong events;
module_param(events, ulong, 0);
static ulong seconds;
module_param(seconds, ulong, 0);
static ulong rate;
module_param(rate, ulong, 0);

static atomic_long_t made;
static atomic_t running;
static DECLARE_COMPLETION(done);
static DECLARE_COMPLETION(go);
static ktime_t start;
static unsigned int threads;

static void batch(void **objects)
{
	int i;

	for (i = 0; i < BATCH; i++)
		objects[i] = kmalloc(64, GFP_KERNEL);
	for (i = 0; i < BATCH; i++)
		kfree(objects[i]);
}

static bool is_over(u64 mine)
{
	if (events)
		return mine * threads >= events;
	return ktime_ms_delta(ktime_get(), start) >= seconds * 1000;
}

/* Sleeps for as long as the thread is ahead of its rate. */
static void wait_for(u64 mine)
{
	u64 due = mine * threads * USEC_PER_SEC / rate;
	s64 ahead = due - ktime_us_delta(ktime_get(), start);

	if (ahead > 1000)
		usleep_range(ahead, ahead + 100);
}

static int run(void *unused)
{
	void *objects[BATCH];
	u64 mine = 0;

	wait_for_completion(&go);
	while (!is_over(mine)) {
		batch(objects);
		mine += 2 * BATCH;
		if (rate)
			wait_for(mine);
		cond_resched();
	}
	atomic_long_add(mine, &made);
	if (atomic_dec_and_test(&running))
		complete(&done);
	return 0;
}

static int __init kmt_burst_init(void)
{
	struct task_struct *task;
	int cpu;

	if (!events == !seconds)
		return -EINVAL;
	atomic_set(&running, 1);
	for_each_online_cpu(cpu) {
		task = kthread_create(run, NULL, "kmt_burst/%d", cpu);
		if (IS_ERR(task))
			continue;
		kthread_bind(task, cpu);
		atomic_inc(&running);
		threads++;
		wake_up_process(task);
	}
	start = ktime_get();
	complete_all(&go);
	if (!atomic_dec_and_test(&running))
		wait_for_completion(&done);
	pr_info("%ld %lld\n", atomic_long_read(&made),
		ktime_ms_delta(ktime_get(), start));
	/* wait until the last thread has left the code of the module */
	msleep(100);
	return -EAGAIN;
}
module_init(kmt_burst_init);

MODULE_DESCRIPTION("Allocations on all CPUs, as fast as they can");
MODULE_LICENSE("GPL");
