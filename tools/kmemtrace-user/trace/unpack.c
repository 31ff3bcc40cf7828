// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_record.h"
#include "trace/unpack.h"
#include "trace/columns.h"

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

/* Frees the memory of the chunk, which can no longer be read. */
static void unpack_trim(struct unpack *u)
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

static size_t unpack_memory(const struct unpack *u)
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

/*
 * Starts to read columns, whose data must stay in place until it has been read. Return: false if
 * the chunk is damaged.
 */
static bool unpack_begin(struct unpack *u, const struct columns *columns, uint64_t first)
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

/*
 * Encodes the record of the last event, whose ev->rec is set to @to. Return: its bytes, at most
 * KMT_RECORD_MAX. @u was initialised for WANT_RECORDS.
 */
static size_t unpack_record(struct unpack *u, struct kmt_event *ev, uint8_t *to)
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

/* --- pieces: plain records, or columns ------------------------------------------- */

void cursor_init(struct cursor *c, uint32_t cpu, bool swap, unsigned int want,
		 struct stackdefs *defs, struct merge_stats *stats)
{
	*c = (struct cursor){ .cpu = cpu, .swap = swap, .want = want, .defs = defs, .stats = stats };
	unpack_init(&c->unpack, want, defs);
}

size_t cursor_memory(const struct cursor *c)
{
	return c->raw_room + unpack_memory(&c->unpack);
}

void cursor_trim(struct cursor *c)
{
	unpack_trim(&c->unpack);
	free(c->raw);
	c->raw = NULL;
	c->raw_room = 0;
}

static void set_broken(struct cursor *c)
{
	c->stats->broken++;
	c->ready = false;
}

/* Return: bytes of the record at @pos; 0 if there is no whole record. */
static size_t look(const struct cursor *c, size_t pos, uint32_t *seq)
{
	const struct kmemtrace_event *head = (const void *)(c->data + pos);
	size_t size;

	if (c->size - pos < sizeof(*head))
		return 0;
	size = c->swap ? swab16(head->event_size) : head->event_size;
	*seq = c->swap ? swab32(head->seq_num) : (uint32_t)head->seq_num;
	return size < sizeof(*head) || size > c->size - pos ? 0 : size;
}

/* Finds the next record, and the last of the records that follow it in order. */
static void start_run(struct cursor *c, uint64_t near)
{
	size_t pos = c->pos, size;
	uint32_t seq, next;

	c->ready = false;
	if (pos == c->size)
		return;
	size = look(c, pos, &seq);
	if (!size) {
		set_broken(c);
		return;
	}
	c->ready = true;
	c->seq = c->last = merge_extend(near, seq);
	while ((size = look(c, pos += size, &next)) &&
	       (int32_t)(next - seq) > 0) {
		c->last += next - seq;
		seq = next;
	}
	c->more = pos < c->size;
}

/* Goes to the record after the current one, which has @size bytes. */
static void advance(struct cursor *c, size_t size)
{
	uint32_t seq;

	c->pos += size;
	if (c->seq == c->last) {
		start_run(c, c->seq);
		return;
	}
	look(c, c->pos, &seq);
	c->seq = merge_extend(c->seq, seq);
}

/*
 * Copies the record into the window. If it has the other byte order, or is larger than
 * all known features together, it is encoded again.
 */
static void keep_record(const struct cursor *c, struct window *w,
			struct kmt_event *ev, size_t size)
{
	uint8_t *to = w->records + w->used;
	struct kmt_extra extra;

	if (c->swap || size > KMT_RECORD_MAX) {
		kmt_record_decode_extra(ev, c->swap, &extra);
		size = kmt_record_size(ev, ev->features);
		kmt_record_encode_extra(to + size, &extra, ev->features);
		size += kmt_record_extra_size(&extra, ev->features);
		kmt_record_encode(to, size, ev, ev->features);
	} else {
		memcpy(to, ev->rec, size);
	}
	ev->rec = to;
	w->used += size;
}

static void find_stack(struct cursor *c, struct kmt_event *ev)
{
	struct kmt_extra extra;

	ev->stack = STACKS_NONE;
	if (!(c->want & WANT_STACKS) || !(ev->features & KMT_FEATURE_STACK))
		return;
	kmt_record_decode_extra(ev, c->swap, &extra);
	ev->stack = stacks_get(&c->defs->stacks, extra.stack, extra.depth);
}

