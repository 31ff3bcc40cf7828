// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that allocates on request of a test, in functions whose names the test
 * knows.
 *
 * Write "KIND SIZE COUNT" to debugfs/kmt_client/run. COUNT times, client_KIND_alloc()
 * allocates SIZE bytes (KIND "pages" and "split": 1 << SIZE pages) and
 * client_KIND_free() frees them. KIND is one of those in kinds[], which names the
 * functions, or
 *
 *   null    kfree(NULL)
 *   fail    a kmalloc that must fail
 *   irq     kmalloc and kfree in a hard interrupt
 *   softirq the same in a soft interrupt
 *   deep    the same in a soft interrupt, but at COUNT depths of the stack
 *   irqs, bh, bh2, preempt, preempt2
 *           the same with interrupts, soft interrupts or preemption disabled, once or
 *           twice
 *   storm   every CPU allocates COUNT objects and pages and exchanges them with other
 *           CPUs, so that most are freed on another CPU than they were allocated on
 *
 * "hold KIND SIZE COUNT" only allocates; "drop KIND SIZE" frees everything that is
 * held. Both need the same SIZE. They accept more kinds:
 *
 *   bulk      COUNT objects, 16 by each call of kmem_cache_alloc_bulk(). For drop, SIZE
 *             is the number of objects that one call frees; 0: 16
 *   tail      the same, allocated by a function that ends in a tail call
 *   indirect  the same, through an indirect call of that function
 *   array     COUNT pages, which alloc_pages_bulk() puts into an array. If SIZE is not
 *             0, the last slot of the array is filled before
 *
 * The write returns when the work is done.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define CACHE_SIZE 329
#define SLOTS	   64
#define BULK	   16

static struct kmem_cache *cache;
static struct dentry *dir;

noinline void *client_kmalloc_alloc(size_t size);
noinline void client_kmalloc_free(void *p, size_t size);
noinline void *client_cache_alloc(size_t size);
noinline void client_cache_free(void *p, size_t size);
noinline void client_mixed_free(void *p, size_t size);
noinline void *client_pages_alloc(size_t order);
noinline void client_pages_free(void *p, size_t order);
noinline void client_split_free(void *p, size_t order);
noinline void *client_percpu_alloc(size_t size);
noinline void client_percpu_free(void *p, size_t size);
noinline void *client_rcu_alloc(size_t size);
noinline void client_rcu_free(void *p, size_t size);
noinline void *client_vmalloc_alloc(size_t size);
noinline void *client_kvmalloc_alloc(size_t size);
noinline void client_kvmalloc_free(void *p, size_t size);
noinline void *client_exact_alloc(size_t size);
noinline void client_exact_free(void *p, size_t size);
noinline void *client_krealloc_alloc(size_t size);
noinline void *client_wrapped_alloc(size_t size);
noinline void *client_wrapper(size_t size);
noinline void *client_own_alloc(size_t size);
noinline void client_own_free(void *p, size_t size);
noinline bool client_bulk_alloc(void **p, int n);
noinline bool client_indirect_alloc(void **p, int n);
noinline void client_bulk_free(void **p, int n);
noinline unsigned int client_array_alloc(struct page **pages, unsigned int n);

/* barrier() in these functions: the compiler must not make tail calls */
noinline void *client_kmalloc_alloc(size_t size)
{
	void *p = kmalloc(size, GFP_ATOMIC | __GFP_NOWARN);

	barrier();
	return p;
}

noinline void client_kmalloc_free(void *p, size_t size)
{
	kfree(p);
	barrier();
}

noinline void *client_cache_alloc(size_t size)
{
	void *p = kmem_cache_alloc(cache, GFP_KERNEL);

	barrier();
	return p;
}

noinline void client_cache_free(void *p, size_t size)
{
	kmem_cache_free(cache, p);
	barrier();
}

/* legal: kfree() of a kmem_cache object */
noinline void client_mixed_free(void *p, size_t size)
{
	kfree(p);
	barrier();
}

