// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/slots.h"
#include "kmt_record.h"
#include "trace/pack.h"
#include "trace/varint.h"

#define GOLDEN 0x9e3779b97f4a7c15ull

/* Each record may have a different place, address and stack. */
#define INDEX_BITS 17
static_assert(1 << (INDEX_BITS - 1) > COLUMNS_RECORDS_MAX, "half empty");

/**
 * struct stack - a stack of this chunk
 * @at: its addresses, in the records
 * @depth: number of addresses
 */
struct stack {
	const uint8_t *at;
	uint8_t depth;
};

struct pack {
	struct columns columns;
	uint8_t *end[COLUMNS]; /* end of the data in each column */
	struct slots places_by_site;
	struct slots records_by_ptr; /* the last record of each address */
	struct slots stacks_by_callers;
	struct place *places;
	uint32_t nr_places;
	uint64_t *ptrs; /* addresses of the records so far */
	struct stack *stacks;
	uint32_t nr_stacks;
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

static inline void put(struct pack *p, enum column_id id, uint64_t value)
{
	p->end[id] = varint_put(p->end[id], value);
}

static inline void put_byte(struct pack *p, enum column_id id, uint8_t value)
{
	*p->end[id]++ = value;
}

struct pack *pack_create(void)
{
	struct pack *p = calloc(1, sizeof(*p));
	bool ok;
	int id;

	if (!p)
		return NULL;
	ok = slots_init(&p->places_by_site, INDEX_BITS) &&
	     slots_init(&p->records_by_ptr, INDEX_BITS) &&
	     slots_init(&p->stacks_by_callers, INDEX_BITS);
	p->places = aligned_alloc(sizeof(*p->places), COLUMNS_RECORDS_MAX *
							      sizeof(*p->places));
	p->ptrs = calloc(COLUMNS_RECORDS_MAX, sizeof(*p->ptrs));
	p->stacks = calloc(COLUMNS_RECORDS_MAX, sizeof(*p->stacks));
	ok = ok && p->places && p->ptrs && p->stacks;
	for (id = 0; id < COLUMNS; id++) {
		/* the kernel provides memory only for the pages that are used */
		p->columns.column[id].data =
			malloc(COLUMNS_GROWTH * TRACE_DATA_MAX);
		ok = ok && p->columns.column[id].data;
	}
	if (ok)
		return p;
	pack_destroy(p);
	return NULL;
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
	slots_exit(&p->stacks_by_callers);
	free(p->places);
	free(p->ptrs);
	free(p->stacks);
	free(p);
}

static void start(struct pack *p, size_t size)
{
	unsigned int bits = 8;
	int id;

	/* a smaller table for fewer records stays in the CPU's cache */
	while (bits < INDEX_BITS &&
	       size / sizeof(struct kmemtrace_event) >= 1u << (bits - 1))
		bits++;
	slots_clear(&p->places_by_site, bits, p->nr_places);
	slots_clear(&p->records_by_ptr, bits, p->columns.records);
	slots_clear(&p->stacks_by_callers, bits, p->nr_stacks);
	for (id = 0; id < COLUMNS; id++)
		p->end[id] = p->columns.column[id].data;
	p->columns.records = p->nr_places = p->nr_stacks = 0;
	p->site = p->time = p->cgroup = 0;
	p->pid = p->tgid = 0;
	memset(p->comm, 0, sizeof(p->comm));
}

/* --- one record ----------------------------------------------------------- */

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
	if (p->columns.records && (int32_t)(ev->seq - p->seq) <= 0)
		return false;
	if (!(ev->features & KMT_FEATURES_EXTRA))
		return true;
	kmt_record_decode_extra(ev, false, &p->extra);
	extra = kmt_record_extra_size(&p->extra, ev->features);
	kmt_record_encode_extra(tail, &p->extra, ev->features);
	return extra < size &&
	       !memcmp((const uint8_t *)ev->rec + size - extra, tail, extra);
}

static struct place *new_place(struct pack *p, const struct kmt_event *ev)
{
	struct place *place = &p->places[p->nr_places++];

	*place = (struct place){ .call_site = ev->call_site,
				 .event_id = ev->event_id,
				 .type_id = ev->type_id };
	put(p, COLUMN_PLACES, 4 * ev->event_id + ev->type_id);
	put(p, COLUMN_PLACES, zigzag(ev->call_site - p->site));
	p->site = ev->call_site;
	return place;
}

