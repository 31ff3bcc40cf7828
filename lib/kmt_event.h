/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One allocation or free, decoded. A probe fills it in, a record is encoded from it, and
 * the reader decodes the record into it. struct kmt_event has the members that nearly
 * every record has; the probes make it on the hot path. struct kmt_extra has the rest.
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
/* the features in struct kmt_extra */
#define KMT_FEATURES_EXTRA                                                     \
	(KMT_FEATURE_TASK | KMT_FEATURE_CGROUP | KMT_FEATURE_STACK)
#define KMT_FEATURES_ALL                                                       \
	(KMT_FEATURE_TIME | KMT_FEATURE_CACHE | KMT_FEATURE_PAGE |             \
	 KMT_FEATURES_EXTRA)

/*
 * Groups of fields: the fields of a group are either all known or all unknown. Each
 * feature is a group, with the same bit. These are the others.
 */
#define KMT_GROUP_ALLOC		(1u << 16) /* the event is an allocation */
#define KMT_GROUP_CPU		(1u << 17) /* CPU of the event */
#define KMT_GROUP_SEQ		(1u << 18) /* the event has a number */
#define KMT_GROUP_CACHE_NAME	(1u << 19) /* the cache has a name */
#define KMT_GROUP_AGE		(1u << 20) /* how long the memory was live */
#define KMT_GROUP_TAG		(1u << 21) /* live bytes and objects of the tag */
#define KMT_GROUP_PFN		(1u << 22) /* number of the page frame */
#define KMT_GROUP_SIZE		(1u << 23) /* bytes of the record */
#define KMT_GROUP_NID		(1u << 24) /* NUMA node of the memory */

/* Kind of an event: its event id and its type id (the interface). */
#define KMT_EVENT_KIND(event_id, type_id) ((type_id) * 2 + (event_id))
#define KMT_EVENT_KINDS	8

/**
 * struct kmt_event - one allocation or free
 * @call_site: address of the code that called the allocator; 0: unknown
 * @ptr: address of the memory; 0: the allocation failed
 * @bytes_req: bytes requested; allocations only
 * @bytes_alloc: bytes allocated; allocations only
 * @gfp_flags: in the numbers of the recorded kernel; allocations only
 * @node: NUMA node requested; -1: none; allocations only
 * @seq: place in the order of all events; wraps, see kmt_event_number()
 * @time: in nanoseconds; with KMT_FEATURE_TIME
 * @cache: number in the table of caches; 0: unknown; with KMT_FEATURE_CACHE
 * @order: order of the block of pages; with KMT_FEATURE_PAGE
 * @migratetype: -1: unknown; with KMT_FEATURE_PAGE
 * @event_id: KMEMTRACE_EVENT_*
 * @type_id: KMEMTRACE_TYPE_*
 * @wraps: how often @seq had wrapped, if the tool's reader has set it
 * @features: mask of KMT_FEATURE_* in the record
 * @stack: with KMT_FEATURE_STACK: number of the stack, if the tool's reader has set it
 * @rec: decoded events: the record, for kmt_record_decode_extra(); valid as long as the
 *	piece of the stream
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
	u16 wraps;
	u32 features;
	u32 stack;
	const void *rec;
};

/** kmt_event_number() - the whole number of an event from the tool's reader */
static inline u64 kmt_event_number(const struct kmt_event *ev)
{
	return (u64)ev->wraps << 32 | ev->seq;
}

/**
 * kmt_event_kind() - get the kind of an event
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

struct kmt_filter_term;

/**
 * struct kmt_extra - the rest of an event
 * @have: mask of the groups (KMT_FEATURE_* and KMT_GROUP_*) that are known, whether their
 *	fields are here or in struct kmt_event
 * @near: groups in @have that are only known well enough to decide @term
 * @term: while a filter fetches groups: the term that needs them; else NULL
 * @cpu: CPU of the event
 * @pid: thread of the event; in an interrupt, the thread that was interrupted
 * @tgid: process of the thread
 * @context: mask of KMEMTRACE_CONTEXT_*
 * @preempt_count: nesting depth of disabled preemption
 * @comm: name of the thread, ended by a 0
 * @nid: NUMA node that the memory is on
 * @cgroup: number of the thread's cgroup
 * @age: age of freed memory, in nanoseconds
 * @live_bytes: live bytes of the call site's tag
 * @live_objects: live objects of the call site's tag
 * @pfn: number of the page frame
 * @cache_name: name of the cache
 * @depth: number of return addresses in @stack
 * @size: bytes of the record
 * @stack: return addresses, the innermost first
 */
struct kmt_extra {
	const struct kmt_filter_term *term;
	u32 have;
	u32 near;
	s32 cpu;
	s32 pid;
	s32 tgid;
	s32 nid;
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