noinline void *client_pages_alloc(size_t order)
{
	struct page *page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, order);

	barrier();
	return page ? page_address(page) : NULL;
}

noinline void client_pages_free(void *p, size_t order)
{
	__free_pages(virt_to_page(p), order);
	barrier();
}

noinline void client_split_free(void *p, size_t order)
{
	int i;

	split_page(virt_to_page(p), order);
	for (i = 0; i < 1 << order; i++)
		__free_page(virt_to_page(p + i * PAGE_SIZE));
	barrier();
}

noinline void *client_percpu_alloc(size_t size)
{
	void *p = (__force void *)(uintptr_t)__alloc_percpu(size, 8);

	barrier();
	return p;
}

noinline void client_percpu_free(void *p, size_t size)
{
	free_percpu((__force void __percpu *)(uintptr_t)p);
	barrier();
}

struct rcu_object {
	struct rcu_head rcu;
};

noinline void *client_rcu_alloc(size_t size)
{
	void *p = kmalloc(max(size, sizeof(struct rcu_object)), GFP_KERNEL);

	barrier();
	return p;
}

noinline void client_rcu_free(void *p, size_t size)
{
	kfree_rcu((struct rcu_object *)p, rcu);
	barrier();
}

noinline void *client_vmalloc_alloc(size_t size)
{
	void *p = vmalloc(size);

	barrier();
	return p;
}

noinline void *client_kvmalloc_alloc(size_t size)
{
	void *p = kvmalloc(size, GFP_KERNEL);

	barrier();
	return p;
}

noinline void client_kvmalloc_free(void *p, size_t size)
{
	kvfree(p);
	barrier();
}

noinline void *client_exact_alloc(size_t size)
{
	void *p = alloc_pages_exact(size, GFP_KERNEL);

	barrier();
	return p;
}

noinline void client_exact_free(void *p, size_t size)
{
	free_pages_exact(p, size);
	barrier();
}

/* The first krealloc() doubles the size and moves the object; the second does not. */
noinline void *client_krealloc_alloc(size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL), *q;

	q = p ? krealloc(p, size * 2, GFP_KERNEL) : NULL;
	if (!q)
		return p;
	p = krealloc(q, size, GFP_KERNEL);
	barrier();
	return p;
}

/* A test may make this a wrapper for kmemtrace. */
noinline void *client_wrapper(size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL);

	barrier();
	return p;
}

noinline void *client_wrapped_alloc(size_t size)
{
	void *p = client_wrapper(size);

	barrier();
	return p;
}

/* keeps the kernel from merging the cache with another one */
static void construct(void *p)
{
}

/* Each object has a cache of its own: kmt_own_0, kmt_own_1... */
noinline void *client_own_alloc(size_t size)
{
	static unsigned int number;
	char name[32];
	struct kmem_cache *s, **p;

	snprintf(name, sizeof(name), "kmt_own_%u", number++);
	s = kmem_cache_create(name, size, 0, 0, construct);
	p = s ? kmem_cache_alloc(s, GFP_KERNEL) : NULL;
	if (p)
		*p = s;
	else
		kmem_cache_destroy(s);
	return p;
}

/* The next cache usually is at the address of this one, and so is its name. */
noinline void client_own_free(void *p, size_t size)
{
	struct kmem_cache *s = *(struct kmem_cache **)p;

	kmem_cache_free(s, p);
	kmem_cache_destroy(s);
	barrier();
}

static const struct {
	const char *name;
	void *(*alloc)(size_t size);
	void (*release)(void *p, size_t size);
} kinds[] = {
	{ "kmalloc", client_kmalloc_alloc, client_kmalloc_free },
	{ "cache", client_cache_alloc, client_cache_free },
	{ "mixed", client_cache_alloc, client_mixed_free },
	{ "pages", client_pages_alloc, client_pages_free },
	{ "split", client_pages_alloc, client_split_free },
	{ "percpu", client_percpu_alloc, client_percpu_free },
	{ "rcu", client_rcu_alloc, client_rcu_free },
	{ "vmalloc", client_vmalloc_alloc, client_kvmalloc_free },
	{ "kvmalloc", client_kvmalloc_alloc, client_kvmalloc_free },
	{ "exact", client_exact_alloc, client_exact_free },
	{ "krealloc", client_krealloc_alloc, client_kmalloc_free },
	{ "wrapped", client_wrapped_alloc, client_kmalloc_free },
	{ "own", client_own_alloc, client_own_free },
};

