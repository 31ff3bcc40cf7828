/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of kmt_event.c: one with an event of event tracing, one without. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmt_event

#if !defined(KMT_EVENT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KMT_EVENT_TRACE_H

#include <linux/tracepoint.h>

/* With this many arguments, some are passed on the stack. */
TRACE_EVENT(kmt_event_fired,
	TP_PROTO(int a, int b, int c, int d, int e, int f, int g, u64 h),
	TP_ARGS(a, b, c, d, e, f, g, h),
	TP_STRUCT__entry(
		__field(u64, sum)
	),
	TP_fast_assign(
		__entry->sum = a + b + c + d + e + f + g + h;
	),
	TP_printk("sum=%llu", __entry->sum)
);

/* Kernels with DECLARE_TRACE_EVENT() add "_tp" to the name (v6.16). */
#ifdef DECLARE_TRACE_EVENT
DECLARE_TRACE(kmt_bare, TP_PROTO(int a), TP_ARGS(a));
#else
DECLARE_TRACE(kmt_bare_tp, TP_PROTO(int a), TP_ARGS(a));
#endif

#endif /* KMT_EVENT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE kmt_event_trace
#include <trace/define_trace.h>
