/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that allocates when it is loaded: in its init function, and in a function
 * that stays after initialisation. VISIT() makes the names of the functions. Two modules
 * that differ only in VISIT() have the same size, so that the second one is loaded at
 * the addresses of the first one.
 */
#include <linux/module.h>
#include <linux/slab.h>

#define VISIT_OBJECTS 50

static unsigned int bytes = 700;
module_param(bytes, uint, 0444);
MODULE_PARM_DESC(bytes, "size of each object");

static void *objects[2 * VISIT_OBJECTS];

noinline void *VISIT(core)(size_t size);
noinline void *VISIT(core)(size_t size)
{
	void *object = kmalloc(size, GFP_KERNEL);

	barrier(); /* no tail call: the call site must be in this function */
	return object;
}

static int __init VISIT(init)(void)
{
	int i;

	for (i = 0; i < VISIT_OBJECTS; i++) {
		objects[2 * i] = VISIT(core)(bytes);
		objects[2 * i + 1] = kmalloc(bytes, GFP_KERNEL);
	}
	return 0;
}

static void __exit VISIT(exit)(void)
{
	int i;

	for (i = 0; i < 2 * VISIT_OBJECTS; i++)
		kfree(objects[i]);
}

MODULE_DESCRIPTION("Allocates when loaded, frees when unloaded");
MODULE_LICENSE("GPL");
