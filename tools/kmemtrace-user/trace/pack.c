// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/die.h"
#include "base/slots.h"
#include "kmt_record.h"
#include "trace/columns.h"
#include "trace/pack.h"
#include "trace/plain.h"

/* Each record may have a different address. */
#define PTRS_BITS 17
static_assert(1 << (PTRS_BITS - 1) > COLUMNS_RECORDS_MAX, "half empty");
/* a smaller hash saves nothing */
#define PLACES_BITS 8
/* records that are decoded at once */
#define PACK_BATCH 16

struct pack {
	struct columns columns; /* its records are those before this batch */
	uint8_t fixed[COLUMNS_FIXED][PACK_BATCH]; /* of this batch */
	uint8_t *end[COLUMNS]; /* end of the data in each column */
	struct slots places_by_site;
	struct slots records_by_ptr; /* the last record of each address */
	struct place *places;
	uint32_t nr_places;
	uint64_t *ptrs; /* addresses of the records so far */
	struct stacks stacks; /* of the chunk */
	uint64_t site; /* call site of the last place */
	uint32_t seq;
	uint64_t time;
	uint64_t cgroup;
	int32_t pid;
	int32_t tgid;
	char comm[KMT_COMM_LEN];
	struct kmt_extra extra;
};

/* --- columns -------------------------------------------------------------- */

static inline void pack_put(struct pack *p, enum column_id id, uint64_t value)
{
	p->end[id] = varint_put(p->end[id], value);
}

/* Sets the byte of record @i of the batch in a column with a byte for each record. */
static inline void put_fixed(struct pack *p, unsigned int i, enum column_id id,
			     uint8_t value)
{
	p->fixed[id][i] = value;
}

struct pack *pack_create(void)
{
	struct pack *p = xcalloc(1, sizeof(*p));
	int id;

	slots_init(&p->places_by_site, PLACES_BITS);
	slots_init(&p->records_by_ptr, PTRS_BITS);
	stacks_init(&p->stacks);
	p->places = aligned_alloc(sizeof(*p->places), COLUMNS_RECORDS_MAX *
							      sizeof(*p->places));
	if (!p->places)
		die();
	p->ptrs = xcalloc(COLUMNS_RECORDS_MAX, sizeof(*p->ptrs));
	for (id = 0; id < COLUMNS; id++) {
		/* the kernel provides memory only for the pages that are used */
		p->columns.column[id].data =
			xmalloc(COLUMNS_GROWTH * TRACE_DATA_MAX);
	}
	return p;
}

void pack_destroy(struct pack *p)
{
	int id;

	if (!p)
		return;
	for (id = 0; id < COLUMNS; id++)
		free(p->columns.column[id].data);
	slots_exit(&p->places_by_site);
	slots_exit(&p->records_by_ptr);
	stacks_exit(&p->stacks);
	free(p->places);
	free(p->ptrs);
	free(p);
}

/*
 * Empties a hash, of which at least half then stays empty with @count numbers. A small one
 * stays in the CPU's cache.
 */
static void clear(struct slots *x, uint32_t count, uint32_t used)
{
	unsigned int bits = PLACES_BITS;

	while (bits < x->room && count >= 1u << (bits - 1))
		bits++;
	slots_clear(x, bits, used);
}

static void pack_start(struct pack *p, const uint8_t *data, size_t size)
{
	int id;

	/* a chunk has about as many places as the last one; see new_place() */
	clear(&p->places_by_site, p->nr_places, p->nr_places);
	clear(&p->records_by_ptr, kmt_record_count(data, size), p->columns.records);
	stacks_clear(&p->stacks);
	for (id = 0; id < COLUMNS; id++)
		p->end[id] = p->columns.column[id].data;
	p->columns.records = p->nr_places = 0;
	p->site = p->time = p->cgroup = 0;
	p->pid = p->tgid = 0;
	memset(p->comm, 0, sizeof(p->comm));
}

/* --- one record ----------------------------------------------------------- */

/*
 * Return: whether the number of a record is higher than that of the one before, and less than 2^31
 * higher than that of the first one.
 */
static bool is_next(const struct pack *p, uint32_t seq, const struct pack_span *span)
{
	return !span->records || ((int32_t)(seq - p->seq) > 0 &&
				  (int32_t)(seq - span->first) > 0);
}

