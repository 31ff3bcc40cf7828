// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sequence numbers of each stream only increase, and few numbers are missing in all
 * streams together. So the merge does not compare records. The sequence number of a
 * record determines its place in a window of numbers. The window ends at the first number
 * of which a stream without records in memory may still get a record. The mark of the
 * stream determines this number.
 *
 * Records out of order violate the ABI. The run of a stream then ends before the record
 * with the smaller number, and the window ends there as well. This record gets into
 * another window. If two records have the same number, the second follows the first.
 *
 * Sequence numbers have 32 bits and wrap. The merge extends them to 64 bits: each number
 * is assumed to be within 2^31 of the last one that was passed on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/merge.h"
#include "trace/unpack.h"

/*
 * Added to extended numbers. Each damaged number may go back by 2^31. No file has enough
 * records to get below 0. kmt_event.wraps does not contain it.
 */
#define FIRST_NUMBER (1ull << 62)

/* --- streams and their pieces ----------------------------------------------- */

/**
 * struct piece - a piece that waits to be read
 * @next: the next piece
 * @about: the piece; refers to @data and @columns
 * @columns: the columns; refer to @data
 * @room: bytes that fit into @data
 * @data: records as in the file, or columns
 */
struct piece {
	struct piece *next;
	struct merge_piece about;
	struct columns columns;
	size_t room;
	uint8_t data[];
};

/**
 * struct stream - the records of one CPU
 * @cpu: the CPU
 * @current: the piece being read
 * @first: the first piece after @current
 * @last: the pointer to set when a piece is appended
 * @cursor: reads @current
 * @mark: no further pieces have a record before this number; extended
 * @start: number of the first record, extended; 0: not known, or the record was read
 */
struct stream {
	uint32_t cpu;
	struct piece *current;
	struct piece *first;
	struct piece **last;
	struct cursor cursor;
	uint64_t mark;
	uint64_t start;
};

struct merge {
	struct merge_setup how;
	bool end; /* no records will be added */
	bool started; /* reference is set */
	bool expects; /* expected is set */
	uint64_t reference; /* numbers are extended to the value nearest to it */
	uint64_t expected;  /* number that the next record should have */
	uint64_t whole; /* missing numbers before it are not counted */
	size_t held;	/* bytes of memory for records that wait */
	uint32_t lost;	/* missing numbers before the next record passed on */
	struct stream **streams;
	size_t nr_streams;
	struct piece *spare;
	struct unzstd unzstd;
	size_t nr_twins;      /* records whose place was already taken */
	struct merged *aside; /* copy of a window with twins, to sort it */
	struct merge_stats stats;
};

/* All pieces have about the same size, so a spare piece usually fits. */
static struct piece *get_piece(struct merge *m, size_t size)
{
	struct piece *piece = m->spare;

	if (piece) {
		m->spare = piece->next;
		if (piece->room >= size)
			return piece;
		free(piece);
	}
	piece = xmalloc(sizeof(*piece) + size);
	piece->room = size;
	return piece;
}

static size_t piece_memory(const struct piece *piece)
{
	return sizeof(*piece) + piece->room;
}

static void put_piece(struct merge *m, struct piece *piece)
{
	if (!piece)
		return;
	m->held -= piece_memory(piece);
	if (m->held > m->how.held_max / 2) {
		free(piece);
		return;
	}
	piece->next = m->spare;
	m->spare = piece;
}

static void free_pieces(struct piece *piece)
{
	while (piece) {
		struct piece *next = piece->next;

		free(piece);
		piece = next;
	}
}

struct merge *merge_create(const struct merge_setup *setup)
{
	struct merge *m = xcalloc(1, sizeof(*m));

	m->aside = xmalloc(2 * WINDOW_SIZE * sizeof(*m->aside));
	m->how = *setup;
	if (!m->how.held_max)
		m->how.held_max = SIZE_MAX;
	return m;
}

