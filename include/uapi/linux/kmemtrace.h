/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * kmemtrace: the record ABI
 * =========================
 *
 * Each file debugfs/kmemtrace/cpu<n> is a stream of packed records in the byte order of
 * the machine. A record starts with struct kmemtrace_event. In an allocation
 * (KMEMTRACE_EVENT_ALLOC), struct kmemtrace_stats_alloc follows. The rest, up to
 * event_size, is a list of features. Each feature is a struct kmemtrace_feature and its
 * data. Streams of version 4 also have compact records, see below.
 *
 * Reading
 * -------
 * A reader skips a record with an unknown event id or type id by its event_size, and a
 * feature with an unknown id by its size. It also skips bytes behind the known part of a
 * feature. A reader reports what it has skipped.
 *
 * seq_num comes from one counter for the whole machine. The module takes it before it
 * looks for room for the record. Hence, for all CPUs together:
 *
 *   - the free of an object has a lower number than the next allocation of the same
 *     address, on any CPUs;
 *   - within one cpu<n>, the numbers only increase;
 *   - each missing number is exactly one lost record.
 *
 * The counter wraps. Compare two numbers by the sign of their 32-bit difference.
 *
 * Order by time
 * -------------
 * After "time" was written to debugfs/kmemtrace/order, streams have version 4. Each CPU
 * then has a counter of its own, and each record has a time stamp. Hence:
 *
 *   - the free of an object has a lower or the same stamp as the next allocation of the
 *     same address on another CPU, and no lower one than its own allocation;
 *   - within one cpu<n>, the numbers only increase, and each missing number is exactly one
 *     lost record of this CPU. Numbers of different CPUs have no relation.
 *
 * Within one cpu<n>, order records by number. For the order of all CPUs, a record counts
 * as stamped with the largest stamp of its CPU so far. If two stamps are equal, the free
 * comes first.
 *
 * A record is then a struct kmemtrace_compact, unless a value does not fit: such a record
 * is a struct kmemtrace_event with KMEMTRACE_FEATURE_TIME.
 *
 * Versions
 * --------
 * 1: the ABI of 2008: both event ids, types KMALLOC, CACHE and PAGES, no
 *    feature.
 * 2: type PERCPU; features TIME, CACHE and PAGE.
 * 3: features TASK, CGROUP and STACK.
 * 4: order by time, with compact records.
 *
 * Each addition, even of a single id, raises KMEMTRACE_ABI_VERSION by one. A stream
 * without features that only has types of version 1 is, byte for byte, a stream of
 * version 1. debugfs/kmemtrace/abi_version is the version of the streams: 3 in the order
 * "sequence", 4 in the order "time".
 */
#ifndef _UAPI_LINUX_KMEMTRACE_H
#define _UAPI_LINUX_KMEMTRACE_H

#include <linux/types.h>

#define KMEMTRACE_ABI_VERSION	4
#define KMEMTRACE_ABI_SEQUENCE	3	/* without order by time */

/* event_id */
#define KMEMTRACE_EVENT_ALLOC	0	/* memory was allocated */
#define KMEMTRACE_EVENT_FREE	1	/* memory is about to be freed */
#define KMEMTRACE_EVENT_COMPACT_ALLOC 2	/* the same, as struct kmemtrace_compact */
#define KMEMTRACE_EVENT_COMPACT_FREE 3

/* type_id */
#define KMEMTRACE_TYPE_KMALLOC	0	/* kmalloc(), kfree() */
#define KMEMTRACE_TYPE_CACHE	1	/* kmem_cache_alloc(), kmem_cache_free() */
#define KMEMTRACE_TYPE_PAGES	2	/* alloc_pages(), __free_pages() */
#define KMEMTRACE_TYPE_PERCPU	3	/* alloc_percpu(), free_percpu() */