/*
 * Return: whether encoding the event gives the same record, byte for byte. Each feature
 * then has its usual place and size, and the record contains nothing else.
 */
static bool is_regular(struct pack *p, const struct kmt_event *ev, size_t size,
		       const struct kmt_decoded *dec)
{
	uint8_t tail[KMT_RECORD_MAX];
	size_t extra;

	if (dec->bad || dec->unknown_id || dec->skipped_features ||
	    dec->skipped_bytes ||
	    (ev->features & KMT_FEATURE_CACHE &&
	     ev->type_id != KMEMTRACE_TYPE_CACHE) ||
	    (ev->features & KMT_FEATURE_PAGE &&
	     ev->type_id != KMEMTRACE_TYPE_PAGES))
		return false;
	if (!(ev->features & KMT_FEATURES_EXTRA))
		return true;
	kmt_record_decode_extra(ev, false, &p->extra);
	extra = kmt_record_extra_size(&p->extra, ev->features);
	kmt_record_encode_extra(tail, &p->extra, ev->features);
	return extra < size &&
	       !memcmp((const uint8_t *)ev->rec + size - extra, tail, extra);
}

static uint64_t hash_site(uint64_t site, unsigned int kind)
{
	return site ^ (uint64_t)kind << 56;
}

static uint64_t hash_place(const void *arg, uint32_t number)
{
	const struct pack *p = arg;
	const struct place *place = &p->places[number];

	return hash_site(place->call_site,
			 KMT_EVENT_KIND(place->event_id, place->type_id));
}

static struct place *new_place(struct pack *p, const struct kmt_event *ev)
{
	struct slots *x = &p->places_by_site;
	struct place *place = &p->places[p->nr_places++];

	*place = (struct place){ .call_site = ev->call_site,
				 .event_id = ev->event_id,
				 .type_id = ev->type_id };
	pack_put(p, COLUMN_PLACES, 4 * ev->event_id + ev->type_id);
	pack_put(p, COLUMN_PLACES, zigzag(ev->call_site - p->site));
	p->site = ev->call_site;
	if (p->nr_places >= 1u << (x->bits - 1))
		slots_rebuild(x, x->bits + 1, 0, p->nr_places, hash_place, p);
	return place;
}

static struct place *find_place(struct pack *p, const struct kmt_event *ev)
{
	uint64_t hash = hash_site(ev->call_site, kmt_event_kind(ev));
	struct slots *x = &p->places_by_site;
	const struct place *place = p->places;
	uint32_t at, number;

	if (slots_find(x, hash, at, number,
		       place[number].call_site == ev->call_site &&
		       place[number].event_id == ev->event_id &&
		       place[number].type_id == ev->type_id))
		return &p->places[number];
	slots_set(x, at, p->nr_places);
	return new_place(p, ev);
}

/* Return: distance in records to the last one with this address; 0 if there is none. */
static uint32_t find_ptr(struct pack *p, unsigned int i, uint64_t ptr)
{
	struct slots *x = &p->records_by_ptr;
	uint32_t at, number, own = p->columns.records + i;
	const uint64_t *ptrs = p->ptrs;
	bool found;

	p->ptrs[own] = ptr;
	found = slots_find(x, ptr, at, number, ptrs[number] == ptr);
	slots_set(x, at, own);
	return found ? own - number : 0;
}

static void put_ptr(struct pack *p, unsigned int i, struct place *place, uint64_t ptr)
{
	uint32_t ago = find_ptr(p, i, ptr);
	int64_t diff = ptr - place->ptr;

	place->ptr = ptr;
	put_fixed(p, i, COLUMN_PTR, ago);
	put_fixed(p, i, COLUMN_PTR_HIGH, ago >> 8);
	if (ago)
		return;
	if (diff % 8 == 0) {
		pack_put(p, COLUMN_PTRS, 2 * zigzag(diff / 8));
	} else {
		pack_put(p, COLUMN_PTRS, 1);
		pack_put(p, COLUMN_PTRS, zigzag(diff));
	}
}

