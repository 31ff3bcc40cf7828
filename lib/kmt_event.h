/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One allocation or free, decoded: what a probe fills in, what is encoded
 * into a record, what the reader gets back out of it. struct kmt_event is what
 * nearly every record has, and is made on the hot path; the rest is in struct
 * kmt_extra.
 */
#ifndef KMT_EVENT_H
#define KMT_EVENT_H

#include "kmt_env.h"
#include <linux/kmemtrace.h>

/* Masks of features, as in kmt_event.features: one bit for each id. */
#define KMT_FEATURE_BIT(id)	(1u << (id))
#define KMT_FEATURE_TIME	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_TIME)
#define KMT_FEATURE_CACHE	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_CACHE)
#define KMT_FEATURE_PAGE	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_PAGE)
#define KMT_FEATURE_TASK	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_TASK)
#define KMT_FEATURE_CGROUP	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_CGROUP)
#define KMT_FEATURE_STACK	KMT_FEATURE_BIT(KMEMTRACE_FEATURE_STACK)
/* those that struct kmt_extra holds */
#define KMT_FEATURES_EXTRA                                                     \
	(KMT_FEATURE_TASK | KMT_FEATURE_CGROUP | KMT_FEATURE_STACK)
#define KMT_FEATURES_ALL                                                       \
	(KMT_FEATURE_TIME | KMT_FEATURE_CACHE | KMT_FEATURE_PAGE |             \
	 KMT_FEATURES_EXTRA)

/*
 * Groups of fields that are known together, or not: a feature is a group, with
 * the same bit; these are the others.
 */
#define KMT_GROUP_ALLOC		(1u << 16) /* it is an allocation */
#define KMT_GROUP_CPU		(1u << 17) /* which CPU it happened on */
#define KMT_GROUP_SEQ		(1u << 18) /* it has got its number */
#define KMT_GROUP_CACHE_NAME	(1u << 19) /* the cache has a name */
#define KMT_GROUP_AGE		(1u << 20) /* how long the memory was live */
#define KMT_GROUP_TAG		(1u << 21) /* what else is live of the same tag */
#define KMT_GROUP_PFN		(1u << 22) /* number of the page frame */
#define KMT_GROUP_SIZE		(1u << 23) /* bytes of the record */

/* Kinds of event: what was done, through which interface. */
#define KMT_EVENT_KIND(event_id, type_id) ((type_id) * 2 + (event_id))
#define KMT_EVENT_KINDS	8

/**
 * struct kmt_event - one allocation or free
 * @call_site: who called the allocator; 0 is unknown
 * @ptr: the memory; 0 in an allocation that failed
 * @bytes_req: asked for; allocations only
 * @bytes_alloc: used up; allocations only
 * @gfp_flags: as the recorded kernel numbers them; allocations only
 * @node: NUMA node that was asked for, -1 for none; allocations only
 * @seq: place in the order of all events, wraps
 * @time: nanoseconds; with KMT_FEATURE_TIME
 * @cache: number in the table of caches, 0 unknown; with KMT_FEATURE_CACHE
 * @order: of the block of pages; with KMT_FEATURE_PAGE
 * @migratetype: -1 unknown; with KMT_FEATURE_PAGE
 * @event_id: KMEMTRACE_EVENT_*
 * @type_id: KMEMTRACE_TYPE_*
 * @features: mask of KMT_FEATURE_* that the record has
 * @rec: decoded: the record, for kmt_record_decode_extra(); valid as long as
 *	the piece of the stream is
 */
struct kmt_event {
	u64 call_site;
	u64 ptr;
	u64 bytes_req;
	u64 bytes_alloc;
	u64 gfp_flags;
	s32 node;
	u32 seq;
	u64 time;
	u32 cache;
	u32 order;
	s32 migratetype;
	u8 event_id;
	u8 type_id;
	u32 features;
	const void *rec;
};

/**
 * kmt_event_kind() - the kind of an event
 * @ev: the event; its ids are known ones
 *
 * Context: any.
 * Return: KMT_EVENT_KIND(), below KMT_EVENT_KINDS.
 */
static __always_inline unsigned int kmt_event_kind(const struct kmt_event *ev)
{
	return KMT_EVENT_KIND(ev->event_id, ev->type_id);
}

#define KMT_COMM_LEN	16
#define KMT_STACK_MAX	64

/**
 * struct kmt_extra - what there is to know about an event besides
 * @have: mask of groups, KMT_FEATURE_* and KMT_GROUP_*: those that are set
 *	here, and those of the event that are known
 * @cpu: on which it happened
 * @pid: thread that it happened in, or whose time an interrupt took
 * @tgid: its process
 * @context: mask of KMEMTRACE_CONTEXT_*
 * @preempt_count: how deep preemption was disabled
 * @comm: name of the thread, ended by a 0
 * @cgroup: number of its cgroup
 * @age: of memory that is freed, in nanoseconds
 * @live_bytes: live with the tag of the call site
 * @live_objects: live with the tag of the call site
 * @pfn: number of the page frame
 * @cache_name: name of the cache
 * @depth: return addresses in @stack
 * @size: bytes of the record
 * @stack: return addresses, the innermost first
 */
struct kmt_extra {
	u32 have;
	s32 cpu;
	s32 pid;
	s32 tgid;
	u8 context;
	u8 preempt_count;
	u8 depth;
	u16 size;
	char comm[KMT_COMM_LEN];
	u64 cgroup;
	u64 age;
	u64 live_bytes;
	u64 live_objects;
	u64 pfn;
	const char *cache_name;
	u64 stack[KMT_STACK_MAX];
};

#endif /* KMT_EVENT_H */
