// SPDX-License-Identifier: GPL-2.0-only
/* A probe of the tracepoint kmemtrace_overrun that allocates memory. */
#include <linux/module.h>
#include <linux/slab.h>
#include <trace/events/kmemtrace.h>

static unsigned long calls; /* CPUs may count at the same time */
module_param(calls, ulong, 0444);

static void on_overrun(void *data, size_t size, u64 lost_events, u64 lost_bytes)
{
	WRITE_ONCE(calls, calls + 1);
	kfree(kmalloc(100, GFP_NOWAIT | __GFP_NOWARN));
}

static int __init overrun_init(void)
{
	return register_trace_kmemtrace_overrun(on_overrun, NULL);
}
module_init(overrun_init);

static void __exit overrun_exit(void)
{
	unregister_trace_kmemtrace_overrun(on_overrun, NULL);
	tracepoint_synchronize_unregister();
}
module_exit(overrun_exit);

MODULE_DESCRIPTION("allocates when a record is lost, for tests");
MODULE_LICENSE("GPL");