static void put_seq(struct pack *p, unsigned int i, uint32_t seq)
{
	uint32_t left_out = p->columns.records + i ? seq - p->seq - 1 : 0;

	p->seq = seq;
	if (left_out < SEQ_ELSEWHERE) {
		put_fixed(p, i, COLUMN_SEQ, left_out);
	} else {
		put_fixed(p, i, COLUMN_SEQ, SEQ_ELSEWHERE);
		pack_put(p, COLUMN_SEQS, left_out);
	}
}

static void put_time(struct pack *p, unsigned int i, const struct kmt_event *ev)
{
	uint64_t diff = 0;

	if (ev->features & KMT_FEATURE_TIME) {
		diff = ev->time - p->time;
		p->time = ev->time;
	}
	if (diff >= TIME_ELSEWHERE) {
		pack_put(p, COLUMN_TIMES, zigzag(diff));
		diff = TIME_ELSEWHERE;
	}
	put_fixed(p, i, COLUMN_TIME, diff);
	put_fixed(p, i, COLUMN_TIME_HIGH, diff >> 8);
}

static unsigned int put_sizes(struct pack *p, struct place *place,
			      const struct kmt_event *ev)
{
	if (ev->bytes_req == place->bytes_req &&
	    ev->bytes_alloc == place->bytes_alloc)
		return 0;
	pack_put(p, COLUMN_SIZES, ev->bytes_req);
	pack_put(p, COLUMN_SIZES, ev->bytes_alloc - ev->bytes_req);
	place->bytes_req = ev->bytes_req;
	place->bytes_alloc = ev->bytes_alloc;
	return CHANGE_SIZES;
}

static unsigned int put_flags(struct pack *p, struct place *place,
			      const struct kmt_event *ev)
{
	if (ev->gfp_flags == place->gfp_flags && ev->node == place->node)
		return 0;
	pack_put(p, COLUMN_FLAGS, ev->gfp_flags);
	pack_put(p, COLUMN_FLAGS, zigzag(ev->node));
	place->gfp_flags = ev->gfp_flags;
	place->node = ev->node;
	return CHANGE_FLAGS;
}

static unsigned int put_numbers(struct pack *p, struct place *place,
				const struct kmt_event *ev)
{
	if (ev->cache == place->cache && ev->order == place->order &&
	    ev->migratetype == place->migratetype)
		return 0;
	if (ev->type_id == KMEMTRACE_TYPE_CACHE) {
		pack_put(p, COLUMN_NUMBERS, ev->cache);
	} else {
		pack_put(p, COLUMN_NUMBERS, ev->order);
		pack_put(p, COLUMN_NUMBERS, zigzag(ev->migratetype));
	}
	place->cache = ev->cache;
	place->order = ev->order;
	place->migratetype = ev->migratetype;
	return CHANGE_NUMBERS;
}

static unsigned int put_features(struct pack *p, struct place *place,
				 const struct kmt_event *ev)
{
	if (ev->features == place->features)
		return 0;
	pack_put(p, COLUMN_FEATURES, ev->features);
	place->features = ev->features;
	return CHANGE_FEATURES;
}

static unsigned int put_task(struct pack *p, struct place *place)
{
	const struct kmt_extra *x = &p->extra;
	unsigned int changes = 0;

	if (x->context != place->context ||
	    x->preempt_count != place->preempt_count) {
		changes |= CHANGE_CONTEXT;
		*p->end[COLUMN_CONTEXTS]++ = x->context;
		*p->end[COLUMN_CONTEXTS]++ = x->preempt_count;
		place->context = x->context;
		place->preempt_count = x->preempt_count;
	}
	if (x->pid == p->pid && x->tgid == p->tgid &&
	    !memcmp(x->comm, p->comm, sizeof(p->comm)))
		return changes;
	pack_put(p, COLUMN_TASKS, zigzag(x->pid));
	pack_put(p, COLUMN_TASKS, zigzag((int64_t)x->tgid - x->pid));
	memcpy(p->end[COLUMN_TASKS], x->comm, sizeof(x->comm));
	p->end[COLUMN_TASKS] += sizeof(x->comm);
	p->pid = x->pid;
	p->tgid = x->tgid;
	memcpy(p->comm, x->comm, sizeof(p->comm));
	return changes | CHANGE_TASK;
}

