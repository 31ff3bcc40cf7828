// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with a probe on one of kmemtrace's tracepoints: it counts the snapshots
 * of the flight recorder. The count is a parameter that can be read:
 *
 *	cat /sys/module/sample_probe/parameters/snapshots
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <trace/events/kmemtrace.h>

static unsigned int snapshots;
module_param(snapshots, uint, 0444);
MODULE_PARM_DESC(snapshots, "snapshots since the module was loaded");

/*
 * kmemtrace calls this in any context: an allocation may take a snapshot, and the
 * kernel allocates nearly everywhere. It must not sleep, take a lock that
 * others hold while they allocate, or print. No two snapshots are taken at a time.
 */
static void count_snapshot(void *data, unsigned int reason, u64 sequence)
{
	WRITE_ONCE(snapshots, snapshots + 1);
}

static int __init sample_probe_init(void)
{
	return register_trace_kmemtrace_snapshot(count_snapshot, NULL);
}
module_init(sample_probe_init);

static void __exit sample_probe_exit(void)
{
	unregister_trace_kmemtrace_snapshot(count_snapshot, NULL);
	/* a probe may still be running */
	tracepoint_synchronize_unregister();
}
module_exit(sample_probe_exit);

MODULE_DESCRIPTION("Sample: a probe on a tracepoint of kmemtrace");
MODULE_LICENSE("GPL");
