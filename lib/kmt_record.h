/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of include/uapi/linux/kmemtrace.h: from an event and back.
 *
 * Encoding is inline, since it is the hot path of the module's probes.
 */
#ifndef KMT_RECORD_H
#define KMT_RECORD_H

#include "kmt_event.h"

#define KMT_FREE_SIZE	sizeof(struct kmemtrace_event)
#define KMT_ALLOC_SIZE                                                         \
	(sizeof(struct kmemtrace_event) + sizeof(struct kmemtrace_stats_alloc))
/* the longest record that this version writes */
#define KMT_RECORD_MAX                                                         \
	(KMT_ALLOC_SIZE + sizeof(struct kmemtrace_feature_time) +              \
	 sizeof(struct kmemtrace_feature_cache) +                              \
	 sizeof(struct kmemtrace_feature_page) +                               \
	 sizeof(struct kmemtrace_feature_task) +                               \
	 sizeof(struct kmemtrace_feature_cgroup) +                             \
	 sizeof(struct kmemtrace_feature_stack) + KMT_STACK_MAX * sizeof(u64))

/* What is wrong with a record; a mask, since several things can be. */
#define KMT_BAD_BYTES_REQ	(1u << 0) /* bytes_req is 0 */
#define KMT_BAD_BYTES_ALLOC	(1u << 1) /* bytes_alloc is below bytes_req */
#define KMT_BAD_FEATURE_SIZE	(1u << 2) /* a feature runs past the record */
#define KMT_BAD_FEATURE_SHORT	(1u << 3) /* a feature is too short for its id */
#define KMT_BAD_FEATURE_ORDER	(1u << 4) /* features not in order of ids */
#define KMT_BAD_FREE_NULL	(1u << 5) /* a free of NULL */

/* What kmt_record_decode() returns instead of a size. */
#define KMT_RECORD_CUT		(-1) /* fewer bytes left than the record has */
#define KMT_RECORD_BROKEN	(-2) /* event_size is below the minimum */

/**
 * struct kmt_decoded - what a record held besides the event
 * @bad: mask of KMT_BAD_*
 * @unknown_id: event id or type id that this version does not know; the
 *	event's other fields are then not set, but for seq
 * @skipped_features: features of unknown id
 * @skipped_bytes: bytes of unknown features, and bytes past the known part of
 *	known ones
 */
struct kmt_decoded {
	u32 bad;
	bool unknown_id;
	u16 skipped_features;
	u16 skipped_bytes;
};

/**
 * kmt_record_size() - bytes that an event takes as a record
 * @ev: the event; event_id and type_id matter
 * @features: mask of the features that are switched on; KMT_FEATURES_EXTRA
 *	add nothing here
 *
 * Context: any.
 */
static __always_inline size_t kmt_record_size(const struct kmt_event *ev,
					      u32 features)
{
	size_t size = ev->event_id == KMEMTRACE_EVENT_ALLOC ? KMT_ALLOC_SIZE :
							      KMT_FREE_SIZE;

	if (features & KMT_FEATURE_TIME)
		size += sizeof(struct kmemtrace_feature_time);
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		size += sizeof(struct kmemtrace_feature_cache);
	if (ev->type_id == KMEMTRACE_TYPE_PAGES &&
	    (features & KMT_FEATURE_PAGE))
		size += sizeof(struct kmemtrace_feature_page);
	return size;
}

/**
 * kmt_record_extra_size() - bytes that KMT_FEATURES_EXTRA take besides
 * @x: the rest of the event; its depth matters
 * @features: mask of the features that are switched on
 *
 * Context: any.
 */
size_t kmt_record_extra_size(const struct kmt_extra *x, u32 features);

/**
 * kmt_record_encode_extra() - write KMT_FEATURES_EXTRA
 * @to: behind what kmt_record_encode() wrote
 * @x: the rest of the event
 * @features: mask of the features that are switched on
 *
 * Context: any.
 */