void merge_destroy(struct merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->nr_streams; i++) {
		struct stream *s = m->streams[i];

		cursor_trim(&s->cursor);
		unpack_exit(&s->cursor.unpack);
		free(s->current);
		free_pieces(s->first);
		free(s);
	}
	free(m->streams);
	free_pieces(m->spare);
	unzstd_exit(&m->unzstd);
	free(m->aside);
	free(m);
}

/* Numbers are extended to those nearest to @seq, which has 64 bits. */
static uint64_t refer_to(struct merge *m, uint64_t seq)
{
	m->started = true;
	m->reference = FIRST_NUMBER + seq % FIRST_NUMBER;
	return m->reference;
}

static uint64_t extend(struct merge *m, uint32_t seq)
{
	if (!m->started)
		refer_to(m, seq);
	return merge_extend(m->reference, seq);
}

void merge_start(struct merge *m, uint64_t seq)
{
	m->expected = refer_to(m, seq);
	m->expects = true;
}

void merge_start_within(struct merge *m, uint64_t seq)
{
	m->whole = refer_to(m, seq); /* records before it are passed on as well */
}

size_t merge_held(const struct merge *m)
{
	return m->held;
}

static struct stream *new_stream(struct merge *m, uint32_t cpu)
{
	struct stream *s;

	array_reserve(m->streams, m->nr_streams);
	s = xcalloc(1, sizeof(*s));
	s->cpu = cpu;
	s->last = &s->first;
	cursor_init(&s->cursor, cpu, m->how.swap, m->how.want, m->how.defs, &m->stats);
	m->streams[m->nr_streams++] = s;
	return s;
}

static struct stream *find_stream(struct merge *m, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < m->nr_streams; i++)
		if (m->streams[i]->cpu == cpu)
			return m->streams[i];
	return new_stream(m, cpu);
}

static void raise_mark(struct stream *s, uint64_t mark)
{
	if (mark > s->mark)
		s->mark = mark;
}

static void merge_append(struct merge *m, struct stream *s,
			 const struct merge_piece *about)
{
	size_t size = about->columns ? columns_size(about->columns) :
				       about->size;
	struct piece *piece = get_piece(m, size);

	piece->about = *about;
	piece->about.data = piece->data;
	if (about->columns) {
		columns_copy(&piece->columns, about->columns, piece->data);
		piece->about.columns = &piece->columns;
	} else {
		memcpy(piece->data, about->data, size);
	}
	piece->next = NULL;
	*s->last = piece;
	s->last = &piece->next;
	m->held += piece_memory(piece);
	extend(m, about->first);
}

void merge_add(struct merge *m, const struct merge_piece *piece)
{
	struct stream *s = find_stream(m, piece->cpu);

	if (piece->size)
		merge_append(m, s, piece);
	if (piece->complete)
		raise_mark(s, extend(m, piece->mark));
}

void merge_expect(struct merge *m, uint32_t cpu, uint32_t seq)
{
	struct stream *s = find_stream(m, cpu);

	if (!s->start)
		raise_mark(s, extend(m, seq));
}

void merge_start_cpu(struct merge *m, uint32_t cpu, uint64_t seq)
{
	struct stream *s = find_stream(m, cpu);

	if (!m->started)
		refer_to(m, seq);
	s->start = FIRST_NUMBER + seq % FIRST_NUMBER;
	raise_mark(s, s->start);
}

void merge_close(struct merge *m, uint32_t cpu)
{
	find_stream(m, cpu)->mark = UINT64_MAX;
}

bool merge_needs(struct merge *m, uint32_t cpu)
{
	struct stream *s = find_stream(m, cpu);

	return !s->cursor.ready && !s->first && s->mark != UINT64_MAX;
}