static int run_kind(const char *kind, size_t size, unsigned int count)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].name))
			continue;
		while (count--) {
			void *p = kinds[i].alloc(size);

			if (!p)
				return -ENOMEM;
			kinds[i].release(p, size);
		}
		return 0;
	}
	return -EINVAL;
}

/* --- hold and drop --------------------------------------------------------- */

static void **held;
static unsigned int held_count;

/* Allocates all or none. Only older kernels return the number, so return a bool. */
noinline bool client_bulk_alloc(void **p, int n)
{
	bool success = kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, p);

	barrier();
	return success;
}

/* int, or bool on newer kernels, where kmem_cache_alloc_bulk() is a macro */
#ifdef kmem_cache_alloc_bulk
typedef typeof(kmem_cache_alloc_bulk_noprof(NULL, 0, 0, NULL)) bulk_result;
#else
typedef typeof(kmem_cache_alloc_bulk(NULL, 0, 0, NULL)) bulk_result;
#endif

bulk_result client_tail_alloc(void **p, int n);

/* With the same type of result, the compiler makes a tail call here: a jump. */
noinline bulk_result client_tail_alloc(void **p, int n)
{
	return kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, p);
}

static bulk_result (*volatile tail_alloc)(void **p, int n) = client_tail_alloc;

/* With retpolines, this calls a thunk. kmemtrace must not take it for a tail call. */
noinline bool client_indirect_alloc(void **p, int n)
{
	bool success = tail_alloc(p, n);

	barrier();
	return success;
}

noinline void client_bulk_free(void **p, int n)
{
	kmem_cache_free_bulk(cache, n, p);
	barrier();
}

static bool bulk_alloc(const char *kind, void **p, int n)
{
	if (!strcmp(kind, "tail"))
		return client_tail_alloc(p, n);
	if (!strcmp(kind, "indirect"))
		return client_indirect_alloc(p, n);
	return client_bulk_alloc(p, n);
}

static int hold_bulk(const char *kind, unsigned int count)
{
	while (held_count < count) {
		int n = min(BULK, count - held_count);

		if (!bulk_alloc(kind, held + held_count, n))
			return -ENOMEM;
		held_count += n;
		cond_resched();
	}
	return 0;
}

/* its name before Linux 6.14 */
#ifndef alloc_pages_bulk
#define alloc_pages_bulk alloc_pages_bulk_array
#endif

/* Return: number of slots of the array that are filled. */
noinline unsigned int client_array_alloc(struct page **pages, unsigned int n)
{
	unsigned int filled = alloc_pages_bulk(GFP_KERNEL, n, pages);

	barrier();
	return filled;
}

/* One call may allocate fewer pages than requested. */
static int hold_array(unsigned int count, bool last_is_there)
{
	unsigned int filled = 0, before;

	held_count = count;
	if (last_is_there)
		held[count - 1] = alloc_page(GFP_KERNEL);
	while (filled < count) {
		before = filled;
		filled = client_array_alloc((struct page **)held, count);
		if (filled <= before)
			return -ENOMEM;
	}
	return 0;
}

static void drop_array(void)
{
	for (; held_count; cond_resched()) {
		struct page *page = held[--held_count];

		if (page)
			__free_page(page);
	}
}

static bool is_bulk(const char *kind)
{
	return !strcmp(kind, "bulk") || !strcmp(kind, "tail") ||
	       !strcmp(kind, "indirect");
}

