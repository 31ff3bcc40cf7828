/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that allocates while it is initialised, and again while it is loaded,
 * each time from a function of its own. VISIT() makes the names of functions;
 * two modules that differ only in it have the same size, so that the second gets
 * the first one's addresses.
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

	barrier(); /* no tail call: the call site is to be here */
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

MODULE_DESCRIPTION("Allocates as it comes, frees as it goes");
MODULE_LICENSE("GPL");
