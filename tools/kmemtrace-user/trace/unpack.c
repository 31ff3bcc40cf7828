// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_record.h"
#include "trace/unpack.h"
#include "trace/varint.h"

/**
 * struct unpack_rest - values of records that are not in events
 * @extra: values of the last record
 * @defs: definitions of stacks
 * @stacks: numbers in @defs->stacks of the stacks of the chunk
 * @nr_stacks: number of stacks
 * @stacks_room: number of stacks that fit into the memory of @stacks
 * @last_stack: number in the file of the last new stack
 */
struct unpack_rest {
	struct kmt_extra extra;
	struct stackdefs *defs;
	uint32_t *stacks;
	uint32_t nr_stacks;
	size_t stacks_room;
	uint32_t last_stack;
};

void unpack_init(struct unpack *u, unsigned int want,
		 struct stackdefs *defs)
{
	memset(u, 0, sizeof(*u));
	u->want = want;
	if (want == WANT_EVENTS)
		return;
	u->rest = xcalloc(1, sizeof(*u->rest));
	u->rest->defs = defs;
}

void unpack_trim(struct unpack *u)
{
	struct unpack_rest *rest = u->rest;
	unsigned int want = u->want;

	free(u->buffer);
	free(u->now.places);
	free(u->now.ptrs);
	if (rest) {
		free(rest->stacks);
		*rest = (struct unpack_rest){ .defs = rest->defs };
	}
	*u = (struct unpack){ .want = want, .rest = rest };
}

void unpack_exit(struct unpack *u)
{
	unpack_trim(u);
	free(u->rest);
}

size_t unpack_memory(const struct unpack *u)
{
	size_t size = u->buffer_room +
		      u->places_room * sizeof(*u->now.places) +
		      u->ptrs_room * sizeof(*u->now.ptrs);

	if (u->rest)
		size += u->rest->stacks_room * sizeof(*u->rest->stacks);
	return size;
}

/* --- start of a chunk ----------------------------------------------------- */

static bool unpack_get(struct unpack *u, enum column_id id, uint64_t *value)
{
	const struct column *column = &u->columns.column[id];

	return varint_get(&u->at[id], column->data + column->size, value);
}

static void make_places(struct unpack *u, size_t count)
{
	struct place **places = &u->now.places;

	if (count <= u->places_room)
		return;
	free(*places);
	*places = aligned_alloc(sizeof(**places), count * sizeof(**places));
	if (!*places)
		die();
	u->places_room = count;
}

/* Each place takes at least two bytes in its column, and has at least one record. */
static bool read_places(struct unpack *u)
{
	const struct column *column = &u->columns.column[COLUMN_PLACES];
	uint64_t kind, diff, site = 0;
	size_t max = column->size / 2;
	uint32_t n = 0;

	if (max > u->columns.records)
		max = u->columns.records;
	make_places(u, max);
	while (u->at[COLUMN_PLACES] < column->data + column->size) {
		if (n == max || !unpack_get(u, COLUMN_PLACES, &kind) ||
		    !unpack_get(u, COLUMN_PLACES, &diff) ||
		    kind > 4 * KMEMTRACE_EVENT_FREE + KMEMTRACE_TYPE_PERCPU)
			return false;
		site += unzigzag(diff);
		u->now.places[n++] = (struct place){ .call_site = site,
						     .event_id = kind / 4,
						     .type_id = kind % 4 };
	}
	u->now.nr_places = n;
	return true;
}

/* Sets u->last. Return: whether all sequence numbers can be read. */
static bool find_last(struct unpack *u)
{
	const uint8_t *left_out = u->columns.column[COLUMN_SEQ].data;
	const uint8_t *start = u->at[COLUMN_SEQS];
	uint64_t sum = u->columns.records - 1, value;
	uint32_t i;

	for (i = 1; i < u->columns.records; i++) {
		value = left_out[i];
		if (value == SEQ_ELSEWHERE &&
		    (!unpack_get(u, COLUMN_SEQS, &value) || value > INT32_MAX))
			return false;
		sum += value;
	}
	u->at[COLUMN_SEQS] = start;
	u->last = u->now.seq + sum;
	return sum <= INT32_MAX;
}