/* Makes the cursor of a stream ready, if a record is in memory. */
static void refill(struct merge *m, struct stream *s)
{
	while (!s->cursor.ready && s->first) {
		put_piece(m, s->current);
		s->current = s->first;
		s->first = s->current->next;
		if (!s->first)
			s->last = &s->first;
		m->held -= cursor_memory(&s->cursor);
		cursor_open(&s->cursor, &m->unzstd, &s->current->about,
			    s->start ? s->start : m->reference);
		s->start = 0;
		m->held += cursor_memory(&s->cursor);
	}
}

/* Above the limit, frees unused memory. Return: whether the rest still exceeds it. */
static bool holds_too_much(struct merge *m)
{
	size_t i;

	if (m->held <= m->how.held_max)
		return false;
	for (i = 0; i < m->nr_streams; i++) {
		struct stream *s = m->streams[i];

		if (s->cursor.ready)
			continue;
		m->held -= cursor_memory(&s->cursor);
		cursor_trim(&s->cursor);
		put_piece(m, s->current);
		s->current = NULL;
	}
	free_pieces(m->spare);
	m->spare = NULL;
	return m->held > m->how.held_max;
}

/*
 * Return: the first number that a further, still unknown record of the stream may have.
 * With @all, the stream is assumed to have only the records in memory.
 */
static uint64_t known_up_to(const struct stream *s, bool all)
{
	uint64_t known = all ? UINT64_MAX : s->mark;

	if (!s->cursor.ready)
		return known;
	/* records out of order may follow a run in order, or a piece */
	if (s->first || s->cursor.more || s->cursor.last >= known)
		return s->cursor.last + 1;
	return known;
}

/* --- merging -------------------------------------------------------------- */

/* Return: whether there is a record before the limit. */
static bool find_limit(struct merge *m, bool all, uint64_t *base,
		       uint64_t *limit)
{
	size_t i;

	*base = *limit = UINT64_MAX;
	for (i = 0; i < m->nr_streams; i++) {
		struct stream *s = m->streams[i];
		uint64_t known;

		refill(m, s);
		known = known_up_to(s, all);
		if (known < *limit)
			*limit = known;
		if (s->cursor.ready && s->cursor.seq < *base)
			*base = s->cursor.seq;
	}
	return *base < *limit;
}

/* Return: whether there is a record that can be passed on. */
static bool find_bounds(struct merge *m, uint64_t *base, uint64_t *limit)
{
	if (!find_limit(m, m->end, base, limit) &&
	    (m->end || !holds_too_much(m) || !find_limit(m, true, base, limit)))
		return false;
	if (*limit - *base > WINDOW_SIZE)
		*limit = *base + WINDOW_SIZE;
	return true;
}

/*
 * Puts twins, records whose places are already taken, after all places of the window.
 * After a run in order, another run with any number may follow. It is left for the next
 * window.
 */
static void fill_from(struct merge *m, struct cursor *c, struct window *w,
		      uint64_t base, uint64_t limit)
{
	uint64_t last = c->last;
	bool end = false;

	while (!end && c->ready && !cursor_fill(c, w, base, limit) &&
	       m->nr_twins < WINDOW_SIZE) {
		end = c->seq == last;
		m->nr_twins += cursor_next(
			c, w, &w->events[WINDOW_SIZE + m->nr_twins]);
	}
}

static void fill_window(struct merge *m, struct window *w, uint64_t base,
			uint64_t limit)
{
	size_t i;

	memset(w->filled, 0, sizeof(w->filled));
	w->used = 0;
	w->unknown = false;
	m->nr_twins = 0;
	for (i = 0; i < m->nr_streams; i++)
		fill_from(m, &m->streams[i]->cursor, w, base, limit);
}

/* Before m->whole, missing numbers are not losses: the next record becomes expected. */
static void skip_overwritten(struct merge *m, uint64_t seq)
{
	uint64_t from = seq < m->whole ? seq : m->whole;

	if (from <= m->expected)
		return;
	m->expected = from;
	m->expects = true;
}

