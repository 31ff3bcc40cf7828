/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encodes events into compact records, for the order "time": see
 * include/uapi/linux/kmemtrace.h. kmt_record_decode_any() decodes them.
 *
 * The parts of a compact record have fixed places, so that an inlined encoder only has
 * stores.
 */
#ifndef KMT_COMPACT_H
#define KMT_COMPACT_H

#include "kmt_record.h"

/* the features that are fixed parts of a compact record */
#define KMT_FEATURES_COMPACT                                                   \
	(KMT_FEATURE_TIME | KMT_FEATURE_CACHE | KMT_FEATURE_PAGE)

/**
 * kmt_compact_size() - get the size of a compact record, without KMT_FEATURES_EXTRA
 * @event_id: KMEMTRACE_EVENT_ALLOC or KMEMTRACE_EVENT_FREE
 * @type_id: KMEMTRACE_TYPE_*
 *
 * Context: any.
 * Return: bytes.
 */
static __always_inline size_t kmt_compact_size(u8 event_id, u8 type_id)
{
	if (event_id == KMEMTRACE_EVENT_ALLOC)
		return sizeof(struct kmemtrace_compact) +
		       sizeof(struct kmemtrace_compact_alloc);
	if (type_id == KMEMTRACE_TYPE_CACHE || type_id == KMEMTRACE_TYPE_PAGES)
		return sizeof(struct kmemtrace_compact) +
		       sizeof(struct kmemtrace_compact_free);
	return sizeof(struct kmemtrace_compact);
}

/**
 * kmt_compact_fits() - whether the values of an event fit into a compact record
 * @ev: the event
 *
 * Objects of caches and blocks of pages always fit.
 *
 * Context: any.
 */
static __always_inline bool kmt_compact_fits(const struct kmt_event *ev)
{
	if (ev->event_id != KMEMTRACE_EVENT_ALLOC ||
	    ev->type_id == KMEMTRACE_TYPE_CACHE ||
	    ev->type_id == KMEMTRACE_TYPE_PAGES)
		return true;
	return !((ev->bytes_req | ev->bytes_alloc) >> 32);
}

/**
 * kmt_compact_encode() - encode an event, without KMT_FEATURES_EXTRA
 * @rec: space for the record, with any alignment
 * @size: bytes of the whole record: kmt_compact_size(), plus kmt_record_extra_size() if
 *	the record has KMT_FEATURES_EXTRA
 * @ev: the event; kmt_compact_fits() is true
 *
 * For type CACHE, kmt_compact_put_cache() can set the number of the cache afterwards.
 *
 * Context: any.
 */
static __always_inline void kmt_compact_encode(void *rec, size_t size,
					       const struct kmt_event *ev)
{
	union kmemtrace_about about = {
		.cache = ev->type_id == KMEMTRACE_TYPE_CACHE ? ev->cache : 0,
	};
	struct kmemtrace_compact *head = rec;

	head->event_id = ev->event_id == KMEMTRACE_EVENT_ALLOC ?
				 KMEMTRACE_EVENT_COMPACT_ALLOC :
				 KMEMTRACE_EVENT_COMPACT_FREE;
	head->type_id = ev->type_id;
	head->event_size = size;
	head->seq_num = ev->seq;
	head->time = ev->time;
	head->call_site = ev->call_site;
	head->ptr = ev->ptr;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES) {
		about.order = ev->order;
		about.migratetype = ev->migratetype;
	}
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
		struct kmemtrace_compact_alloc *alloc = (void *)(head + 1);

		alloc->bytes_req = ev->bytes_req;
		alloc->bytes_alloc = ev->bytes_alloc;
		alloc->gfp_flags = ev->gfp_flags;
		alloc->numa_node = ev->node;
		alloc->about = about;
	} else if (ev->type_id == KMEMTRACE_TYPE_CACHE ||
		   ev->type_id == KMEMTRACE_TYPE_PAGES) {
		struct kmemtrace_compact_free *free = (void *)(head + 1);

		*free = (struct kmemtrace_compact_free){ .about = about };
	}
}

/**
 * kmt_compact_put_cache() - set the cache in a compact record of type CACHE
 * @rec: the record
 * @event_id: KMEMTRACE_EVENT_ALLOC or KMEMTRACE_EVENT_FREE
 * @cache: number of the cache, or KMEMTRACE_CACHE_OFF
 *
 * Context: any.
 */
static __always_inline void kmt_compact_put_cache(void *rec, u8 event_id,
						  u16 cache)
{
	struct kmemtrace_compact *head = rec;

	if (event_id == KMEMTRACE_EVENT_ALLOC) {
		struct kmemtrace_compact_alloc *alloc = (void *)(head + 1);

		alloc->about.cache = cache;
	} else {
		struct kmemtrace_compact_free *free = (void *)(head + 1);

		free->about.cache = cache;
	}
}

#endif /* KMT_COMPACT_H */
