// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_compact.h"
#include "kmt_record.h"

static_assert(sizeof(struct kmemtrace_event) == 24, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, event_id) == 0, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, type_id) == 1, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, event_size) == 2, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, seq_num) == 4, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, call_site) == 8, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_event, ptr) == 16, "ABI of 2008");
static_assert(sizeof(struct kmemtrace_stats_alloc) == 24, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_stats_alloc, bytes_req) == 0,
	      "ABI of 2008");
static_assert(offsetof(struct kmemtrace_stats_alloc, bytes_alloc) == 8,
	      "ABI of 2008");
static_assert(offsetof(struct kmemtrace_stats_alloc, gfp_flags) == 16,
	      "ABI of 2008");
static_assert(offsetof(struct kmemtrace_stats_alloc, numa_node) == 20,
	      "ABI of 2008");
static_assert(sizeof(struct kmemtrace_feature) == 3, "ABI of 2008");
static_assert(offsetof(struct kmemtrace_feature, id) == 2, "ABI of 2008");
static_assert(sizeof(struct kmemtrace_feature_time) == 11, "ABI 2");
static_assert(offsetof(struct kmemtrace_feature_time, ns) == 3, "ABI 2");
static_assert(sizeof(struct kmemtrace_feature_cache) == 5, "ABI 2");
static_assert(offsetof(struct kmemtrace_feature_cache, cache) == 3, "ABI 2");
static_assert(sizeof(struct kmemtrace_feature_page) == 5, "ABI 2");
static_assert(offsetof(struct kmemtrace_feature_page, order) == 3, "ABI 2");
static_assert(offsetof(struct kmemtrace_feature_page, migratetype) == 4,
	      "ABI 2");
static_assert(sizeof(struct kmemtrace_feature_task) == 29, "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_task, pid) == 3, "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_task, tgid) == 7, "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_task, context) == 11, "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_task, preempt_count) == 12,
	      "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_task, comm) == 13, "ABI 3");
static_assert(sizeof(struct kmemtrace_feature_cgroup) == 11, "ABI 3");
static_assert(offsetof(struct kmemtrace_feature_cgroup, cgroup) == 3, "ABI 3");
static_assert(sizeof(struct kmemtrace_feature_stack) == 3, "ABI 3");
static_assert(sizeof(union kmemtrace_about) == 2, "ABI 4");
static_assert(sizeof(struct kmemtrace_compact) == 32, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact, event_size) == 2, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact, seq_num) == 4, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact, time) == 8, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact, call_site) == 16, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact, ptr) == 24, "ABI 4");
static_assert(sizeof(struct kmemtrace_compact_alloc) == 16, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact_alloc, gfp_flags) == 8, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact_alloc, numa_node) == 12, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact_alloc, about) == 14, "ABI 4");
static_assert(sizeof(struct kmemtrace_compact_free) == 8, "ABI 4");
static_assert(offsetof(struct kmemtrace_compact_free, about) == 0, "ABI 4");

static inline u16 order16(u16 v, bool swap)
{
	return swap ? swab16(v) : v;
}

static inline u32 order32(u32 v, bool swap)
{
	return swap ? swab32(v) : v;
}

static inline u64 order64(u64 v, bool swap)
{
	return swap ? swab64(v) : v;
}

/*
 * Return: how many of the @size bytes of a feature this version knows; 0 if it does not
 * know the feature.
 */
static __always_inline size_t feature_known_size(u8 id, size_t size)
{
	size_t depth;

	switch (id) {
	case KMEMTRACE_FEATURE_TIME:
		return sizeof(struct kmemtrace_feature_time);
	case KMEMTRACE_FEATURE_CACHE:
		return sizeof(struct kmemtrace_feature_cache);
	case KMEMTRACE_FEATURE_PAGE:
		return sizeof(struct kmemtrace_feature_page);
	case KMEMTRACE_FEATURE_TASK:
		return sizeof(struct kmemtrace_feature_task);
	case KMEMTRACE_FEATURE_CGROUP:
		return sizeof(struct kmemtrace_feature_cgroup);
	case KMEMTRACE_FEATURE_STACK:
		depth = (size - sizeof(struct kmemtrace_feature)) / sizeof(u64);
		return sizeof(struct kmemtrace_feature_stack) +
		       (depth > KMT_STACK_MAX ? KMT_STACK_MAX : depth) *
			       sizeof(u64);
	}
	return 0;
}

