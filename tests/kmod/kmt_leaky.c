// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module without code tags. When it is loaded, it allocates 10 objects of @size bytes
 * in leaky_alloc(), and 5 in its init function. When it is unloaded, it frees them: with
 * rcu=1 by kfree_rcu(), with leak=1 not at all.
 */
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#define OBJECTS 15

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "free nothing when unloaded");

static bool rcu;
module_param(rcu, bool, 0444);
MODULE_PARM_DESC(rcu, "free by kfree_rcu() when unloaded");

static unsigned int size = 300;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "bytes of an object");

static void *objects[OBJECTS];

struct rcu_object {
	struct rcu_head rcu;
};

noinline void *leaky_alloc(void);
noinline void *leaky_alloc(void)
{
	void *p = kmalloc(size, GFP_KERNEL);

	barrier();
	return p;
}

static int __init kmt_leaky_init(void)
{
	int i;

	for (i = 0; i < 10; i++)
		objects[i] = leaky_alloc();
	for (; i < OBJECTS; i++)
		objects[i] = kmalloc(size, GFP_KERNEL);
	return 0;
}
module_init(kmt_leaky_init);

static void __exit kmt_leaky_exit(void)
{
	int i;

	for (i = 0; i < OBJECTS; i++) {
		if (leak && objects[i])
			kmemleak_ignore(objects[i]); /* on purpose */
		else if (rcu && objects[i])
			kfree_rcu((struct rcu_object *)objects[i], rcu);
		else
			kfree(objects[i]);
	}
}
module_exit(kmt_leaky_exit);

MODULE_DESCRIPTION("Leaves allocations behind, for tests of kmemtrace");
MODULE_LICENSE("GPL");