static struct place *find_place(struct pack *p, const struct kmt_event *ev)
{
	unsigned int kind = kmt_event_kind(ev);
	struct slots *x = &p->places_by_site;
	const struct place *place = p->places;
	uint32_t at, number;

	if (slots_find(x, ev->call_site ^ (uint64_t)kind << 56, at, number,
		       place[number].call_site == ev->call_site &&
		       place[number].event_id == ev->event_id &&
		       place[number].type_id == ev->type_id))
		return &p->places[number];
	slots_set(x, at, p->nr_places);
	return new_place(p, ev);
}

/* Return: distance in records to the last one with this address; 0 if there is none. */
static uint32_t find_ptr(struct pack *p, uint64_t ptr)
{
	struct slots *x = &p->records_by_ptr;
	uint32_t at, number;
	bool found;

	p->ptrs[p->columns.records] = ptr;
	found = slots_find(x, ptr, at, number, p->ptrs[number] == ptr);
	slots_set(x, at, p->columns.records);
	return found ? p->columns.records - number : 0;
}

static void put_ptr(struct pack *p, struct place *place, uint64_t ptr)
{
	uint32_t ago = find_ptr(p, ptr);
	int64_t diff = ptr - place->ptr;

	place->ptr = ptr;
	put_byte(p, COLUMN_PTR, ago);
	put_byte(p, COLUMN_PTR_HIGH, ago >> 8);
	if (ago)
		return;
	if (diff % 8 == 0) {
		put(p, COLUMN_PTRS, 2 * zigzag(diff / 8));
	} else {
		put(p, COLUMN_PTRS, 1);
		put(p, COLUMN_PTRS, zigzag(diff));
	}
}

static void put_seq(struct pack *p, uint32_t seq)
{
	uint32_t left_out = p->columns.records ? seq - p->seq - 1 : 0;

	p->seq = seq;
	if (left_out < SEQ_ELSEWHERE) {
		put_byte(p, COLUMN_SEQ, left_out);
	} else {
		put_byte(p, COLUMN_SEQ, SEQ_ELSEWHERE);
		put(p, COLUMN_SEQS, left_out);
	}
}

static void put_time(struct pack *p, const struct kmt_event *ev)
{
	uint64_t diff = 0;

	if (ev->features & KMT_FEATURE_TIME) {
		diff = ev->time - p->time;
		p->time = ev->time;
	}
	if (diff >= TIME_ELSEWHERE) {
		put(p, COLUMN_TIMES, zigzag(diff));
		diff = TIME_ELSEWHERE;
	}
	put_byte(p, COLUMN_TIME, diff);
	put_byte(p, COLUMN_TIME_HIGH, diff >> 8);
}

static unsigned int put_sizes(struct pack *p, struct place *place,
			      const struct kmt_event *ev)
{
	if (ev->bytes_req == place->bytes_req &&
	    ev->bytes_alloc == place->bytes_alloc)
		return 0;
	put(p, COLUMN_SIZES, ev->bytes_req);
	put(p, COLUMN_SIZES, ev->bytes_alloc - ev->bytes_req);
	place->bytes_req = ev->bytes_req;
	place->bytes_alloc = ev->bytes_alloc;
	return CHANGE_SIZES;
}

static unsigned int put_flags(struct pack *p, struct place *place,
			      const struct kmt_event *ev)
{
	if (ev->gfp_flags == place->gfp_flags && ev->node == place->node)
		return 0;
	put(p, COLUMN_FLAGS, ev->gfp_flags);
	put(p, COLUMN_FLAGS, zigzag(ev->node));
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
		put(p, COLUMN_NUMBERS, ev->cache);
	} else {
		put(p, COLUMN_NUMBERS, ev->order);
		put(p, COLUMN_NUMBERS, zigzag(ev->migratetype));
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
	put(p, COLUMN_FEATURES, ev->features);
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
		put_byte(p, COLUMN_CONTEXTS, x->context);
		put_byte(p, COLUMN_CONTEXTS, x->preempt_count);
		place->context = x->context;
		place->preempt_count = x->preempt_count;
	}
	if (x->pid == p->pid && x->tgid == p->tgid &&
	    !memcmp(x->comm, p->comm, sizeof(p->comm)))
		return changes;
	put(p, COLUMN_TASKS, zigzag(x->pid));
	put(p, COLUMN_TASKS, zigzag((int64_t)x->tgid - x->pid));
	memcpy(p->end[COLUMN_TASKS], x->comm, sizeof(x->comm));
	p->end[COLUMN_TASKS] += sizeof(x->comm);
	p->pid = x->pid;
	p->tgid = x->tgid;
	memcpy(p->comm, x->comm, sizeof(p->comm));
	return changes | CHANGE_TASK;
}

