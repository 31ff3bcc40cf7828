// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fires the tracepoint kmem:kmalloc with artificial arguments, without allocating
 * anything, for tests of filters.
 *
 * Write "fire FIRST COUNT SEED" to debugfs/kmt_fire/run. The module fires the events
 * numbered FIRST to FIRST + COUNT - 1 on the CPU of the writer. kmt_fire.h computes
 * their arguments. debugfs/kmt_fire/sites lists the functions that call sites are in or
 * next to: name, start in hexadecimal, size in bytes.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <trace/events/kmem.h>

#include "kmt_fire.h"

static struct dentry *dir;

noinline void fire_one(unsigned long long seed, unsigned int index);
noinline void fire_many(unsigned long long seed, unsigned int first,
			unsigned int count);

static struct fire_site {
	unsigned long start;
	unsigned long size;
	char name[KSYM_NAME_LEN];
} sites[FIRE_SITES];

noinline void fire_one(unsigned long long seed, unsigned int index)
{
	struct fire_event ev;
	struct fire_site *site;

	fire_make(seed, index, &ev);
	site = &sites[ev.site];
	trace_kmalloc(fire_call_site(&ev, site->start, site->size),
		      (void *)(FIRE_PTR + index * FIRE_PTR_STEP), ev.bytes_req,
		      ev.bytes_alloc, (__force gfp_t)ev.gfp_flags, ev.node);
}

noinline void fire_many(unsigned long long seed, unsigned int first,
			unsigned int count)
{
	for (; count; count--)
		fire_one(seed, first++);
}

static ssize_t run_write(struct file *file, const char __user *from, size_t len,
			 loff_t *ppos)
{
	unsigned long long seed;
	unsigned int first, count;
	char text[80];

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	if (sscanf(text, "fire %u %u %llu", &first, &count, &seed) != 3 ||
	    first > FIRE_MAX || count > FIRE_MAX - first)
		return -EINVAL;
	fire_many(seed, first, count);
	return len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int sites_show(struct seq_file *m, void *v)
{
	int i;

	for (i = 0; i < FIRE_SITES; i++)
		seq_printf(m, "%s %lx %lu\n", sites[i].name, sites[i].start,
			   sites[i].size);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sites);

/* The only exported function that returns sizes prints "NAME+0xOFFSET/0xSIZE". */
static bool __init find_site(struct fire_site *site, void *addr)
{
	static char text[KSYM_SYMBOL_LEN] __initdata;
	char *plus;

	site->start = (unsigned long)addr;
	sprint_symbol(text, site->start);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+0x0/0x%lx", &site->size) != 1)
		return false;
	*plus = '\0';
	strscpy(site->name, text, sizeof(site->name));
	return true;
}

static int __init kmt_fire_init(void)
{
	void *const functions[FIRE_SITES] = {
		schedule, complete, wake_up_process, vfree, fire_one, fire_many,
	};
	int i;

	for (i = 0; i < FIRE_SITES; i++)
		if (!find_site(&sites[i], functions[i]))
			return -ENOENT;
	dir = debugfs_create_dir("kmt_fire", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("sites", 0400, dir, NULL, &sites_fops);
	return 0;
}
module_init(kmt_fire_init);

static void __exit kmt_fire_exit(void)
{
	debugfs_remove(dir);
}
module_exit(kmt_fire_exit);

MODULE_DESCRIPTION("Fires kmem:kmalloc with artificial arguments");
MODULE_LICENSE("GPL");