static void unpack_start(struct unpack *u, uint64_t first)
{
	int id;

	for (id = 0; id < COLUMNS; id++)
		u->at[id] = u->columns.column[id].data;
	for (id = 0; id < COLUMNS_FIXED; id++)
		u->now.fixed[id] = u->columns.column[id].data;
	u->now.seq = first;
	if (!u->rest)
		return;
	memset(&u->rest->extra, 0, sizeof(u->rest->extra));
	u->rest->nr_stacks = u->rest->last_stack = 0;
}

bool unpack_open(struct unpack *u, struct unzstd *unzstd, const uint8_t *from,
		 size_t size, size_t raw_size, uint64_t first)
{
	struct columns columns;
	int err;

	u->now.records = u->now.next = 0;
	err = columns_load(&columns, unzstd, from, size, raw_size, &u->buffer,
			   &u->buffer_room);
	return !err && unpack_begin(u, &columns, first);
}

bool unpack_begin(struct unpack *u, const struct columns *columns, uint64_t first)
{
	u->columns = *columns;
	u->now.records = u->now.next = 0;
	u->now.time = 0;
	array_fit(u->now.ptrs, u->ptrs_room, u->columns.records);
	unpack_start(u, first);
	if (!read_places(u) || !find_last(u))
		return false;
	u->now.records = u->columns.records;
	return true;
}

bool unpack_next(struct unpack *u, struct kmt_event *ev)
{
	return unpack_step(u, &u->now, ev);
}

/* --- changes -------------------------------------------------------------- */

static bool change_sizes(struct unpack *u, struct place *place)
{
	uint64_t more;

	if (!unpack_get(u, COLUMN_SIZES, &place->bytes_req) ||
	    !unpack_get(u, COLUMN_SIZES, &more))
		return false;
	place->bytes_alloc = place->bytes_req + more;
	return true;
}

static bool change_flags(struct unpack *u, struct place *place)
{
	uint64_t flags, node;

	if (!unpack_get(u, COLUMN_FLAGS, &flags) || !unpack_get(u, COLUMN_FLAGS, &node))
		return false;
	place->gfp_flags = flags;
	place->node = unzigzag(node);
	return flags <= UINT32_MAX;
}

static bool change_numbers(struct unpack *u, struct place *place)
{
	uint64_t number, migratetype;

	if (!unpack_get(u, COLUMN_NUMBERS, &number))
		return false;
	if (place->type_id == KMEMTRACE_TYPE_CACHE) {
		place->cache = number;
		return number <= UINT16_MAX;
	}
	if (!unpack_get(u, COLUMN_NUMBERS, &migratetype))
		return false;
	place->order = number;
	place->migratetype = unzigzag(migratetype);
	return number <= UINT8_MAX;
}

/* A record has at most the features of its kind. */
static bool change_features(struct unpack *u, struct place *place)
{
	uint32_t can = KMT_FEATURES_ALL;
	uint64_t features;

	if (!unpack_get(u, COLUMN_FEATURES, &features))
		return false;
	if (place->type_id != KMEMTRACE_TYPE_CACHE)
		can &= ~KMT_FEATURE_CACHE;
	if (place->type_id != KMEMTRACE_TYPE_PAGES)
		can &= ~KMT_FEATURE_PAGE;
	place->features = features;
	return !(features & ~(uint64_t)can);
}

static bool change_task(struct unpack *u)
{
	const struct column *column = &u->columns.column[COLUMN_TASKS];
	struct kmt_extra *x = &u->rest->extra;
	uint64_t pid, diff;

	if (!unpack_get(u, COLUMN_TASKS, &pid) || !unpack_get(u, COLUMN_TASKS, &diff) ||
	    column->data + column->size - u->at[COLUMN_TASKS] <
		    (ptrdiff_t)sizeof(x->comm))
		return false;
	x->pid = unzigzag(pid);
	x->tgid = x->pid + (uint64_t)unzigzag(diff);
	memcpy(x->comm, u->at[COLUMN_TASKS], sizeof(x->comm));
	u->at[COLUMN_TASKS] += sizeof(x->comm);
	return true;
}

static bool new_stack(struct unpack *u)
{
	struct unpack_rest *r = u->rest;
	uint32_t number;
	uint64_t diff;

	if (!unpack_get(u, COLUMN_CALLERS, &diff))
		return false;
	r->last_stack += unzigzag(diff);
	number = stackdefs_find(r->defs, r->last_stack);
	r->defs->undefined += number == STACKS_NONE;
	/* a record adds at most one stack */
	array_fit(r->stacks, r->stacks_room, u->columns.records);
	r->stacks[r->nr_stacks++] = number;
	return true;
}

