// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with code tags of its own (linux/kmemtrace_tag.h). Write a command
 * to debugfs/kmt_tags/run:
 *
 *   simple N    tags_simple() allocates N objects
 *   nested N    tags_outer() hooks a function that has a hook itself: N objects are for
 *               the inner hook, and N for the outer hook
 *   record      keep the tag of tags_record()
 *   charge N    charge N objects to the tag that was kept
 *   irq N       tags_irq() allocates 2 * N objects in a hard interrupt while a hook of
 *               a task is in effect: N objects with a hook and N without
 *   migrate N   tags_migrate() allocates N objects; its hook stays in effect while the
 *               task sleeps and moves from CPU to CPU
 *   pages N     tags_pages() allocates N pages
 *   cache N     tags_cache() allocates N objects of a new slab cache
 *   unused      tags_unused() allocates one object
 *   free        free everything
 *
 * An object has 200 bytes, in a slab of 256-byte objects.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/kmemtrace_tag.h>

#define SIZE 200

struct object {
	struct object *next;
};

static struct object *objects; /* added with interrupts off */
static struct page *pages;
static struct kmem_cache *cache;
static struct object *cached; /* objects of @cache */
static struct kmt_alloc_tag *kept;
static struct dentry *dir;

noinline struct object *tags_make(gfp_t gfp);
noinline void tags_simple(int n);
noinline struct object *tags_inner(void);
noinline void tags_outer(int n);
noinline void tags_record(void);
noinline void tags_charge(int n);
noinline void tags_migrate(int n);
noinline void tags_pages(int n);
noinline void tags_cache(int n);
noinline void tags_unused(void);

static void keep(struct object *object)
{
	unsigned long flags;

	if (!object)
		return;
	local_irq_save(flags);
	object->next = objects;
	objects = object;
	local_irq_restore(flags);
}

/* If no hook is in effect, the object is charged to this function. */
noinline struct object *tags_make(gfp_t gfp)
{
	struct object *object = kmalloc(SIZE, gfp);

	barrier();
	return object;
}

noinline void tags_simple(int n)
{
	while (n--)
		keep(kmt_alloc_hooks(tags_make(GFP_KERNEL)));
}

noinline struct object *tags_inner(void)
{
	struct object *mine = kmt_alloc_hooks(tags_make(GFP_KERNEL));

	keep(mine);
	return tags_make(GFP_KERNEL); /* charged to the outer hook */
}

noinline void tags_outer(int n)
{
	while (n--)
		keep(kmt_alloc_hooks(tags_inner()));
}

static int record_tag(void)
{
	return !kmt_alloc_tag_record(kept);
}

noinline void tags_record(void)
{
	if (kmt_alloc_hooks(record_tag()))
		pr_err("no tag is in effect\n");
}

noinline void tags_charge(int n)
{
	while (n--)
		keep(kmt_alloc_hooks_tag(kept, tags_make(GFP_KERNEL)));
}

static int irq_count;

static void tags_irq(struct irq_work *work)
{
	while (irq_count) {
		irq_count--;
		keep(kmt_alloc_hooks(tags_make(GFP_ATOMIC)));
		keep(tags_make(GFP_ATOMIC)); /* no hook: not charged to the task's hook */
	}
}

static DEFINE_IRQ_WORK(irq, tags_irq);

static int interrupt_me(int n)
{
	irq_count = n;
	irq_work_queue(&irq);
	irq_work_sync(&irq);
	return 0;
}

noinline void tags_interrupted(int n);
noinline void tags_interrupted(int n)
{
	kmt_alloc_hooks(interrupt_me(n));
}

static struct object *wander(int n)
{
	int cpu = raw_smp_processor_id();

	while (--n > 0) {
		keep(tags_make(GFP_KERNEL));
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		if (n % 16 == 0)
			usleep_range(100, 200);
	}
	set_cpus_allowed_ptr(current, cpu_online_mask);
	return tags_make(GFP_KERNEL);
}

noinline void tags_migrate(int n)
{
	keep(kmt_alloc_hooks(wander(n)));
}

noinline void tags_pages(int n)
{
	while (n--) {
		struct page *page = kmt_alloc_hooks(alloc_page(GFP_KERNEL));

		if (!page)
			return;
		page->private = (unsigned long)pages;
		pages = page;
	}
}

/* A cache with a constructor is not merged with another one. */
static void construct(void *object)
{
	memset(object, 0, SIZE);
}

noinline void tags_cache(int n)
{
	if (!cache)
		cache = kmem_cache_create("kmt_tags", SIZE, 0, 0, construct);
	while (cache && n--) {
		struct object *object =
			kmt_alloc_hooks(kmem_cache_alloc(cache, GFP_KERNEL));

		if (!object)
			return;
		object->next = cached;
		cached = object;
	}
}

static void free_cache(void)
{
	while (cached) {
		struct object *next = cached->next;

		kmem_cache_free(cache, cached);
		cached = next;
	}
	kmem_cache_destroy(cache);
	cache = NULL;
}

/* Its tag is listed although tests never call it. */
noinline void tags_unused(void)
{
	keep(kmt_alloc_hooks(tags_make(GFP_KERNEL)));
}

static void free_all(void)
{
	while (objects) {
		struct object *next = objects->next;

		kfree(objects);
		objects = next;
	}
	while (pages) {
		struct page *next = (struct page *)pages->private;

		__free_page(pages);
		pages = next;
	}
	free_cache();
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t len, loff_t *ppos)
{
	char text[64], what[16];
	int n = 0;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	if (sscanf(text, "%15s %d", what, &n) < 1)
		return -EINVAL;
	if (!strcmp(what, "simple"))
		tags_simple(n);
	else if (!strcmp(what, "nested"))
		tags_outer(n);
	else if (!strcmp(what, "record"))
		tags_record();
	else if (!strcmp(what, "charge"))
		tags_charge(n);
	else if (!strcmp(what, "irq"))
		tags_interrupted(n);
	else if (!strcmp(what, "migrate"))
		tags_migrate(n);
	else if (!strcmp(what, "pages"))
		tags_pages(n);
	else if (!strcmp(what, "cache"))
		tags_cache(n);
	else if (!strcmp(what, "unused"))
		tags_unused();
	else if (!strcmp(what, "free"))
		free_all();
	else
		return -EINVAL;
	return len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static bool leak;
module_param(leak, bool, 0644);
MODULE_PARM_DESC(leak, "free nothing when unloaded");

static int __init kmt_tags_init(void)
{
	dir = debugfs_create_dir("kmt_tags", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	return 0;
}
module_init(kmt_tags_init);

/* Leak on purpose: kmemleak must not report it. */
static void leak_all(void)
{
	struct object *object;

	for (object = objects; object; object = object->next)
		kmemleak_ignore(object);
	free_cache();
}

static void __exit kmt_tags_exit(void)
{
	debugfs_remove(dir);
	irq_work_sync(&irq);
	if (leak)
		leak_all();
	else
		free_all();
}
module_exit(kmt_tags_exit);

MODULE_DESCRIPTION("Client of kmemtrace's code tags, for tests");
MODULE_LICENSE("GPL");