static bool next_raw(struct cursor *c, struct window *w, struct merged *to)
{
	struct kmt_decoded dec;
	int size = kmt_record_decode(c->data + c->pos, c->size - c->pos,
				     c->swap, &to->ev, &dec);

	if (size < 0) {
		set_broken(c);
		return false;
	}
	to->ev.wraps = c->seq >> 32;
	c->stats->skipped_features += dec.skipped_features;
	c->stats->bad += dec.bad != 0;
	w->unknown |= dec.unknown_id;
	if (dec.unknown_id)
		to->ev.event_id = CURSOR_UNKNOWN;
	else {
		find_stack(c, &to->ev);
		if (w->records)
			keep_record(c, w, &to->ev, size);
	}
	advance(c, size);
	return true;
}

static bool next_column(struct cursor *c, struct window *w, struct merged *to)
{
	struct unpack *u = &c->unpack;

	if (!unpack_next(u, &to->ev)) {
		set_broken(c);
		return false;
	}
	if (w->records)
		w->used += unpack_record(u, &to->ev, w->records + w->used);
	c->seq = u->now.seq;
	c->ready = unpack_left(u);
	return true;
}

/* The fast path of fill_one_by_one(), for events without records. */
static bool fill_columns(struct cursor *c, struct window *w, uint64_t base,
			 uint64_t last)
{
	struct unpack_state s = c->unpack.now;
	bool free = true, sound = true;

	while (s.next < s.records && s.seq <= last) {
		size_t i = s.seq - base;
		struct merged *to = &w->events[i];

		free = !w->filled[i];
		sound = free && unpack_step(&c->unpack, &s, &to->ev);
		if (!sound)
			break;
		to->cpu = c->cpu;
		to->lost = 0;
		w->filled[i] = true;
	}
	c->unpack.now = s;
	c->seq = s.seq;
	c->ready = s.next < s.records;
	if (free && !sound)
		set_broken(c);
	return free;
}

static int decompress(struct cursor *c, struct unzstd *unzstd,
		      const struct merge_piece *piece)
{
	array_fit(c->raw, c->raw_room, piece->raw_size);
	c->data = c->raw;
	c->size = piece->raw_size;
	return unzstd_frame(unzstd, c->raw, piece->raw_size, piece->data,
			    piece->size);
}

static bool open_columns(struct cursor *c, struct unzstd *unzstd,
			 const struct merge_piece *piece, uint64_t near)
{
	uint64_t first = merge_extend(near, piece->first);

	return piece->columns ? unpack_begin(&c->unpack, piece->columns, first) :
				unpack_open(&c->unpack, unzstd, piece->data, piece->size,
					    piece->raw_size, first);
}

void cursor_open(struct cursor *c, struct unzstd *unzstd, const struct merge_piece *piece,
		 uint64_t near)
{
	int err = 0;

	c->columns = piece->codec == TRACE_CODEC_COLUMNS;
	if (c->columns) {
		if (!open_columns(c, unzstd, piece, near)) {
			set_broken(c);
			return;
		}
		c->seq = c->unpack.now.seq;
		c->last = c->unpack.last;
		c->ready = true;
		c->more = false;
		return;
	}
	c->data = piece->data;
	c->size = piece->size;
	c->pos = 0;
	if (piece->codec == TRACE_CODEC_ZSTD)
		err = decompress(c, unzstd, piece);
	if (err)
		set_broken(c);
	else
		start_run(c, near);
}

bool cursor_next(struct cursor *c, struct window *w, struct merged *to)
{
	to->cpu = c->cpu;
	to->lost = 0;
	return c->columns ? next_column(c, w, to) : next_raw(c, w, to);
}

/* Stops after @last, because another run with any number may follow. */
static bool fill_one_by_one(struct cursor *c, struct window *w, uint64_t base,
			    uint64_t last)
{
	uint64_t seq = 0;

	while (c->ready && c->seq <= last && seq != last) {
		seq = c->seq;
		if (w->filled[seq - base])
			return false;
		if (cursor_next(c, w, &w->events[seq - base]))
			w->filled[seq - base] = true;
	}
	return true;
}

bool cursor_fill(struct cursor *c, struct window *w, uint64_t base, uint64_t limit)
{
	uint64_t last = c->last < limit ? c->last : limit - 1;

	return c->columns && !w->records ? fill_columns(c, w, base, last) :
					   fill_one_by_one(c, w, base, last);
}
