// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module whose memory grows in several ways, for tests of leaks. A thread works until
 * the module is unloaded:
 *
 *   grows_get()    allocates for two paths. grows_serve() frees what it gets a moment
 *                  later: 100 MB/s, or what the machine can do, whose amount oscillates.
 *                  grows_lose() loses 1 MB/h, at even distances. With areas=1,
 *                  grows_area() loses areas of vmalloc() instead, as often.
 *   grows_cache()  fills a cache, most of it in the first seconds
 *   grows_rcu()    allocates 2,000 objects in a second, and frees them by kfree_rcu()
 *   grows_hold()   holds 64 MB from the start
 *   grows_swing()  grows and shrinks
 *
 * seed=N chooses sizes and periods. leak=0 loses nothing. At unload, everything is freed.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "chooses sizes and periods");

static bool leak = true;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "lose 1 MB/h");

static bool areas;
module_param(areas, bool, 0444);
MODULE_PARM_DESC(areas, "lose areas of vmalloc()");

#define AREA_SIZE  (5 * PAGE_SIZE)
#define SERVE_SIZE 4096 /* a slab object also with KASAN */
#define SERVE_RATE (100000000 / SERVE_SIZE)
#define SERVE_MAX  4096
#define SERVE_MS   200 /* longest time without other work */
#define LEAK_RATE  (1000000 / 3600) /* bytes in a second */
#define RCU_RATE   2000
#define HOLD	   64
#define SWING_MAX  4000

struct object {
	struct list_head list;
	struct rcu_head rcu;
};

static struct task_struct *worker;
static ktime_t start;
static void *held[HOLD];
static void *served[SERVE_MAX];
static LIST_HEAD(lost);
static LIST_HEAD(cached);
static LIST_HEAD(swinging);

/* what was done so far */
static u64 serves, loses, caches, rcus;
static unsigned int swings;

/* chosen by the seed */
static unsigned int leak_size, cache_size, cache_max, cache_ms, swing_size, swing_ms,
	serve_ms;

noinline void *grows_get(size_t size);
noinline void grows_serve(unsigned int window);
noinline void grows_lose(void);
noinline void grows_area(void);
noinline void grows_cache(void);
noinline void grows_rcu(void);
noinline void grows_hold(void);
noinline void grows_swing(unsigned int wanted);
noinline void grows_put(void *p);

noinline void *grows_get(size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL);

	barrier();
	return p;
}

noinline void grows_put(void *p)
{
	kfree(p);
	barrier();
}

/* Each object is freed when @window others have been allocated after it. */
noinline void grows_serve(unsigned int window)
{
	static unsigned int first, count;

	if (count < SERVE_MAX) {
		served[(first + count) % SERVE_MAX] = grows_get(SERVE_SIZE);
		count++;
	}
	while (count > window) {
		grows_put(served[first]);
		served[first] = NULL;
		first = (first + 1) % SERVE_MAX;
		count--;
	}
	barrier();
}

static void keep(struct object *o, struct list_head *list)
{
	if (o)
		list_add_tail(&o->list, list);
}

noinline void grows_lose(void)
{
	keep(grows_get(leak_size), &lost);
	barrier();
}

noinline void grows_area(void)
{
	keep(vmalloc(AREA_SIZE), &lost);
	barrier();
}

noinline void grows_cache(void)
{
	keep(kmalloc(cache_size, GFP_KERNEL), &cached);
	barrier();
}

noinline void grows_rcu(void)
{
	struct object *o = kmalloc(128, GFP_KERNEL);

	if (o)
		kfree_rcu(o, rcu);
	barrier();
}

noinline void grows_hold(void)
{
	int i;

	for (i = 0; i < HOLD; i++)
		held[i] = kmalloc(1000000, GFP_KERNEL);
	barrier();
}

static void drop_last(struct list_head *list)
{
	struct object *o = list_last_entry(list, struct object, list);

	list_del(&o->list);
	kvfree(o);
}

noinline void grows_swing(unsigned int wanted)
{
	for (; swings < wanted; swings++)
		keep(kmalloc(swing_size, GFP_KERNEL), &swinging);
	for (; swings > wanted && !list_empty(&swinging); swings--)
		drop_last(&swinging);
	barrier();
}

/* 0 to @max and back again in @period */
static u64 triangle(u64 ms, u64 period, u64 max)
{
	u64 at = ms % period * 2;

	return (at < period ? at : 2 * period - at) * max / period;
}

static u64 elapsed_ms(void)
{
	return ktime_ms_delta(ktime_get(), start);
}

/* The other work of a pass takes seconds on a slow kernel. So each step of it calls this. */
static void lose(void)
{
	for (; leak && loses < elapsed_ms() * LEAK_RATE / 1000; loses += leak_size) {
		if (areas)
			grows_area();
		else
			grows_lose();
	}
}

/*
 * A guest that cannot serve so much serves what it can: otherwise it would do nothing else,
 * and lose nothing. It then has fewer objects at a time, so that each lives for a second at
 * most: long-lived objects would be a leak.
 */
static void serve(u64 ms)
{
	static u64 last_ms, most = SERVE_MAX;
	u64 wanted = ms * SERVE_RATE / 1000, done = 0;

	for (; serves < wanted; serves++, done++) {
		grows_serve(min(200 + triangle(ms, serve_ms, SERVE_MAX - 300), most));
		cond_resched();
		lose();
		if (elapsed_ms() > ms + SERVE_MS)
			serves = wanted - 1;
	}
	if (ms > last_ms)
		most = done * 1000 / (ms - last_ms);
	last_ms = ms;
}

static void work(u64 ms)
{
	u64 fill = ms / cache_ms;

	serve(ms);
	/* each cache_ms, half of what is missing */
	for (; fill < 20 && caches < cache_max - (cache_max >> fill); caches++) {
		grows_cache();
		lose();
	}
	for (; rcus < ms * RCU_RATE / 1000; rcus++) {
		grows_rcu();
		lose();
	}
	grows_swing(triangle(ms, swing_ms, SWING_MAX));
}

static int run(void *arg)
{
	start = ktime_get();
	while (!kthread_should_stop()) {
		work(elapsed_ms());
		lose();
		msleep(20);
	}
	return 0;
}

/* Constants of a usual generator of random numbers. */
static unsigned int choose(unsigned int low, unsigned int high)
{
	seed = seed * 1664525 + 1013904223;
	return low + (seed >> 8) % (high - low + 1);
}

static int __init kmt_grows_init(void)
{
	choose(0, 1);
	leak_size = 64 << choose(0, 3);
	cache_size = 64 << choose(0, 5);
	cache_max = choose(500, 8000);
	cache_ms = choose(500, 4000);
	swing_size = 64 << choose(0, 5);
	swing_ms = choose(3000, 20000);
	serve_ms = choose(2000, 15000);
	grows_hold();
	worker = kthread_run(run, NULL, "kmt_grows");
	return PTR_ERR_OR_ZERO(worker);
}
module_init(kmt_grows_init);

static void __exit kmt_grows_exit(void)
{
	int i;

	kthread_stop(worker);
	for (i = 0; i < HOLD; i++)
		kfree(held[i]);
	for (i = 0; i < SERVE_MAX; i++)
		kfree(served[i]);
	while (!list_empty(&lost))
		drop_last(&lost);
	while (!list_empty(&cached))
		drop_last(&cached);
	while (!list_empty(&swinging))
		drop_last(&swinging);
}
module_exit(kmt_grows_exit);

MODULE_DESCRIPTION("Memory that grows in several ways, for tests of kmemtrace");
MODULE_LICENSE("GPL");
