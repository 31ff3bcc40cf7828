// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with defects on purpose, to check that a kernel for debugging reports them.
 * Write the name of a defect to debugfs/kmt_defect.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static struct dentry *file;
static volatile int zero, many; /* the compiler must not know their values */

static void use_after_free(void)
{
	char *p = kmalloc(100, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(p[10], 1);
}

static void shift_too_far(void)
{
	many = 40;
	zero = 1 << many;
}

static void leak(void)
{
	void *p = NULL;
	int i;

	/* kmemleak may find the address of the last object on the stack */
	for (i = 0; i < 10; i++)
		p = kmalloc(333, GFP_KERNEL);
	OPTIMIZER_HIDE_VAR(p);
}

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);
static DEFINE_MUTEX(mutex);

static void lock_in_two_orders(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
	preempt_enable();
}

static void __rcu *rcu_pointer;

static void dereference_outside_rcu(void)
{
	zero = rcu_dereference(rcu_pointer) != NULL;
}

static int raced;
static DECLARE_COMPLETION(raced_enough);

static int count_unguarded(void *unused)
{
	unsigned long end = jiffies + 2 * HZ;

	while (time_before(jiffies, end)) {
		raced++;
		cond_resched();
	}
	complete(&raced_enough);
	return 0;
}

static void race(void)
{
	bool other = !IS_ERR(kthread_run(count_unguarded, NULL, "kmt_defect"));

	count_unguarded(NULL);
	wait_for_completion(&raced_enough);
	if (other)
		wait_for_completion(&raced_enough);
}

static const struct defect {
	const char *name;
	void (*make)(void);
} defects[] = {
	{ "use_after_free", use_after_free },
	{ "shift", shift_too_far },
	{ "leak", leak },
	{ "sleep", sleep_in_atomic },
	{ "rcu", dereference_outside_rcu },
	{ "locks", lock_in_two_orders },
	{ "race", race },
};

static ssize_t write_file(struct file *f, const char __user *from, size_t len,
			  loff_t *ppos)
{
	char text[32];
	size_t i;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[len] = '\0';
	for (i = 0; i < ARRAY_SIZE(defects); i++) {
		if (!sysfs_streq(text, defects[i].name))
			continue;
		defects[i].make();
		return len;
	}
	return -EINVAL;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.write = write_file,
};

static int __init kmt_defect_init(void)
{
	file = debugfs_create_file("kmt_defect", 0200, NULL, NULL, &fops);
	return 0;
}
module_init(kmt_defect_init);

static void __exit kmt_defect_exit(void)
{
	debugfs_remove(file);
}
module_exit(kmt_defect_exit);

MODULE_DESCRIPTION("Defects that a kernel for debugging must notice");
MODULE_LICENSE("GPL");