static void put_stack(struct pack *p, struct place *place, unsigned int *changes)
{
	const struct kmt_extra *x = &p->extra;
	uint32_t number;

	if (stacks_is(&p->stacks, place->stack, x->stack, x->depth))
		return;
	number = stacks_get(&p->stacks, x->stack, x->depth);
	place->stack = number;
	*changes |= CHANGE_STACK;
	pack_put(p, COLUMN_STACKS, number - 1);
}

static void put_extra(struct pack *p, struct place *place,
		      const struct kmt_event *ev, unsigned int *changes)
{
	if (ev->features & KMT_FEATURE_TASK)
		*changes |= put_task(p, place);
	if (ev->features & KMT_FEATURE_CGROUP &&
	    p->extra.cgroup != p->cgroup) {
		*changes |= CHANGE_CGROUP;
		pack_put(p, COLUMN_CGROUPS, p->extra.cgroup);
		p->cgroup = p->extra.cgroup;
	}
	if (ev->features & KMT_FEATURE_STACK)
		put_stack(p, place, changes);
}

static void pack_put_record(struct pack *p, unsigned int i, const struct kmt_event *ev)
{
	struct place *place = find_place(p, ev);
	unsigned int changes;
	uint32_t number;

	number = place - p->places;
	put_fixed(p, i, COLUMN_PLACE, number);
	put_fixed(p, i, COLUMN_PLACE_HIGH, number >> 8);
	changes = put_sizes(p, place, ev) | put_flags(p, place, ev) |
		  put_numbers(p, place, ev) | put_features(p, place, ev);
	if (ev->features & KMT_FEATURES_EXTRA)
		put_extra(p, place, ev, &changes);
	put_fixed(p, i, COLUMN_CHANGES, changes);
	put_seq(p, i, ev->seq);
	put_time(p, i, ev);
	put_ptr(p, i, place, ev->ptr);
}

static void extend(struct pack_span *span, const struct kmt_event *ev, size_t bytes)
{
	span->bytes += bytes;
	if (!span->records++)
		span->first = ev->seq;
	span->last = ev->seq;
	if (!(ev->features & KMT_FEATURE_TIME))
		return;
	if (!span->time_last || ev->time < span->time_first)
		span->time_first = ev->time;
	if (ev->time > span->time_last)
		span->time_last = ev->time;
}

/**
 * struct decoded - a decoded record
 * @ev: its event
 * @is_usual: see plain_is_usual(); and its values are valid
 * @dec: if it is not usual: other results of decoding it
 * @size: if it is not usual: its bytes
 * @plain: its bytes as a plain record
 */
struct decoded {
	struct kmt_event ev;
	bool is_usual;
	struct kmt_decoded dec;
	size_t size;
	size_t plain;
};

/**
 * struct decoded_batch - some decoded records
 * @count: number of records
 * @rec: the records
 */
struct decoded_batch {
	unsigned int count;
	struct decoded rec[PACK_BATCH];
};

/* Return: bytes of a plain record. The event of a compact one is changed. */
static size_t make_plain(struct kmt_event *ev, size_t size,
			 const struct kmt_decoded *dec, uint32_t features)
{
	if (!plain_is_compact(ev->rec, dec))
		return size;
	size -= kmt_compact_size(ev->event_id, ev->type_id);
	plain_keep(ev, features);
	return size + kmt_record_size(ev, ev->features);
}

/* Return: bytes of a record; -1 if it cannot be decoded. */
static inline int decode_one(const uint8_t *data, size_t left, const uint32_t *compact,
			     struct decoded *d)
{
	int used;

	d->is_usual = compact && plain_is_usual(data, left);
	if (d->is_usual) {
		plain_read_usual(data, *compact, &d->ev);
		d->is_usual = d->ev.event_id == KMEMTRACE_EVENT_FREE ?
				      d->ev.ptr != 0 :
				      d->ev.bytes_req && d->ev.bytes_alloc >= d->ev.bytes_req;
	}
	if (d->is_usual) {
		d->plain = kmt_record_size(&d->ev, d->ev.features);
		return kmt_compact_size(d->ev.event_id, d->ev.type_id);
	}
	if (compact)
		used = kmt_record_decode_any(data, left, false, &d->ev, &d->dec);
	else
		used = kmt_record_decode(data, left, false, &d->ev, &d->dec);
	if (used < 0)
		return -1;
	d->size = used;
	d->plain = compact ? make_plain(&d->ev, used, &d->dec, *compact) : (size_t)used;
	return used;
}