static void count_gap(struct merge *m, uint64_t gap)
{
	m->stats.gaps++;
	m->stats.missing += gap;
	m->lost += gap;
	if (gap > m->stats.worst_gap)
		m->stats.worst_gap = gap;
}

/* Notes the number of a record. Counts the missing numbers before it if @wanted. */
static void merge_count(struct merge *m, uint64_t seq, bool wanted)
{
	skip_overwritten(m, seq);
	if (m->expects && seq < m->expected) {
		m->stats.backwards += wanted;
		return;
	}
	if (m->expects && seq > m->expected && wanted)
		count_gap(m, seq - m->expected);
	m->expects = true;
	m->expected = seq + 1;
	m->reference = seq;
}

static bool is_at_limit(const struct merge *m)
{
	return m->how.limit && m->stats.events >= m->how.limit;
}

static bool is_wanted(const struct merge *m, const struct kmt_event *ev)
{
	if (is_at_limit(m))
		return false;
	return !m->how.timed || (ev->features & KMT_FEATURE_TIME &&
			     ev->time >= m->how.first &&
			     ev->time <= m->how.last);
}

/* Passes a record on as the next one, or skips it. */
static void merge_pass_on(struct merge *m, struct window *w,
			  const struct merged *record, uint64_t seq)
{
	bool wanted = is_wanted(m, &record->ev);

	merge_count(m, seq, wanted);
	if (record->ev.event_id == CURSOR_UNKNOWN) {
		m->stats.unknown += wanted;
		return;
	}
	if (!wanted)
		return;
	w->events[w->count] = *record;
	w->events[w->count++].lost = m->lost;
	m->lost = 0;
	m->stats.events++;
}

/* Puts each twin after the record with the same number. */
static void pass_on_window(struct merge *m, struct window *w, uint64_t base,
			   size_t places)
{
	const struct merged *from = w->events, *twin;
	size_t i, k;

	twin = from + WINDOW_SIZE;
	if (m->nr_twins) {
		memcpy(m->aside, from, places * sizeof(*from));
		memcpy(m->aside + WINDOW_SIZE, twin,
		       m->nr_twins * sizeof(*twin));
		from = m->aside;
		twin = from + WINDOW_SIZE;
	}
	for (i = 0; i < places; i++) {
		if (!w->filled[i])
			continue;
		merge_pass_on(m, w, &from[i], base + i);
		for (k = 0; k < m->nr_twins; k++)
			if (twin[k].ev.seq == (uint32_t)(base + i))
				merge_pass_on(m, w, &twin[k], base + i);
	}
}

/* Return: whether no record is missing, and all are passed on without a change. */
static bool is_whole(const struct merge *m, const struct window *w,
		     uint64_t base, uint64_t limit)
{
	return !memchr(w->filled, 0, limit - base) && m->expects &&
	       m->expected == base && base >= m->whole && !m->nr_twins &&
	       !m->lost && !m->how.timed && !m->how.limit && !w->unknown;
}

void merge_end(struct merge *m)
{
	m->end = true;
}

int merge_next(struct merge *m, struct window *w)
{
	uint64_t base, limit;

	w->count = 0;
	w->before = m->stats.events;
	while (!w->count) {
		if (is_at_limit(m))
			return 0;
		if (!find_bounds(m, &base, &limit))
			return m->end ? 0 : -EAGAIN;
		fill_window(m, w, base, limit);
		if (!is_whole(m, w, base, limit)) {
			pass_on_window(m, w, base, limit - base);
			continue;
		}
		w->count = limit - base;
		m->stats.events += w->count;
		m->expected = limit;
		m->reference = limit - 1;
	}
	return 1;
}

void merge_finish(struct merge *m, uint32_t seq)
{
	merge_count(m, extend(m, seq), true);
}

const struct merge_stats *merge_stats(const struct merge *m)
{
	return &m->stats;
}
