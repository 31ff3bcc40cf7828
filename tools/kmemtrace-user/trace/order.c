// SPDX-License-Identifier: GPL-2.0-only
/*
 * The streams that have a record are in a heap. The first one has the next record of all,
 * if each other stream has a later record, or is known to have no earlier one: see
 * find_limit().
 *
 * A key is a time and one bit: if stamps are equal, frees come first. A time stamp counts
 * as the largest of its CPU so far, because each CPU's own order is certain.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_compact.h"
#include "trace/buffers.h"
#include "trace/order.h"
#include "trace/plain.h"
#include "trace/trace_format.h"

#define NEVER UINT64_MAX
/* When there are so many samples, every second one is dropped. */
#define SAMPLES_MAX (1 << 16)

/**
 * struct piece - records that wait
 * @next: the next piece of the stream
 * @buffer: the buffer with @data; NULL: it is @copy
 * @pool: pool of @buffer
 * @size: bytes of @data
 * @data: the records
 * @copy: a copy of the records
 */
struct piece {
	struct piece *next;
	struct buffer *buffer;
	struct buffers *pool;
	size_t size;
	uint8_t *data;
	uint8_t copy[];
};

/**
 * struct stream - the records of one CPU
 * @cpu: the CPU
 * @known: a record, a mark or the end of the CPU is known; else only its first number
 * @first: the pieces, the first one with the next record
 * @last: the pointer to set when a piece is appended
 * @pos: bytes of the first piece that were read
 * @from: bytes of the first piece that were put, if records stay compact
 * @ready: there is a next record: @ev, @dec, @size, @key
 * @usual: see plain_is_usual(); of @ev, only @ev.rec and @ev.seq are set, and @dec is not set
 * @ev: the next record
 * @dec: results of decoding it
 * @size: its bytes
 * @key: its place in the order
 * @mark: no further record has a key below this one
 * @counts: @expected is known
 * @expected: number that the next record should have
 * @started: a record was numbered
 * @number: the number of the first record
 * @out: numbered records, ORDER_PUT_MAX bytes; or NULL
 * @used: bytes of @out
 */
struct stream {
	uint32_t cpu;
	bool known;
	struct piece *first;
	struct piece **last;
	size_t pos;
	size_t from;
	bool ready;
	bool usual;
	struct kmt_event ev;
	struct kmt_decoded dec;
	size_t size;
	uint64_t key;
	uint64_t mark;
	bool counts;
	uint32_t expected;
	bool started;
	uint64_t number;
	uint8_t *out;
	size_t used;
};

/**
 * struct sample - the time of a record; later ones have no lower time, and no lower number
 * @time: its time stamp, or a later one of the same CPU
 * @number: its number
 */
struct sample {
	uint64_t time;
	uint64_t number;
};

struct order {
	struct order_setup how;
	uint64_t next;
	uint64_t absent; /* no unknown stream has a record with a key below this one */
	struct stream **streams;
	size_t nr_streams;
	struct stream **heap;
	size_t nr_heap;
	size_t held;
	struct sample *samples;
	size_t nr_samples;
	uint32_t step; /* numbers from one sample to the next, at least */
	uint8_t *large; /* a record that does not fit in ORDER_PUT_MAX; or NULL */
};

struct order *order_create(const struct order_setup *setup)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->how = *setup;
	o->next = setup->first;
	o->step = 1;
	return o;
}

static void drop_piece(struct order *o, struct stream *s)
{
	struct piece *piece = s->first;

	o->held -= piece->size;
	s->first = piece->next;
	if (!s->first)
		s->last = &s->first;
	s->pos = s->from = 0;
	if (piece->buffer)
		buffers_put(piece->pool, piece->buffer);
	free(piece);
}

static void order_drop(struct order *o)
{
	size_t i;

	for (i = 0; i < o->nr_streams; i++) {
		struct stream *s = o->streams[i];

		while (s->first)
			drop_piece(o, s);
		s->ready = false;
	}
	o->nr_heap = 0;
}

