// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own tracepoints. Each call is behind trace_..._enabled(), which is a
 * no-op while no probe is attached.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include <trace/events/kmemtrace.h>

int kmemtrace_hold_module(void)
{
	return try_module_get(THIS_MODULE) ? 0 : -ENODEV;
}

void kmemtrace_release_module(void)
{
	module_put(THIS_MODULE);
}

EXPORT_TRACEPOINT_SYMBOL_GPL(kmemtrace_overrun);
EXPORT_TRACEPOINT_SYMBOL_GPL(kmemtrace_snapshot);
EXPORT_TRACEPOINT_SYMBOL_GPL(kmemtrace_tag_growth);