static uint64_t hash_callers(const struct kmt_extra *x)
{
	uint64_t hash = x->depth;
	unsigned int i;

	for (i = 0; i < x->depth; i++)
		hash = ((hash ^ x->stack[i]) * GOLDEN) ^ hash >> 32;
	return hash;
}

/* Return: the index of the stack. */
static uint32_t find_stack(struct pack *p)
{
	const struct kmt_extra *x = &p->extra;
	struct slots *s = &p->stacks_by_callers;
	size_t size = x->depth * sizeof(x->stack[0]);
	uint32_t at, number;

	if (slots_find(s, hash_callers(x), at, number,
		       p->stacks[number].depth == x->depth &&
		       !memcmp(p->stacks[number].at, x->stack, size)))
		return number;
	slots_set(s, at, p->nr_stacks);
	return p->nr_stacks;
}

/* @end: end of the record; the addresses of the stack are the last part of a record */
static unsigned int put_stack(struct pack *p, struct place *place,
			      const uint8_t *end)
{
	const struct kmt_extra *x = &p->extra;
	uint32_t number = find_stack(p);
	unsigned int i;

	if (place->stack == number + 1)
		return 0;
	place->stack = number + 1;
	put(p, COLUMN_STACKS, number);
	if (number < p->nr_stacks)
		return CHANGE_STACK;
	p->stacks[p->nr_stacks++] = (struct stack){
		end - x->depth * sizeof(x->stack[0]), x->depth };
	put(p, COLUMN_STACKS, x->depth);
	for (i = 0; i < x->depth; i++)
		put(p, COLUMN_CALLERS, zigzag(x->stack[i]));
	return CHANGE_STACK;
}

static unsigned int put_extra(struct pack *p, struct place *place,
			      const struct kmt_event *ev, const uint8_t *end)
{
	unsigned int changes = 0;

	if (ev->features & KMT_FEATURE_TASK)
		changes |= put_task(p, place);
	if (ev->features & KMT_FEATURE_CGROUP &&
	    p->extra.cgroup != p->cgroup) {
		changes |= CHANGE_CGROUP;
		put(p, COLUMN_CGROUPS, p->extra.cgroup);
		p->cgroup = p->extra.cgroup;
	}
	if (ev->features & KMT_FEATURE_STACK)
		changes |= put_stack(p, place, end);
	return changes;
}

static void put_record(struct pack *p, const struct kmt_event *ev,
		       const uint8_t *end)
{
	struct place *place = find_place(p, ev);
	uint32_t number = place - p->places;
	unsigned int changes;

	put_byte(p, COLUMN_PLACE, number);
	put_byte(p, COLUMN_PLACE_HIGH, number >> 8);
	changes = put_sizes(p, place, ev) | put_flags(p, place, ev) |
		  put_numbers(p, place, ev) | put_features(p, place, ev);
	if (ev->features & KMT_FEATURES_EXTRA)
		changes |= put_extra(p, place, ev, end);
	put_byte(p, COLUMN_CHANGES, changes);
	put_seq(p, ev->seq);
	put_time(p, ev);
	put_ptr(p, place, ev->ptr);
	p->columns.records++;
}

const struct columns *pack_records(struct pack *p, const uint8_t *data,
				   size_t size)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used, id;

	start(p, size);
	while (pos < size) {
		used = kmt_record_decode(data + pos, size - pos, false, &ev,
					 &dec);
		if (used < 0 || !is_regular(p, &ev, used, &dec))
			return NULL;
		pos += used;
		put_record(p, &ev, data + pos);
	}
	for (id = 0; id < COLUMNS; id++)
		p->columns.column[id].size =
			p->end[id] - p->columns.column[id].data;
	return &p->columns;
}