void order_destroy(struct order *o)
{
	size_t i;

	if (!o)
		return;
	order_drop(o);
	for (i = 0; i < o->nr_streams; i++) {
		free(o->streams[i]->out);
		free(o->streams[i]);
	}
	free(o->large);
	free(o->streams);
	free(o->heap);
	free(o->samples);
	free(o);
}

static uint64_t key_of(uint64_t time, bool alloc)
{
	if (time >= NEVER / 2)
		time = NEVER / 2 - 1;
	return 2 * time + alloc;
}

/* --- streams -------------------------------------------------------------- */

static struct stream *order_look_up(const struct order *o, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < o->nr_streams; i++)
		if (o->streams[i]->cpu == cpu)
			return o->streams[i];
	return NULL;
}

static struct stream *order_find(struct order *o, uint32_t cpu)
{
	struct stream *s = order_look_up(o, cpu);

	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	/* the heap then has room for all streams */
	array_reserve(o->heap, o->nr_streams);
	array_reserve(o->streams, o->nr_streams);
	s->cpu = cpu;
	s->last = &s->first;
	o->streams[o->nr_streams++] = s;
	return s;
}

/* As order_find(), for a CPU that is not absent any more. */
static struct stream *find_known(struct order *o, uint32_t cpu)
{
	struct stream *s = order_find(o, cpu);

	if (!s->known) {
		s->known = true;
		s->mark = o->absent;
	}
	return s;
}

void order_start(struct order *o, uint32_t cpu, uint32_t number)
{
	struct stream *s = order_find(o, cpu);

	s->counts = true;
	s->expected = number;
}

/* --- the heap ------------------------------------------------------------- */

/* Moves the root to its place. */
static void sift_down(struct order *o)
{
	struct stream *s = o->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < o->nr_heap) {
		if (child + 1 < o->nr_heap &&
		    o->heap[child + 1]->key < o->heap[child]->key)
			child++;
		if (s->key <= o->heap[child]->key)
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = s;
}

static void push(struct order *o, struct stream *s)
{
	size_t at = o->nr_heap++, parent;

	while (at && s->key < o->heap[parent = (at - 1) / 2]->key) {
		o->heap[at] = o->heap[parent];
		at = parent;
	}
	o->heap[at] = s;
}

static void pop(struct order *o)
{
	o->heap[0] = o->heap[--o->nr_heap];
	if (o->nr_heap)
		sift_down(o);
}

/* Return: the smallest key except that of the first stream. */
static uint64_t second_key(const struct order *o)
{
	uint64_t key = o->nr_heap > 1 ? o->heap[1]->key : NEVER;

	return o->nr_heap > 2 && o->heap[2]->key < key ? o->heap[2]->key : key;
}

/* --- output --------------------------------------------------------------- */

/* @mark: no further record of the stream has a number below this one */
static void put(struct order *o, struct stream *s, uint32_t mark)
{
	o->how.put(o->how.arg, s->cpu, s->used ? s->out : NULL, s->used, mark);
	s->used = 0;
}

/* The same, for records that stay where they are. */
static void put_numbered(struct order *o, struct stream *s, uint32_t mark)
{
	size_t size = s->pos - s->from;

	o->how.put(o->how.arg, s->cpu, size ? s->first->data + s->from : NULL, size, mark);
	s->from = s->pos;
}

/* Return: memory of @size bytes at *at. */
static uint8_t *get_memory(uint8_t **at, size_t size)
{
	if (!*at)
		*at = xmalloc(size);
	return *at;
}

/*
 * @mark: number of the record that needs the space. Return: space for @size bytes, at most
 * 64 KiB. The caller fills it, and calls done().
 */
static uint8_t *reserve(struct order *o, struct stream *s, size_t size,
			uint32_t mark)
{
	if (s->used && s->used + size > ORDER_PUT_MAX)
		put(o, s, mark);
	if (size > ORDER_PUT_MAX)
		return get_memory(&o->large, UINT16_MAX + 1);
	get_memory(&s->out, ORDER_PUT_MAX);
	s->used += size;
	return s->out + s->used - size;
}