/**
 * struct kmemtrace_event - the start of each record
 * @event_id: KMEMTRACE_EVENT_*
 * @type_id: KMEMTRACE_TYPE_*: the interface that was called. It does not say how the
 *	memory was allocated: kfree() of a kmem_cache object is legal. So match a free to
 *	its allocation by @ptr alone
 * @event_size: bytes of the whole record, with its features
 * @seq_num: place in the order of all events of the machine; in the order "time": of all
 *	events of the CPU; wraps
 * @call_site: address of the code that called the allocator; 0: unknown
 * @ptr: address of the memory. PAGES: address of the first page in the kernel's direct
 *	map. PERCPU: the per-CPU pointer. NULL if an allocation failed. Frees of NULL are
 *	not recorded
 */
struct kmemtrace_event {
	__u8	event_id;
	__u8	type_id;
	__u16	event_size;
	__s32	seq_num;
	__u64	call_site;
	__u64	ptr;
} __attribute__((packed));

/**
 * struct kmemtrace_stats_alloc - the second part of an allocation
 * @bytes_req: bytes requested, never 0. PERCPU: of all CPUs together
 * @bytes_alloc: bytes allocated, at least @bytes_req
 * @gfp_flags: in the numbers of the running kernel, which differ between kernels.
 *	debugfs/kmemtrace/gfp_flags has their names
 * @numa_node: NUMA node requested; -1: none. (The text of 2008 calls this "target CPU",
 *	and says that it is valid for event id 1, which has no such field. The code has
 *	always written the NUMA node.)
 */
struct kmemtrace_stats_alloc {
	__u64	bytes_req;
	__u64	bytes_alloc;
	__u32	gfp_flags;
	__s32	numa_node;
} __attribute__((packed));

#define KMEMTRACE_CACHE_OFF	0xffff	/* the feature CACHE is off */

/**
 * struct kmemtrace_about - facts about the memory, in a compact record
 * @cache: CACHE: number of the cache in debugfs/kmemtrace/caches; 0: unknown;
 *	KMEMTRACE_CACHE_OFF. Types KMALLOC and PERCPU: 0
 * @order: PAGES: the block has 1 << order pages, as in struct kmemtrace_feature_page
 * @migratetype: PAGES: as in struct kmemtrace_feature_page
 */
union kmemtrace_about {
	__u16	cache;
	struct {
		__u8	order;
		__s8	migratetype;
	};
} __attribute__((packed));

/**
 * struct kmemtrace_compact - the start of a compact record
 * @event_id: KMEMTRACE_EVENT_COMPACT_*
 * @type_id: KMEMTRACE_TYPE_*
 * @event_size: bytes of the whole record, with its features
 * @seq_num: place in the order of all events of the CPU; wraps
 * @time: nanoseconds on the clock of the kernel log: the time stamp
 * @call_site: as in struct kmemtrace_event
 * @ptr: as in struct kmemtrace_event
 *
 * In an allocation, struct kmemtrace_compact_alloc follows. In a free of type CACHE or
 * PAGES, struct kmemtrace_compact_free follows. The rest, up to event_size, is a list of
 * features, without TIME, CACHE and PAGE.
 */
struct kmemtrace_compact {
	__u8	event_id;
	__u8	type_id;
	__u16	event_size;
	__s32	seq_num;
	__u64	time;
	__u64	call_site;
	__u64	ptr;
} __attribute__((packed));

/**
 * struct kmemtrace_compact_alloc - the second part of a compact allocation
 * @bytes_req: as in struct kmemtrace_stats_alloc
 * @bytes_alloc: as in struct kmemtrace_stats_alloc
 * @gfp_flags: as in struct kmemtrace_stats_alloc
 * @numa_node: as in struct kmemtrace_stats_alloc
 * @about: the memory
 */
struct kmemtrace_compact_alloc {
	__u32	bytes_req;
	__u32	bytes_alloc;
	__u32	gfp_flags;
	__s16	numa_node;
	union kmemtrace_about about;
} __attribute__((packed));

/**
 * struct kmemtrace_compact_free - the second part of a compact free
 * @about: the memory
 * @unused: 0
 */
struct kmemtrace_compact_free {
	union kmemtrace_about about;
	__u16	unused[3];
} __attribute__((packed));

/**
 * struct kmemtrace_feature - the start of each feature
 * @size: bytes of the feature, with these three
 * @id: KMEMTRACE_FEATURE_*
 */