void kmt_record_encode_extra(void *to, const struct kmt_extra *x, u32 features);

/**
 * kmt_record_encode() - write an event as a record
 * @rec: room for @size bytes, in any alignment
 * @size: bytes in the whole record: what kmt_record_size() said for the same
 *	event and features, and kmt_record_extra_size() if there is more
 * @ev: the event
 * @features: mask of the features that are switched on
 *
 * Context: any.
 */
static __always_inline void kmt_record_encode(void *rec, size_t size,
					      const struct kmt_event *ev,
					      u32 features)
{
	struct kmemtrace_event *head = rec;
	void *p = head + 1;

	head->event_id = ev->event_id;
	head->type_id = ev->type_id;
	head->event_size = size;
	head->seq_num = ev->seq;
	head->call_site = ev->call_site;
	head->ptr = ev->ptr;

	if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
		struct kmemtrace_stats_alloc *alloc = p;

		alloc->bytes_req = ev->bytes_req;
		alloc->bytes_alloc = ev->bytes_alloc;
		alloc->gfp_flags = ev->gfp_flags;
		alloc->numa_node = ev->node;
		p = alloc + 1;
	}
	if (features & KMT_FEATURE_TIME) {
		struct kmemtrace_feature_time *time = p;

		time->head.size = sizeof(*time);
		time->head.id = KMEMTRACE_FEATURE_TIME;
		time->ns = ev->time;
		p = time + 1;
	}
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE)) {
		struct kmemtrace_feature_cache *cache = p;

		cache->head.size = sizeof(*cache);
		cache->head.id = KMEMTRACE_FEATURE_CACHE;
		cache->cache = ev->cache;
		p = cache + 1;
	}
	if (ev->type_id == KMEMTRACE_TYPE_PAGES &&
	    (features & KMT_FEATURE_PAGE)) {
		struct kmemtrace_feature_page *page = p;

		page->head.size = sizeof(*page);
		page->head.id = KMEMTRACE_FEATURE_PAGE;
		page->order = ev->order;
		page->migratetype = ev->migratetype;
	}
}

/**
 * kmt_record_put_cache() - fill in the cache
 * @rec: a record from kmt_record_encode(), that carries it
 * @size: its size; nothing stands behind the cache
 * @cache: what to write
 *
 * Context: any.
 */
static __always_inline void kmt_record_put_cache(void *rec, size_t size,
						 u16 cache)
{
	struct kmemtrace_feature_cache *at = rec + size - sizeof(*at);

	at->cache = cache;
}

/**
 * kmt_record_decode() - read the record at the start of a piece of a stream
 * @rec: where the record starts, in any alignment
 * @avail: bytes from there to the end of the piece
 * @swap: the stream is of the other byte order
 * @ev: set to the event
 * @dec: set to what else was found
 *
 * Nothing in the record is trusted. A record with an unknown id is no error:
 * it is left out by its size.
 *
 * Context: any.
 * Return: the bytes to go on by; KMT_RECORD_CUT; or KMT_RECORD_BROKEN, after
 * which nothing behind @rec in this stream can be made sense of.
 */
int kmt_record_decode(const void *rec, size_t avail, bool swap,
		      struct kmt_event *ev, struct kmt_decoded *dec);

/**
 * kmt_record_decode_extra() - the rest of a decoded event
 * @ev: from kmt_record_decode(), its record still there
 * @swap: the stream is of the other byte order
 * @x: set to it; x->have to what is known of both
 *
 * Context: any.
 */
void kmt_record_decode_extra(const struct kmt_event *ev, bool swap,
			     struct kmt_extra *x);

/**
 * kmt_record_count() - how many records there are in a piece of a stream
 * @data: whole records of this machine's byte order
 * @size: bytes of them
 *
 * Context: any.
 * Return: how many; up to something that is no record.
 */
u64 kmt_record_count(const void *data, size_t size);

#endif /* KMT_RECORD_H */