/* Ends what reserve() begins. @mark: no further record of the stream has a lower number */
static void done(struct order *o, struct stream *s, size_t size, uint32_t mark)
{
	if (size > ORDER_PUT_MAX)
		o->how.put(o->how.arg, s->cpu, o->large, size, mark);
}

/* Of a record of the other byte order, only the start is put. */
static void put_unchanged(struct order *o, struct stream *s)
{
	struct kmemtrace_event head = *(const struct kmemtrace_event *)s->ev.rec;
	size_t size = o->how.swap ? sizeof(head) : s->size;
	uint8_t *to = reserve(o, s, size, s->ev.seq);

	memcpy(to, s->ev.rec, size);
	head.event_size = size;
	head.seq_num = s->ev.seq;
	memcpy(to, &head, sizeof(head));
	done(o, s, size, s->ev.seq + 1);
}

static void put_swapped(struct order *o, struct stream *s, uint32_t features)
{
	struct kmt_event *ev = &s->ev;
	struct kmt_extra extra;
	size_t core = kmt_record_size(ev, features), size;
	uint8_t *to;

	kmt_record_decode_extra(ev, true, &extra);
	features |= ev->features & KMT_FEATURES_EXTRA;
	size = core + kmt_record_extra_size(&extra, features);
	to = reserve(o, s, size, s->ev.seq);
	kmt_record_encode(to, size, ev, features);
	kmt_record_encode_extra(to + core, &extra, features);
	done(o, s, size, s->ev.seq + 1);
}

/*
 * Puts an event as a record that is not compact. The features behind a compact record are
 * those of any other record. @tail: bytes of these features
 */
static inline void put_event(struct order *o, struct stream *s,
			     const struct kmt_event *ev, uint32_t features,
			     size_t tail)
{
	size_t size = kmt_record_size(ev, features) + tail;
	uint8_t *to = reserve(o, s, size, ev->seq);

	plain_put(to, ev, features, s->size, tail);
	done(o, s, size, ev->seq + 1);
}

static void put_compact(struct order *o, struct stream *s, uint32_t features)
{
	const struct kmt_event *ev = &s->ev;

	put_event(o, s, ev, features, plain_tail(ev, features, s->size));
}

/* As put_compact(), for a usual record: it is not decoded before. */
static void put_usual(struct order *o, struct stream *s)
{
	struct kmt_event ev;

	plain_read_usual(s->ev.rec, o->how.features, &ev);
	ev.seq = s->ev.seq;
	put_event(o, s, &ev, ev.features, 0);
}

static void order_put_record(struct order *o, struct stream *s)
{
	uint32_t features = s->ev.features & o->how.features &
			    KMT_FEATURES_COMPACT;

	if (o->how.swap && !s->dec.unknown_id)
		put_swapped(o, s, features);
	else if (plain_is_compact(s->ev.rec, &s->dec))
		put_compact(o, s, features);
	else
		put_unchanged(o, s);
}

static void thin_out(struct order *o)
{
	size_t i;

	for (i = 0; i < SAMPLES_MAX / 2; i++)
		o->samples[i] = o->samples[2 * i];
	o->nr_samples = SAMPLES_MAX / 2;
	o->step *= 2;
}

static void take_sample(struct order *o, const struct stream *s)
{
	if (o->nr_samples &&
	    o->next - 1 - o->samples[o->nr_samples - 1].number < o->step)
		return;
	if (o->nr_samples == SAMPLES_MAX)
		thin_out(o);
	*array_add(o->samples, o->nr_samples) =
		(struct sample){ s->key / 2, o->next - 1 };
}

/* Sets the number of a record that stays compact. */
static void order_number(struct order *o, struct stream *s)
{
	struct kmemtrace_event *rec = (void *)(s->first->data + s->pos);

	if (s->pos > s->from && s->pos + s->size - s->from > ORDER_PUT_MAX)
		put_numbered(o, s, s->ev.seq);
	rec->seq_num = s->ev.seq;
}

