// SPDX-License-Identifier: GPL-2.0-only
/*
 * Empty probes on the slab and page tracepoints: the minimum cost of any tracer.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

static void empty(void *data)
{
}

static const char *const names[] = { "kmalloc", "kfree", "kmem_cache_alloc",
				     "kmem_cache_free", "mm_page_alloc",
				     "mm_page_free" };

static void attach(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(tp->name, names[i]))
			tracepoint_probe_register(tp, empty, NULL);
}

static void detach(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(tp->name, names[i]))
			tracepoint_probe_unregister(tp, empty, NULL);
}

static int __init kmt_empty_init(void)
{
	for_each_kernel_tracepoint(attach, NULL);
	return 0;
}
module_init(kmt_empty_init);

static void __exit kmt_empty_exit(void)
{
	for_each_kernel_tracepoint(detach, NULL);
	tracepoint_synchronize_unregister();
}
module_exit(kmt_empty_exit);

MODULE_DESCRIPTION("Empty probes, to measure what a probe costs");
MODULE_LICENSE("GPL");
