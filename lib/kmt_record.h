/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encodes events into the records of include/uapi/linux/kmemtrace.h, and decodes them.
 *
 * The functions that encode are inline, because the module's probes run them on the hot
 * path.
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

/* Errors in a record; a mask, because a record may have several. */
#define KMT_BAD_BYTES_REQ	(1u << 0) /* bytes_req is 0 */
#define KMT_BAD_BYTES_ALLOC	(1u << 1) /* bytes_alloc is less than bytes_req */
#define KMT_BAD_FEATURE_SIZE	(1u << 2) /* a feature is longer than the record */
#define KMT_BAD_FEATURE_SHORT	(1u << 3) /* a feature is shorter than its id requires */
#define KMT_BAD_FEATURE_ORDER	(1u << 4) /* features are not in the order of their ids */
#define KMT_BAD_FREE_NULL	(1u << 5) /* a free of NULL */

/* Results of kmt_record_decode() that are not a size. */
#define KMT_RECORD_CUT		(-1) /* the piece ends before the record does */
#define KMT_RECORD_BROKEN	(-2) /* event_size is less than the minimum */

/**
 * struct kmt_decoded - other results of decoding a record
 * @bad: mask of KMT_BAD_*
 * @unknown_id: this version does not know the event id or the type id; of the event, only
 *	these ids, seq and rec are set
 * @skipped_features: number of features with unknown ids
 * @skipped_bytes: bytes of features that were skipped, and bytes behind the known part of
 *	known features
 */
struct kmt_decoded {
	u32 bad;
	bool unknown_id;
	u16 skipped_features;
	u16 skipped_bytes;
};

/**
 * kmt_record_size() - get the size of the record of an event, without KMT_FEATURES_EXTRA
 * @ev: the event; only event_id and type_id are used
 * @features: mask of the features that are on; KMT_FEATURES_EXTRA are ignored
 *
 * Context: any.
 * Return: bytes.
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
 * kmt_record_extra_size() - get the size of KMT_FEATURES_EXTRA in a record
 * @x: the rest of the event; only depth is used
 * @features: mask of the features that are on
 *
 * Context: any.
 * Return: bytes.
 */
size_t kmt_record_extra_size(const struct kmt_extra *x, u32 features);

/**
 * kmt_record_encode_extra() - encode KMT_FEATURES_EXTRA
 * @to: kmt_record_extra_size() bytes behind those of kmt_record_encode()
 * @x: the rest of the event
 * @features: mask of the features that are on
 *
 * Context: any.
 */
void kmt_record_encode_extra(void *to, const struct kmt_extra *x, u32 features);

/**
 * kmt_record_encode() - encode an event, without KMT_FEATURES_EXTRA
 * @rec: space for the record, with any alignment
 * @size: bytes of the whole record: kmt_record_size() for the same event and features,
 *	plus kmt_record_extra_size() if the record has KMT_FEATURES_EXTRA
 * @ev: the event
 * @features: mask of the features that are on
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
 * kmt_record_put_cache() - set the cache in an encoded record
 * @rec: the record; its last feature is the cache
 * @size: bytes of the record
 * @cache: number of the cache
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
 * kmt_record_decode() - decode the first record of a piece of a stream
 * @rec: start of the record, with any alignment
 * @avail: bytes from @rec to the end of the piece
 * @swap: the stream has the other byte order
 * @ev: set to the event
 * @dec: set to the other results
 *
 * The record may have any content. A record with an unknown id is not an error: the
 * caller skips it by its size.
 *
 * Context: any.
 * Return: bytes of the record; KMT_RECORD_CUT; or KMT_RECORD_BROKEN: then the rest of the
 * stream cannot be decoded.
 */
int kmt_record_decode(const void *rec, size_t avail, bool swap,
		      struct kmt_event *ev, struct kmt_decoded *dec);

/**
 * kmt_record_decode_any() - as kmt_record_decode(), but decode compact records as well
 * @rec: start of the record, with any alignment
 * @avail: bytes from @rec to the end of the piece
 * @swap: the stream has the other byte order
 * @ev: set to the event
 * @dec: set to the other results
 *
 * Recordings have no compact records. Streams of the module have them in the order "time".
 *
 * Context: any.
 * Return: as kmt_record_decode().
 */
int kmt_record_decode_any(const void *rec, size_t avail, bool swap,
			  struct kmt_event *ev, struct kmt_decoded *dec);

/**
 * kmt_record_decode_extra() - decode the rest of an event
 * @ev: from kmt_record_decode() or kmt_record_decode_any(); its record is still in memory
 * @swap: the stream has the other byte order
 * @x: set to the rest; x->have is set to the groups that are known of @ev and @x
 *
 * Context: any.
 */
void kmt_record_decode_extra(const struct kmt_event *ev, bool swap,
			     struct kmt_extra *x);

/**
 * kmt_record_count() - count the records in a piece of a stream
 * @data: whole records in this machine's byte order
 * @size: bytes of @data
 *
 * Context: any.
 * Return: number of records before the first one with an invalid size.
 */
u64 kmt_record_count(const void *data, size_t size);

#endif /* KMT_RECORD_H */