/* Numbers the next record of a stream. */
static void order_pass_on(struct order *o, struct stream *s)
{
	int32_t missing = s->counts ? s->ev.seq - s->expected : 0;

	s->expected = s->ev.seq + 1;
	s->counts = true;
	if (o->how.kept && !s->started && missing > ORDER_KEPT_GAP)
		missing = ORDER_KEPT_GAP;
	if (missing > 0)
		o->next += missing;
	s->ev.seq = o->next++;
	if (!s->started)
		s->number = o->next - 1;
	s->started = true;
	take_sample(o, s);
	if (o->how.compact)
		order_number(o, s);
	else if (s->usual)
		put_usual(o, s);
	else
		order_put_record(o, s);
}

/* --- input ---------------------------------------------------------------- */

/* The rest of a piece cannot be decoded. The reader of the file will say so. */
static void put_broken(struct order *o, struct stream *s)
{
	const uint8_t *data = s->first->data + s->pos;
	size_t left = s->first->size - s->pos;

	if (left > ORDER_PUT_MAX)
		left = ORDER_PUT_MAX;
	memcpy(reserve(o, s, left, o->next), data, left);
	put(o, s, o->next);
}

static void set_key(struct stream *s, uint64_t time, bool is_alloc)
{
	uint64_t key = key_of(time, is_alloc);

	if (key > s->key)
		s->key = key;
}

/* Return: false if the bytes are no record. */
static bool read_record(struct order *o, struct stream *s, const uint8_t *data,
			size_t left)
{
	const struct kmemtrace_compact *head = (const void *)data;
	int size;

	s->usual = !o->how.swap && plain_is_usual(data, left);
	if (s->usual) {
		s->ev.rec = head;
		s->ev.seq = head->seq_num;
		s->size = head->event_size;
		set_key(s, head->time, head->event_id == KMEMTRACE_EVENT_COMPACT_ALLOC);
		return true;
	}
	size = kmt_record_decode_any(data, left, o->how.swap, &s->ev, &s->dec);
	if (size < 0)
		return false;
	s->size = size;
	/* without a time, it is just behind the one before */
	if (s->ev.features & KMT_FEATURE_TIME)
		set_key(s, s->ev.time, s->ev.event_id == KMEMTRACE_EVENT_ALLOC);
	return true;
}

static void read_next(struct order *o, struct stream *s)
{
	s->ready = false;
	while (s->first) {
		struct piece *piece = s->first;

		s->ready = read_record(o, s, piece->data + s->pos, piece->size - s->pos);
		if (s->ready)
			return;
		if (s->pos > s->from && o->how.compact)
			put_numbered(o, s, o->next);
		if (s->pos < piece->size)
			put_broken(o, s);
		drop_piece(o, s);
	}
}

static void go_on(struct order *o, struct stream *s)
{
	s->pos += s->size;
	if (s->pos == s->first->size) {
		if (o->how.compact)
			put_numbered(o, s, s->ev.seq + 1);
		drop_piece(o, s);
	}
	read_next(o, s);
}

/* Return: a new piece. @room: bytes of the copy */
static struct piece *new_piece(size_t room)
{
	struct piece *piece = xmalloc(sizeof(*piece) + room);

	*piece = (struct piece){ .data = piece->copy };
	return piece;
}

static void order_append(struct order *o, struct stream *s, struct piece *piece)
{
	*s->last = piece;
	s->last = &piece->next;
	o->held += piece->size;
	if (s->ready)
		return;
	read_next(o, s);
	if (s->ready)
		push(o, s);
}

void order_add(struct order *o, uint32_t cpu, const void *data, size_t size)
{
	struct stream *s = find_known(o, cpu);
	struct piece *piece;

	if (!size)
		return;
	piece = new_piece(size);
	memcpy(piece->copy, data, size);
	piece->size = size;
	order_append(o, s, piece);
}

void order_take(struct order *o, uint32_t cpu, struct buffer *buffer,
		struct buffers *pool)
{
	struct stream *s = find_known(o, cpu);
	struct piece *piece = new_piece(0);

