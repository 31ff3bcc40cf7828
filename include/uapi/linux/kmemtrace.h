/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * kmemtrace: the record ABI
 * =========================
 *
 * Each file debugfs/kmemtrace/cpu<n> is a stream of records, packed, in the
 * byte order of the machine. A record starts with struct kmemtrace_event. An
 * allocation (KMEMTRACE_EVENT_ALLOC) goes on with struct
 * kmemtrace_stats_alloc. Whatever follows, up to event_size, is a row of
 * features, each of them a struct kmemtrace_feature and its data.
 *
 * Reading
 * -------
 * A record that is unknown by event id or type id is skipped by its
 * event_size; so is a feature of unknown id, by its size; so are bytes past
 * the part of a feature that is known. A reader states what it skipped.
 *
 * seq_num comes from one counter for the whole machine and is taken before
 * room for the record is looked for. Hence, over all CPUs together:
 *
 *   - the free of an object is numbered before the next allocation of the
 *     same address, whatever CPUs the two happened on;
 *   - within one cpu<n> the numbers only grow;
 *   - a number that is missing is one record that was lost, no more, no less.
 *
 * The counter wraps. Compare two numbers by the sign of their 32-bit
 * difference.
 *
 * Versions
 * --------
 * 1: the ABI of 2008: both event ids, types KMALLOC, CACHE and PAGES, no
 *    feature.
 * 2: type PERCPU; features TIME, CACHE and PAGE.
 * 3: features TASK, CGROUP and STACK.
 *
 * Every addition, also of a single id, raises KMEMTRACE_ABI_VERSION by one.
 * A stream without features that holds only types of version 1 is, byte for
 * byte, a stream of version 1.
 */
#ifndef _UAPI_LINUX_KMEMTRACE_H
#define _UAPI_LINUX_KMEMTRACE_H

#include <linux/types.h>

#define KMEMTRACE_ABI_VERSION	3

/* event_id */
#define KMEMTRACE_EVENT_ALLOC	0	/* memory was allocated */
#define KMEMTRACE_EVENT_FREE	1	/* memory is about to be freed */

/* type_id */
#define KMEMTRACE_TYPE_KMALLOC	0	/* kmalloc(), kfree() */
#define KMEMTRACE_TYPE_CACHE	1	/* kmem_cache_alloc(), kmem_cache_free() */
#define KMEMTRACE_TYPE_PAGES	2	/* alloc_pages(), __free_pages() */
#define KMEMTRACE_TYPE_PERCPU	3	/* alloc_percpu(), free_percpu() */

/**
 * struct kmemtrace_event - what every record starts with
 * @event_id: KMEMTRACE_EVENT_*
 * @type_id: KMEMTRACE_TYPE_*; which interface was called. It says nothing of
 *	where the memory came from: kfree() of a kmem_cache object is legal, so
 *	match a free to its allocation by @ptr alone
 * @event_size: bytes in the whole record, features included
 * @seq_num: place in the order of all events of the machine; wraps
 * @call_site: address of the code that called the allocator; 0 is unknown
 * @ptr: the memory. PAGES: where the first page lies in the kernel's direct
 *	map. PERCPU: the per-CPU pointer. NULL in an allocation that failed; a
 *	free of NULL is not recorded
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
 * @bytes_req: bytes asked for, never 0. PERCPU: for all CPUs together
 * @bytes_alloc: bytes used up, at least @bytes_req
 * @gfp_flags: as the running kernel numbers them; the numbers change between
 *	kernels, debugfs/kmemtrace/gfp_flags names them
 * @numa_node: node that was asked for, -1 for none. (The text of 2008 calls
 *	this "target CPU" and says that it is valid for event id 1, which has
 *	no such field. This is what the code always wrote.)
 */
struct kmemtrace_stats_alloc {
	__u64	bytes_req;
	__u64	bytes_alloc;
	__u32	gfp_flags;
	__s32	numa_node;
} __attribute__((packed));