/*
 * Decodes some records. Their slots are prefetched: they are rarely in the L1 cache.
 * Return: bytes of the records; -1 if a record cannot be decoded.
 */
static ssize_t decode(struct pack *p, const uint8_t *data, size_t size,
		      const uint32_t *compact, struct decoded_batch *b)
{
	size_t pos = 0;
	int used;

	for (b->count = 0; b->count < PACK_BATCH && pos < size; b->count++) {
		const struct kmt_event *ev = &b->rec[b->count].ev;

		used = decode_one(data + pos, size - pos, compact, &b->rec[b->count]);
		if (used < 0)
			return -1;
		pos += used;
		slots_prefetch(&p->places_by_site,
			       hash_site(ev->call_site, kmt_event_kind(ev)));
		slots_prefetch(&p->records_by_ptr, ev->ptr);
	}
	return pos;
}

/* The columns have room for a whole batch: see pack_create(). */
static void end_batch(struct pack *p, unsigned int count)
{
	int id;

	for (id = 0; id < COLUMNS_FIXED; id++)
		memcpy(p->columns.column[id].data + p->columns.records, p->fixed[id],
		       PACK_BATCH);
	p->columns.records += count;
}

static bool put_batch(struct pack *p, const struct decoded_batch *b, struct pack_span *span)
{
	unsigned int i;

	for (i = 0; i < b->count; i++) {
		const struct kmt_event *ev = &b->rec[i].ev;

		const struct decoded *d = &b->rec[i];

		if (!is_next(p, ev->seq, span) || (!d->is_usual && (!is_regular(p, ev, d->size, &d->dec) || d->plain > UINT16_MAX)))
			return false;
		pack_put_record(p, i, ev);
		extend(span, ev, d->plain);
	}
	end_batch(p, b->count);
	return true;
}

struct columns *pack_records(struct pack *p, const uint8_t *data, size_t size,
			     const uint32_t *compact, struct pack_span *span)
{
	struct decoded_batch batch;
	size_t pos = 0;
	ssize_t used;
	int id;

	pack_start(p, data, size);
	*span = (struct pack_span){ 0 };
	while (pos < size) {
		used = decode(p, data + pos, size - pos, compact, &batch);
		if (used < 0 || !put_batch(p, &batch, span))
			return NULL;
		pos += used;
	}
	for (id = 0; id < COLUMNS_FIXED; id++)
		p->columns.column[id].size = p->columns.records;
	for (; id < COLUMNS; id++)
		p->columns.column[id].size =
			p->end[id] - p->columns.column[id].data;
	return &p->columns;
}

void pack_span(const uint8_t *data, size_t size, struct pack_span *span)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used;

	*span = (struct pack_span){ 0 };
	while (pos < size) {
		used = kmt_record_decode(data + pos, size - pos, false, &ev,
					 &dec);
		if (used <= 0)
			return;
		extend(span, &ev, used);
		pos += used;
	}
}

size_t pack_stacks(const struct pack *p, size_t *bytes)
{
	*bytes = (p->stacks.count - 1 + p->stacks.nr_callers) * sizeof(uint64_t);
	return p->stacks.count - 1;
}

void pack_list(const struct pack *p, uint64_t *list)
{
	const uint64_t *callers;
	size_t depth, i;

	for (i = 1; i < p->stacks.count; i++) {
		callers = stacks_at(&p->stacks, i, &depth);
		*list++ = depth;
		memcpy(list, callers, depth * sizeof(*list));
		list += depth;
	}
}

/* --- chunks --------------------------------------------------------------- */

#define ZSTD_LEVEL 1
/* compressing fewer bytes saves less than the header of the frame takes */
#define WORTH_COMPRESSING 64
/* a packer keeps this much memory */
#define ROOM_KEPT (2 * TRACE_DATA_MAX)

void packer_init(struct packer *p, bool records)
{
	*p = (struct packer){ 0 };
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		die();
	if (records)
		p->pack = pack_create();
}

void packer_exit(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	pack_destroy(p->pack);
	free(p->room);
	free(p->plain);
	*p = (struct packer){ 0 };
}

