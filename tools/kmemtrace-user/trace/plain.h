/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compact records (kmt_compact.h) as the plain ones that are in a recording. A stream that
 * is ordered by time has compact records. A recording has none.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "kmt_compact.h"

/**
 * plain_keep() - drop the features of a compact record that are not wanted
 * @ev: the event of the record; changed
 * @features: features of KMT_FEATURES_COMPACT to keep
 */
static inline void plain_keep(struct kmt_event *ev, u32 features)
{
	ev->features &= features | KMT_FEATURES_EXTRA;
	if (!(ev->features & KMT_FEATURE_TIME))
		ev->time = 0;
	if (!(ev->features & KMT_FEATURE_CACHE))
		ev->cache = 0;
	if (!(ev->features & KMT_FEATURE_PAGE))
		ev->order = ev->migratetype = 0;
}

/**
 * plain_tail() - get the bytes of a compact record that its plain record ends with, too
 * @ev: its event
 * @features: features of KMT_FEATURES_COMPACT that the plain record has
 * @size: bytes of the compact record
 *
 * Return: bytes of the other features; 0 if the plain record would be too long with them.
 */
static inline size_t plain_tail(const struct kmt_event *ev, u32 features, size_t size)
{
	size_t tail = size - kmt_compact_size(ev->event_id, ev->type_id);

	return kmt_record_size(ev, features) + tail > UINT16_MAX ? 0 : tail;
}

/**
 * plain_put() - put the plain record of a compact one
 * @to: space for kmt_record_size() bytes, and @tail
 * @ev: the event; @ev->rec is the compact record
 * @features: features of KMT_FEATURES_COMPACT that the plain record has
 * @size: bytes of the compact record
 * @tail: from plain_tail()
 *
 * Return: bytes of the plain record.
 */
static inline size_t plain_put(uint8_t *to, const struct kmt_event *ev, u32 features,
			       size_t size, size_t tail)
{
	size_t core = kmt_record_size(ev, features);

	kmt_record_encode(to, core + tail, ev, features);
	if (tail)
		memcpy(to + core, (const uint8_t *)ev->rec + size - tail, tail);
	return core + tail;
}

/** plain_is_compact() - whether a record is compact, and of a known kind */
static inline bool plain_is_compact(const void *rec, const struct kmt_decoded *dec)
{
	const struct kmemtrace_event *head = rec;

	return head->event_id > KMEMTRACE_EVENT_FREE && !dec->unknown_id;
}

/** plain_is_usual() - whether a record is compact, has no further features, and is whole */
static inline bool plain_is_usual(const void *rec, size_t left)
{
	const struct kmemtrace_compact *head = rec;
	size_t size;

	if (left < sizeof(*head) ||
	    (head->event_id != KMEMTRACE_EVENT_COMPACT_ALLOC &&
	     head->event_id != KMEMTRACE_EVENT_COMPACT_FREE) ||
	    head->type_id > KMEMTRACE_TYPE_PERCPU)
		return false;
	size = kmt_compact_size(head->event_id - KMEMTRACE_EVENT_COMPACT_ALLOC,
				head->type_id);
	return head->event_size == size && size <= left;
}

/**
 * plain_read_usual() - decode a record for which plain_is_usual() is true
 * @rec: the record
 * @features: features of KMT_FEATURES_COMPACT to keep
 * @ev: set to the event. Its values are not checked
 */
static inline void plain_read_usual(const void *rec, u32 features, struct kmt_event *ev)
{
	const struct kmemtrace_compact *head = rec;
	const struct kmemtrace_compact_alloc *alloc = (const void *)(head + 1);
	const struct kmemtrace_compact_free *free = (const void *)(head + 1);
	bool is_alloc = head->event_id == KMEMTRACE_EVENT_COMPACT_ALLOC;
	const union kmemtrace_about *about = is_alloc ? &alloc->about : &free->about;

	*ev = (struct kmt_event){
		.rec = rec,
		.event_id = head->event_id - KMEMTRACE_EVENT_COMPACT_ALLOC,
		.type_id = head->type_id,
		.seq = head->seq_num,
		.call_site = head->call_site,
		.ptr = head->ptr,
		.features = features & KMT_FEATURE_TIME,
	};
	if (ev->features)
		ev->time = head->time;
	if (is_alloc) {
		ev->bytes_req = alloc->bytes_req;
		ev->bytes_alloc = alloc->bytes_alloc;
		ev->gfp_flags = alloc->gfp_flags;
		ev->node = alloc->numa_node;
	}
	if (ev->type_id == KMEMTRACE_TYPE_CACHE && features & KMT_FEATURE_CACHE &&
	    about->cache != KMEMTRACE_CACHE_OFF) {
		ev->cache = about->cache;
		ev->features |= KMT_FEATURE_CACHE;
	} else if (ev->type_id == KMEMTRACE_TYPE_PAGES && features & KMT_FEATURE_PAGE) {
		ev->order = about->order;
		ev->migratetype = about->migratetype;
		ev->features |= KMT_FEATURE_PAGE;
	}
}

#endif /* PLAIN_H */