/**
 * struct kmemtrace_feature - what every feature starts with
 * @size: bytes in the feature, these three included
 * @id: KMEMTRACE_FEATURE_*
 */
struct kmemtrace_feature {
	__u16	size;
	__u8	id;
} __attribute__((packed));

/* feature id; features stand in the order of their ids */
#define KMEMTRACE_FEATURE_TIME	1	/* struct kmemtrace_feature_time */
#define KMEMTRACE_FEATURE_CACHE	2	/* struct kmemtrace_feature_cache */
#define KMEMTRACE_FEATURE_PAGE	3	/* struct kmemtrace_feature_page */
#define KMEMTRACE_FEATURE_TASK	4	/* struct kmemtrace_feature_task */
#define KMEMTRACE_FEATURE_CGROUP 5	/* struct kmemtrace_feature_cgroup */
#define KMEMTRACE_FEATURE_STACK	6	/* struct kmemtrace_feature_stack */

/**
 * struct kmemtrace_feature_time - when; on every record
 * @head: size 11, id KMEMTRACE_FEATURE_TIME
 * @ns: nanoseconds on the clock of the kernel log. Each CPU's own, so that it
 *	may disagree between CPUs; seq_num is what orders
 */
struct kmemtrace_feature_time {
	struct kmemtrace_feature head;
	__u64	ns;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_cache - which cache; on records of type CACHE
 * @head: size 5, id KMEMTRACE_FEATURE_CACHE
 * @cache: number of the cache in debugfs/kmemtrace/caches; 0 is unknown
 */
struct kmemtrace_feature_cache {
	struct kmemtrace_feature head;
	__u16	cache;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_page - which block of pages; on type PAGES
 * @head: size 5, id KMEMTRACE_FEATURE_PAGE
 * @order: the block holds 1 << order pages. Blocks are split: a free need
 *	not have the order of the allocation
 * @migratetype: as the kernel numbers them; -1 on a free
 */
struct kmemtrace_feature_page {
	struct kmemtrace_feature head;
	__u8	order;
	__s8	migratetype;
} __attribute__((packed));

/* context, with the values of event tracing's common_flags */
#define KMEMTRACE_CONTEXT_IRQS_OFF	0x01	/* interrupts were off */
#define KMEMTRACE_CONTEXT_NEED_RESCHED	0x04	/* about to be scheduled */
#define KMEMTRACE_CONTEXT_HARDIRQ	0x08	/* in an interrupt */
#define KMEMTRACE_CONTEXT_SOFTIRQ	0x10	/* in a softirq */
#define KMEMTRACE_CONTEXT_NMI		0x40	/* in an NMI */
#define KMEMTRACE_CONTEXT_BH_OFF	0x80	/* softirqs were off */

/**
 * struct kmemtrace_feature_task - in which thread; on every record
 * @head: size 29, id KMEMTRACE_FEATURE_TASK
 * @pid: of the thread; of the one that was interrupted, if @context says so
 * @tgid: of its process
 * @context: mask of KMEMTRACE_CONTEXT_*
 * @preempt_count: how deep preemption was disabled, at most 15
 * @comm: its name, padded with zeroes, ended by one
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
 * struct kmemtrace_feature_cgroup - in which cgroup; on every record
 * @head: size 11, id KMEMTRACE_FEATURE_CGROUP
 * @cgroup: number of the thread's cgroup in the unified hierarchy: the inode
 *	number of its directory
 */
struct kmemtrace_feature_cgroup {
	struct kmemtrace_feature head;
	__u64	cgroup;
} __attribute__((packed));

/**
 * struct kmemtrace_feature_stack - how the call came about; on every record,
 * or on those that a stacktrace trigger hit
 * @head: size 3 + 8 * depth, id KMEMTRACE_FEATURE_STACK
 * @caller: return addresses, the innermost first
 */
struct kmemtrace_feature_stack {
	struct kmemtrace_feature head;
	__u64	caller[];
} __attribute__((packed));

#endif /* _UAPI_LINUX_KMEMTRACE_H */
