// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events that lines_plugin.c counts.
 *
 *   insmod kmt_lines.ko [rounds=N]
 *
 * A thread on each CPU allocates OBJECTS objects and frees them, N times. The threads take
 * turns after each event, so that a line that several CPUs write was last written by
 * another one. There is a row for each kind of object, for its allocations and its frees;
 * with several CPUs, also ("remote") for frees of the objects of another CPU. Events of the
 * kind "nothing" do nothing. Prints the names of the rows in their order.
 *
 *   insmod kmt_lines.ko begin=ADDRESS end=ADDRESS
 *   insmod kmt_lines.ko print=1
 *
 * These begin and end a row of times. The addresses are those of the code whose times with
 * interrupts disabled count.
 *
 * Loading always fails, so that the module can be loaded again immediately.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "lines.h"
#include "objects.h"

#define OBJECTS 32
#define WARM_UP 4

static unsigned int rounds = 32;
module_param(rounds, uint, 0);
MODULE_PARM_DESC(rounds, "number of times that each thread allocates and frees");

static ulong begin, end;
module_param(begin, ulong, 0);
module_param(end, ulong, 0);
static bool print;
module_param(print, bool, 0);

/* nopl LINES_MAGIC + n(%rax) */
#define MARK(n)                                                                \
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0"                       \
		     :                                                         \
		     : "i"(LINES_MAGIC + (n))                                  \
		     : "memory")

/* The same, and a load from @p. */
#define MARK_AND_TELL(n, p)                                                    \
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0; movb (%1), %%al"      \
		     :                                                         \
		     : "i"(LINES_MAGIC + (n)), "r"(p)                          \
		     : "al", "memory")

struct kind {
	const char *name;
	void *(*alloc)(void);
	void (*release)(void *p);
};

static void *(*objects)[OBJECTS]; /* of each thread */
static u8 byte_of[NR_CPUS]; /* for the markers */
static unsigned int threads, shift;
static const struct kind *kind;
static bool frees; /* count frees, and not allocations */
static unsigned int turn ____cacheline_aligned_in_smp; /* all threads write it */
static atomic_t running ____cacheline_aligned_in_smp;
static DECLARE_COMPLETION(done);

static void *no_alloc(void)
{
	return NULL;
}

static void no_release(void *p)
{
}

static const struct kind kinds[] = {
	{ "nothing", no_alloc, no_release },
	{ "kmalloc_64", kmalloc_64, kfree_64 },
	{ "kmem_cache", cache_alloc, cache_free },
	{ "page", page_alloc, page_free },
};

/* --- turns ------------------------------------------------------------------------- */

/* With one emulating thread, cpu_relax() lets QEMU go on with the next CPU. */
static void wait_for_turn(unsigned int me)
{
	while (smp_load_acquire(&turn) != me)
		cpu_relax();
	MARK_AND_TELL(LINES_TURN, &byte_of[me]);
}

static void next_turn(unsigned int me)
{
	smp_store_release(&turn, me + 1 < threads ? me + 1 : 0);
}

static __always_inline void alloc_event(unsigned int me, int i, bool count)
{
	unsigned long flags;
	void *p;

	wait_for_turn(me);
	local_irq_save(flags);
	if (count)
		MARK(LINES_BEGIN);
	p = kind->alloc();
	if (count)
		MARK(LINES_END);
	local_irq_restore(flags);
	objects[me][i] = p;
	next_turn(me);
}

static __always_inline void free_event(unsigned int me, int i, bool count)
{
	void *p = objects[(me + shift) % threads][i];
	unsigned long flags;

	wait_for_turn(me);
	local_irq_save(flags);
	if (count)
		MARK(LINES_BEGIN);
	kind->release(p);
	if (count)
		MARK(LINES_END);
	local_irq_restore(flags);
	next_turn(me);
}

/* The first rounds do not count: in them, caches and tables get what they keep. */
static int run_thread(void *data)
{
	unsigned int me = (unsigned long)data, round;
	bool count;
	int i;

	for (round = 0; round < WARM_UP + rounds; round++) {
		count = round >= WARM_UP;
		for (i = 0; i < OBJECTS; i++)
			alloc_event(me, i, count && !frees);
		for (i = 0; i < OBJECTS; i++)
			free_event(me, i, count && frees);
	}
	if (atomic_dec_and_test(&running))
		complete(&done);
	return 0;
}

/* --- rows -------------------------------------------------------------------------- */

static int run_row(const struct kind *k, bool of_frees, bool remote)
{
	struct task_struct *task;
	unsigned int me = 0;
	int cpu;

	kind = k;
	frees = of_frees;
	shift = remote;
	turn = 0;
	reinit_completion(&done);
	atomic_set(&running, threads);
	MARK_AND_TELL(LINES_ROW, &byte_of[0]);
	for_each_online_cpu(cpu) {
		task = kthread_create(run_thread, (void *)(unsigned long)me++,
				      "kmt_lines/%d", cpu);
		if (IS_ERR(task))
			return PTR_ERR(task); /* the others wait for their turns forever */
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	wait_for_completion(&done);
	MARK(LINES_PRINT);
	pr_info("%s %s%s\n", k->name, of_frees ? "free" : "alloc",
		remote ? "-remote" : "");
	return 0;
}

static int run_all(void)
{
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(kinds) && !err; i++) {
		err = run_row(&kinds[i], false, false);
		err = err ?: run_row(&kinds[i], true, false);
		if (threads > 1)
			err = err ?: run_row(&kinds[i], true, true);
	}
	msleep(100); /* until the last thread has left the code of this module */
	return err;
}

static void begin_times(void)
{
	/* in registers: the compiler must not load anything after the marker */
	ulong from = begin, to = end;

	asm volatile("" : "+r"(from), "+r"(to));
	MARK_AND_TELL(LINES_TEXT, from);
	asm volatile("movb (%0), %%al" : : "r"(to) : "al", "memory");
}

static int __init kmt_lines_init(void)
{
	int err = -ENOMEM;

	if (begin) {
		begin_times();
		return -EAGAIN;
	}
	if (print) {
		MARK(LINES_PRINT);
		return -EAGAIN;
	}
	cpus_read_lock();
	threads = num_online_cpus();
	cache = kmem_cache_create("kmt_lines", 200, 8, SLAB_TYPESAFE_BY_RCU, NULL);
	objects = kcalloc(threads, sizeof(*objects), GFP_KERNEL);
	if (cache && objects)
		err = run_all();
	cpus_read_unlock();
	kfree(objects);
	kmem_cache_destroy(cache);
	return err ?: -EAGAIN;
}
module_init(kmt_lines_init);

MODULE_DESCRIPTION("Events whose cache lines an emulator counts");
MODULE_LICENSE("GPL");
