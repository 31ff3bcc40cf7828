/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own tracepoints, for trace-cmd, perf, bpftrace and other modules. They
 * report lost records, snapshots, and the growth of tags.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmemtrace

#if !defined(_TRACE_KMEMTRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_KMEMTRACE_H

#include <linux/tracepoint.h>

/*
 * The module cannot be unloaded while a probe is attached. The kernel does not detach all
 * kinds of probes by itself, and warns about those that are left.
 */
int kmemtrace_hold_module(void);
void kmemtrace_release_module(void);

/*
 * A record was lost. @size: bytes of the record. @lost_events and @lost_bytes: all losses
 * of this CPU since recording was switched on. Events that are lost inside a probe of
 * kmemtrace, or of this tracepoint, are in the numbers of the next one only.
 */
TRACE_EVENT_FN(kmemtrace_overrun,

	TP_PROTO(size_t size, u64 lost_events, u64 lost_bytes),

	TP_ARGS(size, lost_events, lost_bytes),

	TP_STRUCT__entry(
		__field(size_t, size)
		__field(u64, lost_events)
		__field(u64, lost_bytes)
	),

	TP_fast_assign(
		__entry->size = size;
		__entry->lost_events = lost_events;
		__entry->lost_bytes = lost_bytes;
	),

	TP_printk("size=%zu lost_events=%llu lost_bytes=%llu",
		  __entry->size, __entry->lost_events, __entry->lost_bytes),

	kmemtrace_hold_module, kmemtrace_release_module
);

/*
 * A snapshot was taken. @reason: 0 request, 1 trigger, 2 the kernel is out of memory.
 * @sequence: number of the next event.
 */
TRACE_EVENT_FN(kmemtrace_snapshot,

	TP_PROTO(unsigned int reason, u64 sequence),

	TP_ARGS(reason, sequence),

	TP_STRUCT__entry(
		__field(unsigned int, reason)
		__field(u64, sequence)
	),

	TP_fast_assign(
		__entry->reason = reason;
		__entry->sequence = sequence;
	),

	TP_printk("reason=%s sequence=%llu",
		  __print_symbolic(__entry->reason, { 0, "request" },
				   { 1, "trigger" }, { 2, "oom" }),
		  __entry->sequence),

	kmemtrace_hold_module, kmemtrace_release_module
);

/*
 * The live bytes of a tag have passed a power of two, from 1 MiB on, and are higher than
 * ever before. @kind: 0 slab, 1 pages, 2 large kmalloc, 3 per-CPU.
 */
TRACE_EVENT_FN(kmemtrace_tag_growth,

	TP_PROTO(unsigned long call_site, unsigned int kind, u64 live_bytes,
		 u64 live_objects),

	TP_ARGS(call_site, kind, live_bytes, live_objects),

	TP_STRUCT__entry(
		__field(unsigned long, call_site)
		__field(unsigned int, kind)
		__field(u64, live_bytes)
		__field(u64, live_objects)
	),

	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->kind = kind;
		__entry->live_bytes = live_bytes;
		__entry->live_objects = live_objects;
	),

	TP_printk("call_site=%pS kind=%s live_bytes=%llu live_objects=%llu",
		  (void *)__entry->call_site,
		  __print_symbolic(__entry->kind, { 0, "slab" }, { 1, "page" },
				   { 2, "large" }, { 3, "percpu" }),
		  __entry->live_bytes, __entry->live_objects),

	kmemtrace_hold_module, kmemtrace_release_module
);

#endif /* _TRACE_KMEMTRACE_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
