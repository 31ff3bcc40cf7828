// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fires tracepoints of its own. Write "WHAT COUNT" to debugfs/kmt_event/fire, with WHAT
 *
 * - event: the event kmt_event:kmt_event_fired;
 * - all: the same on all CPUs, in interrupts, COUNT times on each;
 * - bare: a tracepoint that has no event.
 *
 * The file attached has 1 for each of the two tracepoints that has a probe, else 0.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#define CREATE_TRACE_POINTS
#include "kmt_event_trace.h"

static struct dentry *dir;

static void fire_event(void *count)
{
	unsigned int i;

	for (i = 0; i < *(unsigned int *)count; i++)
		trace_kmt_event_fired(1, 2, 3, 4, 5, 6, 7, i);
}

static ssize_t fire_write(struct file *file, const char __user *from, size_t len,
			  loff_t *ppos)
{
	char text[40], what[8];
	unsigned int count, i;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	if (sscanf(text, "%7s %u", what, &count) != 2)
		return -EINVAL;
	if (!strcmp(what, "event"))
		fire_event(&count);
	else if (!strcmp(what, "all"))
		on_each_cpu(fire_event, &count, 1);
	else if (!strcmp(what, "bare"))
		for (i = 0; i < count; i++)
			trace_kmt_bare_tp(i);
	else
		return -EINVAL;
	return len;
}

static const struct file_operations fire_fops = {
	.owner = THIS_MODULE,
	.write = fire_write,
};

static int attached_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%d %d\n", trace_kmt_event_fired_enabled(),
		   trace_kmt_bare_tp_enabled());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(attached);

static int __init kmt_event_init(void)
{
	dir = debugfs_create_dir("kmt_event", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	debugfs_create_file("attached", 0400, dir, NULL, &attached_fops);
	return 0;
}
module_init(kmt_event_init);

static void __exit kmt_event_exit(void)
{
	debugfs_remove(dir);
}
module_exit(kmt_event_exit);

MODULE_DESCRIPTION("Tracepoints of a module, for tests of kmemtrace");
MODULE_LICENSE("GPL");