static __always_inline void take_feature(const void *p, u8 id, bool swap,
					  struct kmt_event *ev)
{
	switch (id) {
	case KMEMTRACE_FEATURE_TIME: {
		const struct kmemtrace_feature_time *time = p;

		ev->time = order64(time->ns, swap);
		break;
	}
	case KMEMTRACE_FEATURE_CACHE: {
		const struct kmemtrace_feature_cache *cache = p;

		ev->cache = order16(cache->cache, swap);
		break;
	}
	case KMEMTRACE_FEATURE_PAGE: {
		const struct kmemtrace_feature_page *page = p;

		ev->order = page->order;
		ev->migratetype = page->migratetype;
		break;
	}
	}
	ev->features |= KMT_FEATURE_BIT(id);
}

static __always_inline void decode_features(const u8 *p, size_t left, bool swap,
					     struct kmt_event *ev,
					     struct kmt_decoded *dec)
{
	const struct kmemtrace_feature_time *time = (const void *)p;
	u8 last_id = 0;

	/* nearly all records have the time, in the first place */
	if (left >= sizeof(*time) && time->head.id == KMEMTRACE_FEATURE_TIME &&
	    order16(time->head.size, swap) == sizeof(*time)) {
		ev->time = order64(time->ns, swap);
		ev->features |= KMT_FEATURE_TIME;
		last_id = KMEMTRACE_FEATURE_TIME;
		p += sizeof(*time);
		left -= sizeof(*time);
	}
	while (left) {
		const struct kmemtrace_feature *head = (const void *)p;
		size_t size, known;

		size = left < sizeof(*head) ? 0 : order16(head->size, swap);
		if (size < sizeof(*head) || size > left) {
			dec->bad |= KMT_BAD_FEATURE_SIZE;
			dec->skipped_bytes += left;
			return;
		}
		if (head->id <= last_id)
			dec->bad |= KMT_BAD_FEATURE_ORDER;
		last_id = head->id;

		known = feature_known_size(head->id, size);
		if (!known) {
			dec->skipped_features++;
			dec->skipped_bytes += size;
		} else if (size < known) {
			dec->bad |= KMT_BAD_FEATURE_SHORT;
			dec->skipped_bytes += size;
		} else {
			take_feature(p, head->id, swap, ev);
			dec->skipped_bytes += size - known;
		}
		p += size;
		left -= size;
	}
}

static bool is_compact(const struct kmemtrace_event *head)
{
	return head->event_id == KMEMTRACE_EVENT_COMPACT_ALLOC ||
	       head->event_id == KMEMTRACE_EVENT_COMPACT_FREE;
}

/* Bytes of a record before its list of features. */
static size_t core_size(const struct kmemtrace_event *head)
{
	if (is_compact(head))
		return kmt_compact_size(head->event_id -
						KMEMTRACE_EVENT_COMPACT_ALLOC,
					head->type_id);
	return head->event_id == KMEMTRACE_EVENT_ALLOC ? KMT_ALLOC_SIZE :
							 KMT_FREE_SIZE;
}

static __always_inline void decode_plain(const struct kmemtrace_event *head, bool swap,
					  struct kmt_event *ev)
{
	const struct kmemtrace_stats_alloc *alloc = (const void *)(head + 1);

	ev->call_site = order64(head->call_site, swap);
	ev->ptr = order64(head->ptr, swap);
	if (head->event_id != KMEMTRACE_EVENT_ALLOC)
		return;
	ev->bytes_req = order64(alloc->bytes_req, swap);
	ev->bytes_alloc = order64(alloc->bytes_alloc, swap);
	ev->gfp_flags = order32(alloc->gfp_flags, swap);
	ev->node = order32(alloc->numa_node, swap);
}

static __always_inline void take_about(const union kmemtrace_about *about, bool swap,
					struct kmt_event *ev)
{
	if (ev->type_id == KMEMTRACE_TYPE_CACHE) {
		u16 cache = order16(about->cache, swap);

		if (cache == KMEMTRACE_CACHE_OFF)
			return;
		ev->cache = cache;
		ev->features |= KMT_FEATURE_CACHE;
	} else if (ev->type_id == KMEMTRACE_TYPE_PAGES) {
		ev->order = about->order;
		ev->migratetype = about->migratetype;
		ev->features |= KMT_FEATURE_PAGE;
	}
}