static int hold(const char *kind, size_t size, unsigned int count)
{
	int i;

	if (held)
		return -EBUSY;
	held = vzalloc(array_size(count, sizeof(*held)));
	if (!held)
		return -ENOMEM;
	if (is_bulk(kind))
		return hold_bulk(kind, count);
	if (!strcmp(kind, "array") && count)
		return hold_array(count, size);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].name))
			continue;
		for (; held_count < count; held_count++) {
			held[held_count] = kinds[i].alloc(size);
			if (!held[held_count])
				return -ENOMEM;
			cond_resched();
		}
		return 0;
	}
	return -EINVAL;
}

static int drop(const char *kind, size_t size)
{
	int i, n, err = -EINVAL;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].name))
			continue;
		for (; held_count; cond_resched())
			kinds[i].release(held[--held_count], size);
		err = 0;
	}
	while (is_bulk(kind) && held_count) {
		n = min_t(size_t, size ? size : BULK, held_count);
		held_count -= n;
		client_bulk_free(held + held_count, n);
		err = 0;
	}
	if (!strcmp(kind, "array")) {
		drop_array();
		err = 0;
	}
	if (!held_count) {
		vfree(held);
		held = NULL;
	}
	return err;
}

/* --- interrupts ------------------------------------------------------------ */

static size_t irq_size;
static unsigned int irq_count;
static bool irq_deep;
static DECLARE_COMPLETION(irq_done);

/* The stacks of the calls cross the ends of pages somewhere. */
static noinline void at_each_depth(unsigned int depths)
{
	char room[128];

	client_kmalloc_free(client_kmalloc_alloc(irq_size), irq_size);
	if (depths > 1)
		at_each_depth(depths - 1);
	barrier_data(room); /* no tail call: the room is needed until here */
}

static void in_interrupt_context(void)
{
	unsigned int i;

	if (irq_deep)
		at_each_depth(irq_count);
	for (i = 0; !irq_deep && i < irq_count; i++)
		client_kmalloc_free(client_kmalloc_alloc(irq_size), irq_size);
	complete(&irq_done);
}

static void hard(struct irq_work *work)
{
	in_interrupt_context();
}

static void soft(struct tasklet_struct *t)
{
	in_interrupt_context();
}

static DEFINE_IRQ_WORK(hard_work, hard);
static DECLARE_TASKLET(soft_work, soft);

static int run_interrupt(const char *kind, size_t size, unsigned int count)
{
	irq_size = size;
	irq_count = count;
	irq_deep = !strcmp(kind, "deep");
	reinit_completion(&irq_done);
	if (!strcmp(kind, "irq")) {
		irq_work_queue(&hard_work);
	} else {
		/* it then runs here, on the stack for interrupts, and not in a thread */
		local_bh_disable();
		tasklet_schedule(&soft_work);
		local_bh_enable();
	}
	wait_for_completion(&irq_done);
	return 0;
}

/* --- sections ---------------------------------------------------------------- */

static void enter(const char *section, unsigned long *flags)
{
	if (!strcmp(section, "irqs"))
		local_irq_save(*flags);
	else if (section[0] == 'b')
		local_bh_disable();
	else
		preempt_disable();
}

static void leave(const char *section, unsigned long flags)
{
	if (!strcmp(section, "irqs"))
		local_irq_restore(flags);
	else if (section[0] == 'b')
		local_bh_enable();
	else
		preempt_enable();
}

/* @section: "irqs", "bh" or "preempt", with a 2 for two of them, one in the other */
static int run_section(const char *section, size_t size, unsigned int count)
{
	bool twice = strchr(section, '2');
	unsigned long flags, inner;

	enter(section, &flags);
	if (twice)
		enter(section, &inner);
	while (count--)
		client_kmalloc_free(client_kmalloc_alloc(size), size);
	if (twice)
		leave(section, inner);
	leave(section, flags);
	return 0;
}

/* --- storm ------------------------------------------------------------------- */