	piece->buffer = buffer;
	piece->pool = pool;
	piece->data = buffer->data;
	piece->size = buffer->size;
	order_append(o, s, piece);
}

void order_mark(struct order *o, uint32_t cpu, uint64_t time)
{
	uint64_t mark = time == NEVER ? NEVER : key_of(time, false);
	struct stream *s;

	if (cpu == TRACE_CPU_ABSENT) {
		if (mark > o->absent)
			o->absent = mark;
		return;
	}
	s = find_known(o, cpu);
	if (mark > s->mark)
		s->mark = mark;
}

void order_close(struct order *o, uint32_t cpu)
{
	order_mark(o, cpu, NEVER);
}

bool order_needs(struct order *o, uint32_t cpu)
{
	const struct stream *s = order_look_up(o, cpu);

	return !s || (!s->ready && s->mark != NEVER);
}

/* --- the order ------------------------------------------------------------ */

/* Return: no unknown record has a key below this one. */
static uint64_t find_limit(const struct order *o)
{
	uint64_t limit = o->absent;
	size_t i;

	for (i = 0; i < o->nr_streams; i++) {
		const struct stream *s = o->streams[i];

		if (s->known && !s->ready && s->mark < limit)
			limit = s->mark;
	}
	return limit;
}

/* Numbers the records of the first stream, as long as no other stream is due. */
static void run_first(struct order *o, uint64_t limit)
{
	struct stream *s = o->heap[0];
	uint64_t second = second_key(o);

	do {
		order_pass_on(o, s);
		go_on(o, s);
	} while (s->ready && s->key <= second && s->key < limit);
	if (s->ready)
		sift_down(o);
	else
		pop(o);
}

void order_run(struct order *o)
{
	uint64_t limit = find_limit(o);

	while (o->nr_heap && o->heap[0]->key < limit) {
		struct stream *s = o->heap[0];

		run_first(o, limit);
		if (!s->ready && s->mark < limit)
			limit = s->mark;
	}
}

void order_flush(struct order *o)
{
	size_t i;

	for (i = 0; i < o->nr_streams; i++)
		if (o->streams[i]->known && o->how.compact)
			put_numbered(o, o->streams[i], o->next);
		else if (o->streams[i]->known)
			put(o, o->streams[i], o->next);
	o->how.put(o->how.arg, TRACE_CPU_ABSENT, NULL, 0, o->next);
}

void order_finish(struct order *o)
{
	size_t i;

	o->absent = NEVER;
	for (i = 0; i < o->nr_streams; i++)
		o->streams[i]->mark = NEVER;
	order_run(o);
	order_flush(o);
}

void order_end(struct order *o, uint32_t cpu, uint32_t number)
{
	struct stream *s = order_look_up(o, cpu);
	int32_t missing = s && s->counts ? number - s->expected : 0;

	if (missing > 0) {
		o->next += missing;
		s->expected = number;
	}
}

uint64_t order_next(const struct order *o)
{
	return o->next;
}

bool order_first(const struct order *o, uint32_t cpu, uint64_t *number)
{
	const struct stream *s = order_look_up(o, cpu);

	if (!s || !s->started)
		return false;
	*number = s->number;
	return true;
}

/* Return: the number of samples before a time. */
static size_t samples_before(const struct order *o, uint64_t time)
{
	size_t low = 0, high = o->nr_samples;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (o->samples[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t order_number_before(const struct order *o, uint64_t time)
{
	size_t n = samples_before(o, time);

	/* between two samples, the numbers of records are not known */
	if (!n)
		return o->how.first;
	return o->samples[n - 1].number + (o->step == 1);
}

bool order_number_after(const struct order *o, uint64_t time, uint64_t *number)
{
	size_t n = samples_before(o, time + 1);

	if (n == o->nr_samples)
		return false;
	*number = o->samples[n].number;
	return true;
}

size_t order_held(const struct order *o)
{
	return o->held;
}