static __always_inline void decode_compact(const struct kmemtrace_compact *head,
					    bool swap, struct kmt_event *ev)
{
	const struct kmemtrace_compact_alloc *alloc = (const void *)(head + 1);
	const struct kmemtrace_compact_free *free = (const void *)(head + 1);

	ev->event_id -= KMEMTRACE_EVENT_COMPACT_ALLOC;
	ev->features = KMT_FEATURE_TIME;
	ev->time = order64(head->time, swap);
	ev->call_site = order64(head->call_site, swap);
	ev->ptr = order64(head->ptr, swap);
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
		ev->bytes_req = order32(alloc->bytes_req, swap);
		ev->bytes_alloc = order32(alloc->bytes_alloc, swap);
		ev->gfp_flags = order32(alloc->gfp_flags, swap);
		ev->node = (s16)order16(alloc->numa_node, swap);
		take_about(&alloc->about, swap, ev);
	} else if (core_size((const void *)head) > sizeof(*head)) {
		take_about(&free->about, swap, ev);
	}
}

static u32 check(const struct kmt_event *ev)
{
	if (ev->event_id == KMEMTRACE_EVENT_FREE)
		return ev->ptr ? 0 : KMT_BAD_FREE_NULL;
	return (ev->bytes_req ? 0 : KMT_BAD_BYTES_REQ) |
	       (ev->bytes_alloc < ev->bytes_req ? KMT_BAD_BYTES_ALLOC : 0);
}

/* @swap: a constant, so that the usual byte order costs nothing. @id_max: the last known */
static __always_inline int decode(const void *rec, size_t avail, bool swap, u8 id_max,
				  struct kmt_event *ev, struct kmt_decoded *dec)
{
	const struct kmemtrace_event *head = rec;
	size_t size, core;

	if (avail < sizeof(*head))
		return KMT_RECORD_CUT;
	size = order16(head->event_size, swap);
	if (size < sizeof(*head))
		return KMT_RECORD_BROKEN;
	if (size > avail)
		return KMT_RECORD_CUT;

	memset(ev, 0, sizeof(*ev));
	ev->rec = rec;
	memset(dec, 0, sizeof(*dec));
	ev->event_id = head->event_id;
	ev->type_id = head->type_id;
	ev->seq = order32(head->seq_num, swap);
	if (head->event_id > id_max ||
	    head->type_id > KMEMTRACE_TYPE_PERCPU) {
		dec->unknown_id = true;
		return size;
	}
	core = core_size(head);
	if (size < core)
		return KMT_RECORD_BROKEN;
	if (is_compact(head))
		decode_compact(rec, swap, ev);
	else
		decode_plain(rec, swap, ev);
	dec->bad = check(ev);
	if (size > core)
		decode_features((const u8 *)rec + core, size - core, swap, ev,
				dec);
	return size;
}

static int decode_native(const void *rec, size_t avail, u8 id_max,
			 struct kmt_event *ev, struct kmt_decoded *dec)
{
	return decode(rec, avail, false, id_max, ev, dec);
}

static int decode_swapped(const void *rec, size_t avail, u8 id_max,
			  struct kmt_event *ev, struct kmt_decoded *dec)
{
	return decode(rec, avail, true, id_max, ev, dec);
}

int kmt_record_decode(const void *rec, size_t avail, bool swap,
		      struct kmt_event *ev, struct kmt_decoded *dec)
{
	return swap ? decode_swapped(rec, avail, KMEMTRACE_EVENT_FREE, ev, dec) :
		      decode_native(rec, avail, KMEMTRACE_EVENT_FREE, ev, dec);
}

int kmt_record_decode_any(const void *rec, size_t avail, bool swap,
			  struct kmt_event *ev, struct kmt_decoded *dec)
{
	return swap ? decode_swapped(rec, avail, KMEMTRACE_EVENT_COMPACT_FREE, ev, dec) :
		      decode_native(rec, avail, KMEMTRACE_EVENT_COMPACT_FREE, ev, dec);
}