struct kmemtrace_feature {
	__u16	size;
	__u8	id;
} __attribute__((packed));

/* feature id; the features of a record are in the order of their ids */
#define KMEMTRACE_FEATURE_TIME	1	/* struct kmemtrace_feature_time */
#define KMEMTRACE_FEATURE_CACHE	2	/* struct kmemtrace_feature_cache */
#define KMEMTRACE_FEATURE_PAGE	3	/* struct kmemtrace_feature_page */
#define KMEMTRACE_FEATURE_TASK	4	/* struct kmemtrace_feature_task */
#define KMEMTRACE_FEATURE_CGROUP 5	/* struct kmemtrace_feature_cgroup */
#define KMEMTRACE_FEATURE_STACK	6	/* struct kmemtrace_feature_stack */

/**
 * struct kmemtrace_feature_time - time of the event; in any record
 * @head: size 11, id KMEMTRACE_FEATURE_TIME
 * @ns: nanoseconds on the clock of the kernel log. The clocks of CPUs may differ, so use
 *	seq_num to order events
 */
struct kmemtrace_feature_time {
	struct kmemtrace_feature head;
	__u64	ns;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_cache - cache of the object; in records of type CACHE
 * @head: size 5, id KMEMTRACE_FEATURE_CACHE
 * @cache: number of the cache in debugfs/kmemtrace/caches; 0: unknown
 */
struct kmemtrace_feature_cache {
	struct kmemtrace_feature head;
	__u16	cache;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_page - block of pages; in records of type PAGES
 * @head: size 5, id KMEMTRACE_FEATURE_PAGE
 * @order: the block has 1 << order pages. A block may be split, so a free may have
 *	another order than the allocation
 * @migratetype: in the numbers of the kernel; -1 in a free
 */
struct kmemtrace_feature_page {
	struct kmemtrace_feature head;
	__u8	order;
	__s8	migratetype;
} __attribute__((packed));

/* context, with the values of event tracing's common_flags */
#define KMEMTRACE_CONTEXT_IRQS_OFF	0x01	/* interrupts were disabled */
#define KMEMTRACE_CONTEXT_NEED_RESCHED	0x04	/* a reschedule was pending */
#define KMEMTRACE_CONTEXT_HARDIRQ	0x08	/* in an interrupt */
#define KMEMTRACE_CONTEXT_SOFTIRQ	0x10	/* in a softirq */
#define KMEMTRACE_CONTEXT_NMI		0x40	/* in an NMI */
#define KMEMTRACE_CONTEXT_BH_OFF	0x80	/* softirqs were disabled */

/**
 * struct kmemtrace_feature_task - thread of the event; in any record
 * @head: size 29, id KMEMTRACE_FEATURE_TASK
 * @pid: the thread; the interrupted thread, if @context has an interrupt
 * @tgid: its process
 * @context: mask of KMEMTRACE_CONTEXT_*
 * @preempt_count: nesting depth of disabled preemption, at most 15
 * @comm: name of the thread, padded with zeroes, ended by a zero
 */
struct kmemtrace_feature_task {
	struct kmemtrace_feature head;
	__s32	pid;
	__s32	tgid;
	__u8	context;
	__u8	preempt_count;
	char	comm[16];
} __attribute__((packed));

/**
 * struct kmemtrace_feature_cgroup - cgroup of the event; in any record
 * @head: size 11, id KMEMTRACE_FEATURE_CGROUP
 * @cgroup: number of the thread's cgroup in the unified hierarchy: the inode number of
 *	its directory
 */
struct kmemtrace_feature_cgroup {
	struct kmemtrace_feature head;
	__u64	cgroup;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_stack - stack trace; in any record, or in records of events
 * that fired a stacktrace trigger
 * @head: size 3 + 8 * depth, id KMEMTRACE_FEATURE_STACK
 * @caller: return addresses, the innermost first
 */
struct kmemtrace_feature_stack {
	struct kmemtrace_feature head;
	__u64	caller[];
} __attribute__((packed));

#endif /* _UAPI_LINUX_KMEMTRACE_H */