static bool change_stack(struct unpack *u, struct place *place)
{
	struct unpack_rest *r = u->rest;
	uint64_t number;

	if (!unpack_get(u, COLUMN_STACKS, &number) || number > r->nr_stacks ||
	    (number == r->nr_stacks && !new_stack(u)))
		return false;
	place->stack = r->stacks[number];
	return true;
}

static bool change_context(struct unpack *u, struct place *place)
{
	const struct column *column = &u->columns.column[COLUMN_CONTEXTS];

	if (column->data + column->size - u->at[COLUMN_CONTEXTS] < 2)
		return false;
	place->context = *u->at[COLUMN_CONTEXTS]++;
	place->preempt_count = *u->at[COLUMN_CONTEXTS]++;
	return true;
}

static bool change_extra(struct unpack *u, struct place *place,
			 unsigned int changes)
{
	if (changes & CHANGE_STACK && !change_stack(u, place))
		return false;
	if (!(u->want & WANT_RECORDS))
		return true;
	return (!(changes & CHANGE_CONTEXT) || change_context(u, place)) &&
	       (!(changes & CHANGE_TASK) || change_task(u)) &&
	       (!(changes & CHANGE_CGROUP) ||
		unpack_get(u, COLUMN_CGROUPS, &u->rest->extra.cgroup));
}

bool __unpack_changes(struct unpack *u, struct place *place,
		      unsigned int changes)
{
	return (!(changes & CHANGE_SIZES) || change_sizes(u, place)) &&
	       (!(changes & CHANGE_FLAGS) || change_flags(u, place)) &&
	       (!(changes & CHANGE_NUMBERS) || change_numbers(u, place)) &&
	       (!(changes & CHANGE_FEATURES) || change_features(u, place)) &&
	       (!u->rest || change_extra(u, place, changes));
}

bool __unpack_elsewhere(struct unpack *u, enum column_id id, uint64_t *value)
{
	if (!unpack_get(u, id, value))
		return false;
	if (id == COLUMN_TIMES)
		*value = unzigzag(*value);
	return true;
}

bool __unpack_new_ptr(struct unpack *u, struct place *place, uint64_t *ptr)
{
	uint64_t value;

	if (!unpack_get(u, COLUMN_PTRS, &value))
		return false;
	if (value != 1) {
		*ptr = place->ptr + 8 * (uint64_t)unzigzag(value / 2);
		return !(value & 1);
	}
	if (!unpack_get(u, COLUMN_PTRS, &value))
		return false;
	*ptr = place->ptr + unzigzag(value);
	return true;
}

/* --- records -------------------------------------------------------------- */

/* Sets the values of u->rest that are stored for each place. */
static void take_place(struct unpack *u, const struct place *place)
{
	struct unpack_rest *r = u->rest;
	const uint64_t *callers;
	size_t depth;

	r->extra.context = place->context;
	r->extra.preempt_count = place->preempt_count;
	callers = stacks_at(&r->defs->stacks, place->stack, &depth);
	r->extra.depth = depth;
	if (depth)
		memcpy(r->extra.stack, callers, depth * sizeof(*callers));
}

size_t unpack_record(struct unpack *u, struct kmt_event *ev, uint8_t *to)
{
	size_t size = kmt_record_size(ev, ev->features), more = 0;
	struct unpack_state last = u->now;

	last.next--;
	if (ev->features & KMT_FEATURES_EXTRA) {
		take_place(u, &last.places[__unpack_u16(&last, COLUMN_PLACE)]);
		more = kmt_record_extra_size(&u->rest->extra, ev->features);
	}
	kmt_record_encode(to, size + more, ev, ev->features);
	kmt_record_encode_extra(to + size, &u->rest->extra, ev->features);
	ev->rec = to;
	return size + more;
}

bool unpack_all(struct unpack *u, uint8_t *to, size_t size)
{
	struct kmt_event ev;
	size_t used = 0;

	while (unpack_left(u)) {
		if (!unpack_next(u, &ev) || size - used < KMT_RECORD_MAX)
			return false;
		used += unpack_record(u, &ev, to + used);
	}
	return used + KMT_RECORD_MAX == size;
}