size_t kmt_record_extra_size(const struct kmt_extra *x, u32 features)
{
	size_t size = 0;

	if (features & KMT_FEATURE_TASK)
		size += sizeof(struct kmemtrace_feature_task);
	if (features & KMT_FEATURE_CGROUP)
		size += sizeof(struct kmemtrace_feature_cgroup);
	if (features & KMT_FEATURE_STACK)
		size += sizeof(struct kmemtrace_feature_stack) +
			x->depth * sizeof(u64);
	return size;
}

void kmt_record_encode_extra(void *to, const struct kmt_extra *x, u32 features)
{
	if (features & KMT_FEATURE_TASK) {
		struct kmemtrace_feature_task *task = to;

		task->head.size = sizeof(*task);
		task->head.id = KMEMTRACE_FEATURE_TASK;
		task->pid = x->pid;
		task->tgid = x->tgid;
		task->context = x->context;
		task->preempt_count = x->preempt_count;
		memcpy(task->comm, x->comm, sizeof(task->comm));
		to = task + 1;
	}
	if (features & KMT_FEATURE_CGROUP) {
		struct kmemtrace_feature_cgroup *cgroup = to;

		cgroup->head.size = sizeof(*cgroup);
		cgroup->head.id = KMEMTRACE_FEATURE_CGROUP;
		cgroup->cgroup = x->cgroup;
		to = cgroup + 1;
	}
	if (features & KMT_FEATURE_STACK) {
		struct kmemtrace_feature_stack *stack = to;

		stack->head.size = sizeof(*stack) + x->depth * sizeof(u64);
		stack->head.id = KMEMTRACE_FEATURE_STACK;
		memcpy(stack->caller, x->stack, x->depth * sizeof(u64));
	}
}

static void take_extra(const void *p, size_t size, u8 id, bool swap,
		       struct kmt_extra *x)
{
	const struct kmemtrace_feature_task *task = p;
	const struct kmemtrace_feature_cgroup *cgroup = p;
	const struct kmemtrace_feature_stack *stack = p;
	size_t i;

	switch (id) {
	case KMEMTRACE_FEATURE_TASK:
		x->pid = order32(task->pid, swap);
		x->tgid = order32(task->tgid, swap);
		x->context = task->context;
		x->preempt_count = task->preempt_count;
		memcpy(x->comm, task->comm, sizeof(x->comm));
		x->comm[sizeof(x->comm) - 1] = 0;
		break;
	case KMEMTRACE_FEATURE_CGROUP:
		x->cgroup = order64(cgroup->cgroup, swap);
		break;
	case KMEMTRACE_FEATURE_STACK:
		x->depth = (feature_known_size(id, size) - sizeof(*stack)) /
			   sizeof(u64);
		for (i = 0; i < x->depth; i++)
			x->stack[i] = order64(stack->caller[i], swap);
	}
}

void kmt_record_decode_extra(const struct kmt_event *ev, bool swap,
			     struct kmt_extra *x)
{
	const struct kmemtrace_event *head = ev->rec;
	const u8 *p = ev->rec, *end = p + order16(head->event_size, swap);
	bool alloc = ev->event_id == KMEMTRACE_EVENT_ALLOC;

	x->have = ev->features | KMT_GROUP_SEQ | (alloc ? KMT_GROUP_ALLOC : 0);
	x->depth = 0;
	if (!(ev->features & KMT_FEATURES_EXTRA))
		return;
	/* kmt_record_decode() has checked that the record is at least this long */
	p += core_size(head);
	while ((size_t)(end - p) >= sizeof(struct kmemtrace_feature)) {
		const struct kmemtrace_feature *f = (const void *)p;
		size_t size = order16(f->size, swap);

		if (size < sizeof(*f) || size > (size_t)(end - p))
			return;
		if (size >= feature_known_size(f->id, size))
			take_extra(p, size, f->id, swap, x);
		p += size;
	}
}

u64 kmt_record_count(const void *data, size_t size)
{
	u64 n = 0;
	size_t pos = 0;

	while (pos + sizeof(struct kmemtrace_event) <= size) {
		const struct kmemtrace_event *rec =
			(const void *)((const u8 *)data + pos);

		if (rec->event_size < sizeof(*rec))
			break;
		pos += rec->event_size;
		n++;
	}
	return n;
}