/* Makes memory large enough, and forgets its contents. */
static void enlarge(uint8_t **memory, size_t *have, size_t size)
{
	if (size <= *have)
		return;
	free(*memory);
	*memory = xmalloc(size);
	*have = size;
}

void packer_trim(struct packer *p)
{
	if (p->room_size <= ROOM_KEPT)
		return;
	free(p->room);
	p->room = NULL;
	p->room_size = 0;
}

/* Puts the list of stacks behind the columns. Return: bytes of both. */
static size_t put_list(struct packer *p, struct chunk *c)
{
	size_t bytes;

	c->nr_stacks = pack_stacks(p->pack, &bytes);
	if (!c->nr_stacks)
		return c->size;
	c->list_at = (c->size + 7) & ~7ul;
	pack_list(p->pack, (uint64_t *)(p->room + c->list_at));
	return c->list_at + bytes;
}

/* Return: bytes of the columns with the list; 0: the records cannot be stored as columns. */
static size_t pack_columns(struct packer *p, struct chunk *c)
{
	size_t raw = c->head.raw_size;
	const struct columns *columns =
		pack_records(p->pack, c->data, raw,
			     c->is_compact ? &c->features : NULL, &c->span);
	ssize_t n;

	if (!columns || raw <= COLUMNS_HEAD_MAX)
		return 0;
	enlarge(&p->room, &p->room_size, 2 * raw + sizeof(uint64_t));
	n = columns_compress(columns, 0, COLUMN_CALLERS, p->zstd, p->room,
			     raw - COLUMNS_HEAD_MAX, c->quick, &c->sizes);
	if (n < 0)
		return 0;
	c->data = p->room;
	c->size = n;
	c->is_columns = true;
	c->head.codec = TRACE_CODEC_COLUMNS;
	c->head.raw_size = c->span.bytes;
	return put_list(p, c);
}

static void compress_bytes(struct packer *p, struct chunk *c)
{
	size_t bound = ZSTD_compressBound(c->size), n;

	if (c->size < WORTH_COMPRESSING)
		return;
	enlarge(&p->room, &p->room_size, bound);
	n = ZSTD_compressCCtx(p->zstd, p->room, bound, c->data, c->size,
			      ZSTD_LEVEL);
	zstd_need_memory(n);
	if (ZSTD_isError(n) || n >= c->size)
		return;
	c->data = p->room;
	c->size = n;
	c->head.codec = TRACE_CODEC_ZSTD;
}

/* Return: bytes of the next record in @from; those of the plain one in *to_size. */
static size_t copy_plain(const struct chunk *c, const uint8_t *from, size_t left,
			 uint8_t *to, size_t *to_size)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used = kmt_record_decode_any(from, left, false, &ev, &dec);

	if (used > 0 && plain_is_compact(from, &dec)) {
		uint32_t kept = ev.features & c->features;

		*to_size = plain_put(to, &ev, kept, used, plain_tail(&ev, kept, used));
		return used;
	}
	/* what cannot be decoded ends the records */
	*to_size = used > 0 ? (size_t)used : left;
	memcpy(to, from, *to_size);
	return *to_size;
}

/* Makes compact records plain: they cannot be put into columns. */
static void make_all_plain(struct packer *p, struct chunk *c)
{
	size_t pos = 0, size = 0, n;

	/* a plain record is less than twice as long */
	enlarge(&p->plain, &p->plain_size, 2 * c->size);
	for (; pos < c->size; size += n)
		pos += copy_plain(c, c->data + pos, c->size - pos, p->plain + size, &n);
	c->data = p->plain;
	c->size = c->head.raw_size = size;
	c->is_compact = false;
}

size_t packer_pack(struct packer *p, struct chunk *c)
{
	bool has_records = c->kind == CHUNK_RECORDS && c->head.raw_size;
	size_t n = 0;

	c->size = c->head.raw_size;
	if (has_records)
		n = pack_columns(p, c);
	if (!n && has_records && c->is_compact)
		make_all_plain(p, c);
	if (!n) {
		if (has_records)
			pack_span(c->data, c->size, &c->span);
		compress_bytes(p, c);
		n = c->size;
	}
	c->crc = crc32(0, c->data, c->size);
	return n;
}
