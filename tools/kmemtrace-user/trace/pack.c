// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/slots.h"
#include "kmt_record.h"
#include "trace/pack.h"
#include "trace/stackdefs.h"
#include "trace/varint.h"

/* Each record may have a different place and address. */
#define INDEX_BITS 17
static_assert(1 << (INDEX_BITS - 1) > COLUMNS_RECORDS_MAX, "half empty");

/**
 * struct used_stack - use of a stack in the chunks
 * @chunk: the last chunk with this stack
 * @index: index of the stack in that chunk
 */
struct used_stack {
	uint32_t chunk;
	uint32_t index;
};

struct pack {
	struct columns columns;
	uint8_t *end[COLUMNS]; /* end of the data in each column */
	struct slots places_by_site;
	struct slots records_by_ptr; /* the last record of each address */
	struct place *places;
	uint32_t nr_places;
	uint64_t *ptrs; /* addresses of the records so far */
	struct stacks stacks; /* of this generation */
	uint32_t generation;  /* number of its first stack in the recording */
	size_t defined;	      /* the stacks before this one are in the file */
	uint8_t *definitions;
	struct used_stack *used; /* by number in @stacks */
	size_t used_room;
	uint32_t chunk;	    /* number of the chunk, never 0 */
	uint32_t nr_stacks; /* stacks of the chunk */
	uint32_t last_stack; /* the last new one of them */
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
	     stacks_init(&p->stacks);
	p->defined = 1;
	p->places = aligned_alloc(sizeof(*p->places), COLUMNS_RECORDS_MAX *
							      sizeof(*p->places));
	p->ptrs = calloc(COLUMNS_RECORDS_MAX, sizeof(*p->ptrs));
	p->definitions = malloc(TRACE_STACKS_MAX);
	ok = ok && p->places && p->ptrs && p->definitions;
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
	stacks_exit(&p->stacks);
	free(p->definitions);
	free(p->used);
	free(p->places);
	free(p->ptrs);
	free(p);
}

/*
 * Forgets all stacks if those of the next chunk might be too many. Numbers are never used
 * twice, because a reader may still have earlier records in memory.
 */
static void limit_stacks(struct pack *p, size_t size)
{
	size_t more = size / sizeof(struct kmemtrace_event);

	if (p->stacks.count + more > PACK_STACKS_MAX ||
	    p->stacks.nr_callers + size / sizeof(uint64_t) > PACK_CALLERS_MAX) {
		p->generation += p->stacks.count - 1;
		stacks_clear(&p->stacks);
	}
	p->defined = p->stacks.count;
	p->nr_stacks = p->last_stack = 0;
	if (++p->chunk)
		return;
	/* after 4 billion chunks */
	memset(p->used, 0, p->used_room * sizeof(*p->used));
	p->chunk = 1;
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
	limit_stacks(p, size);
	for (id = 0; id < COLUMNS; id++)
		p->end[id] = p->columns.column[id].data;
	p->columns.records = p->nr_places = 0;
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

/*
 * Puts the number of a stack into the columns: its index in the chunk and, for the first
 * record of the stack, its number in the recording.
 */
static void put_number(struct pack *p, uint32_t number)
{
	struct used_stack *used = &p->used[number];
	uint32_t in_file = p->generation + number - 1;

	if (used->chunk == p->chunk) {
		put(p, COLUMN_STACKS, used->index);
		return;
	}
	*used = (struct used_stack){ p->chunk, p->nr_stacks++ };
	put(p, COLUMN_STACKS, used->index);
	put(p, COLUMN_CALLERS, zigzag((int32_t)(in_file - p->last_stack)));
	p->last_stack = in_file;
}

static bool fit_used(struct pack *p)
{
	size_t room = p->used_room;

	if (p->stacks.count <= room)
		return true;
	if (!array_fit(p->used, p->used_room, 2 * p->stacks.count))
		return false;
	memset(p->used + room, 0, (p->used_room - room) * sizeof(*p->used));
	return true;
}

/* Return: false if memory ran out. */
static bool put_stack(struct pack *p, struct place *place, unsigned int *changes)
{
	const struct kmt_extra *x = &p->extra;
	uint32_t number;

	if (stacks_is(&p->stacks, place->stack, x->stack, x->depth))
		return true;
	number = stacks_get(&p->stacks, x->stack, x->depth);
	if (number == STACKS_FULL || !fit_used(p))
		return false;
	place->stack = number;
	*changes |= CHANGE_STACK;
	put_number(p, number);
	return true;
}

/* Return: false if memory ran out. */
static bool put_extra(struct pack *p, struct place *place,
		      const struct kmt_event *ev, unsigned int *changes)
{
	if (ev->features & KMT_FEATURE_TASK)
		*changes |= put_task(p, place);
	if (ev->features & KMT_FEATURE_CGROUP &&
	    p->extra.cgroup != p->cgroup) {
		*changes |= CHANGE_CGROUP;
		put(p, COLUMN_CGROUPS, p->extra.cgroup);
		p->cgroup = p->extra.cgroup;
	}
	return !(ev->features & KMT_FEATURE_STACK) ||
	       put_stack(p, place, changes);
}

/* Return: false if memory ran out. */
static bool put_record(struct pack *p, const struct kmt_event *ev)
{
	struct place *place = find_place(p, ev);
	uint32_t number = place - p->places;
	unsigned int changes;

	put_byte(p, COLUMN_PLACE, number);
	put_byte(p, COLUMN_PLACE_HIGH, number >> 8);
	changes = put_sizes(p, place, ev) | put_flags(p, place, ev) |
		  put_numbers(p, place, ev) | put_features(p, place, ev);
	if (ev->features & KMT_FEATURES_EXTRA &&
	    !put_extra(p, place, ev, &changes))
		return false;
	put_byte(p, COLUMN_CHANGES, changes);
	put_seq(p, ev->seq);
	put_time(p, ev);
	put_ptr(p, place, ev->ptr);
	p->columns.records++;
	return true;
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
		if (used < 0 || !is_regular(p, &ev, used, &dec) ||
		    !put_record(p, &ev))
			return NULL;
		pos += used;
	}
	for (id = 0; id < COLUMNS; id++)
		p->columns.column[id].size =
			p->end[id] - p->columns.column[id].data;
	return &p->columns;
}

void pack_new_stacks(struct pack *p, struct pack_stacks *to)
{
	uint8_t *end = p->definitions;
	const uint64_t *callers;
	size_t i, depth;

	*to = (struct pack_stacks){
		.data = p->definitions,
		.first = p->generation + p->defined - 1,
		.generation = p->generation,
	};
	for (i = p->defined; i < p->stacks.count; i++) {
		callers = stacks_at(&p->stacks, i, &depth);
		end = stackdefs_put(end, callers, depth);
	}
	p->defined = p->stacks.count;
	to->size = end - p->definitions;
}
