/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One allocation or free, decoded: what a probe fills in, what is encoded
 * into a record, what the reader gets back out of it.
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
#define KMT_FEATURES_ALL                                                       \
	(KMT_FEATURE_TIME | KMT_FEATURE_CACHE | KMT_FEATURE_PAGE)

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
 */
struct kmt_event {
	u64 call_site;
	u64 ptr;
	u64 bytes_req;
	u64 bytes_alloc;
	u32 gfp_flags;
	s32 node;
	u32 seq;
	u64 time;
	u16 cache;
	u8 order;
	s8 migratetype;
	u8 event_id;
	u8 type_id;
	u32 features;
};

#endif /* KMT_EVENT_H */