/* Objects that any thread may take and free; bit 0 is set for a page. */
static atomic_long_t slots[SLOTS];
static unsigned int storm_count;
static DECLARE_COMPLETION(storm_done); /* one for each thread */

static void storm_free(long object)
{
	void *p = (void *)(object & ~1L);

	if (!p)
		return;
	if (object & 1)
		client_pages_free(p, 0);
	else
		client_kmalloc_free(p, 0);
}

static int storm(void *arg)
{
	unsigned int i, seed = (long)arg * 7919 + 1;

	for (i = 0; i < storm_count; i++) {
		bool page;
		void *p;

		seed = seed * 1103515245 + 12345;
		page = (seed >> 16) % 8 == 0;
		p = page ? client_pages_alloc(0) :
			   client_kmalloc_alloc(16 + (seed >> 20) % 500);
		if (!p)
			continue;
		storm_free(atomic_long_xchg(&slots[(seed >> 8) % SLOTS],
					    (long)p | page));
		if (i % 256 == 0)
			cond_resched();
	}
	/* do not return: the module may be unloaded before this function ends */
	kthread_complete_and_exit(&storm_done, 0);
}

static int run_storm(unsigned int count)
{
	unsigned int cpu, n = 0;

	storm_count = count;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct task_struct *t = kthread_create_on_node(
			storm, (void *)(long)cpu, cpu_to_node(cpu),
			"kmt_storm/%u", cpu);

		if (IS_ERR(t))
			continue;
		kthread_bind(t, cpu);
		wake_up_process(t);
		n++;
	}
	cpus_read_unlock();
	while (n--)
		wait_for_completion(&storm_done);
	for (n = 0; n < SLOTS; n++)
		storm_free(atomic_long_xchg(&slots[n], 0));
	return 0;
}

/* --- the file ------------------------------------------------------------------- */

static int run_command(const char *kind, size_t size, unsigned int count)
{
	unsigned int i;

	if (!strcmp(kind, "null")) {
		for (i = 0; i < count; i++)
			client_kmalloc_free(NULL, 0);
		return 0;
	}
	if (!strcmp(kind, "fail")) {
		for (i = 0; i < count; i++)
			if (client_kmalloc_alloc(64 << 20))
				return -EEXIST;
		return 0;
	}
	if (!strcmp(kind, "irq") || !strcmp(kind, "softirq") ||
	    !strcmp(kind, "deep"))
		return run_interrupt(kind, size, count);
	if (!strcmp(kind, "irqs") || !strncmp(kind, "bh", 2) ||
	    !strncmp(kind, "preempt", 7))
		return run_section(kind, size, count);
	if (!strcmp(kind, "storm"))
		return run_storm(count);
	return run_kind(kind, size, count);
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t len, loff_t *ppos)
{
	char text[64], kind[16];
	unsigned int count;
	unsigned long size;
	int err;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	if (sscanf(text, "hold %15s %lu %u", kind, &size, &count) == 3)
		err = hold(kind, size, count);
	else if (sscanf(text, "drop %15s %lu", kind, &size) == 2)
		err = drop(kind, size);
	else if (sscanf(text, "%15s %lu %u", kind, &size, &count) == 3)
		err = run_command(kind, size, count);
	else
		return -EINVAL;
	return err ? err : len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int __init kmt_client_init(void)
{
	cache = kmem_cache_create("kmt_client", CACHE_SIZE, 0,
				  SLAB_TYPESAFE_BY_RCU, NULL);
	if (!cache)
		return -ENOMEM;
	dir = debugfs_create_dir("kmt_client", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	return 0;
}
module_init(kmt_client_init);

static void __exit kmt_client_exit(void)
{
	debugfs_remove(dir);
	irq_work_sync(&hard_work);
	tasklet_kill(&soft_work);
	rcu_barrier();
	kmem_cache_destroy(cache);
}
module_exit(kmt_client_exit);

MODULE_DESCRIPTION("Allocates on request, for tests of kmemtrace");
MODULE_LICENSE("GPL");
