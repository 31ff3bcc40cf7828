// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each stream's numbers only grow, so the next record of all is the least of
 * the streams' heads, once it is certain that no stream that is dry at the
 * moment has a lesser one still to come: its mark says so.
 *
 * Records of one CPU come in runs. So the least is not looked for each time:
 * from the stream that has it, records are taken as long as they stay below
 * `limit`, the least that any other stream has or may have.
 *
 * A stream is a record ahead of what is passed on: the piece that a record just
 * passed on lies in may have been read to its end. It is kept until the next
 * record is asked for.
 *
 * Numbers have 32 bits and wrap. Inside, they are extended to 64 by taking
 * each to be within 2^31 of the last one passed on.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

struct piece {
	struct piece *next;
	size_t size;
	uint8_t data[];
};

/**
 * struct stream - the records of one CPU
 * @cpu: which
 * @first: pieces, the first being read
 * @last: where the next is appended
 * @pos: bytes read of the first
 * @head: the next record, if @ready
 * @seq: its extended number
 * @ready: there is a next record
 * @mark: extended; nothing before it is to come
 * @met: merge_add() was called for it
 */
struct stream {
	uint32_t cpu;
	bool met;
	struct piece *first;
	struct piece **last;
	size_t pos;
	struct kmt_event head;
	uint64_t seq;
	bool ready;
	uint64_t mark;
};

struct merge {
	merge_fill fill;
	void *arg;
	bool swap;
	bool end;     /* fill has no more */
	bool started; /* reference is set */
	bool expects; /* the number of the next record is known */
	bool no_more_cpus;
	uint64_t reference; /* around which numbers are extended */
	uint64_t expected;
	uint64_t whole; /* numbers missing before it are not counted */
	uint64_t absent_mark;
	size_t held; /* bytes of pieces that are not read to the end */
	size_t held_max;
	struct stream **streams;
	size_t nr_streams;
	struct stream *current;
	uint64_t limit;
	struct piece *spent; /* read to the end; the last record is in one */
	struct merge_stats stats;
};

struct merge *merge_create(merge_fill fill, void *arg, bool swap)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fill = fill;
	m->arg = arg;
	m->swap = swap;
	m->held_max = SIZE_MAX;
	return m;
}

static void free_pieces(struct piece *piece)
{
	while (piece) {
		struct piece *next = piece->next;

		free(piece);
		piece = next;
	}
}

void merge_destroy(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nr_streams; i++) {
		free_pieces(m->streams[i]->first);
		free(m->streams[i]);
	}
	free(m->streams);
	free_pieces(m->spent);
	free(m);
}

static uint64_t extend(struct merge *m, uint32_t seq)
{
	if (!m->started) {
		m->started = true;
		m->reference = (1ull << 32) + seq;
	}
	return m->reference + (int32_t)(seq - (uint32_t)m->reference);
}

void merge_start(struct merge *m, uint32_t seq)
{
	m->expected = m->absent_mark = extend(m, seq);
	m->expects = true;
}

void merge_start_kept(struct merge *m, uint32_t seq)
{
	m->whole = extend(m, seq); /* records before it come as well */
}

void merge_hold(struct merge *m, size_t bytes)
{
	m->held_max = bytes;
}

/* Decode the next record of a stream into its head. */
static void advance(struct merge *m, struct stream *s)
{
	struct kmt_decoded dec;
	struct piece *piece;
	int size;

	s->ready = false;
	while ((piece = s->first)) {
		if (s->pos == piece->size) {
			s->first = piece->next;
			if (!s->first)
				s->last = &s->first;
			m->held -= piece->size;
			piece->next = m->spent;
			m->spent = piece;
			s->pos = 0;
			continue;
		}
		size = kmt_record_decode(piece->data + s->pos,
					 piece->size - s->pos, m->swap,
					 &s->head, &dec);
		if (size < 0) {
			m->stats.broken++;
			s->pos = piece->size;
			continue;
		}
		s->pos += size;
		m->stats.skipped_features += dec.skipped_features;
		m->stats.skipped_bytes += dec.skipped_bytes;
		m->stats.bad += dec.bad != 0;
		s->head.event_id = dec.unknown_id ? 0xff : s->head.event_id;
		s->seq = extend(m, s->head.seq);
		s->ready = true;
		return;
	}
}

static struct stream *find_stream(struct merge *m, uint32_t cpu)
{
	struct stream **more, *s;
	size_t i;

	for (i = 0; i < m->nr_streams; i++)
		if (m->streams[i]->cpu == cpu)
			return m->streams[i];
	more = realloc(m->streams, (m->nr_streams + 1) * sizeof(*more));
	if (!more)
		return NULL;
	m->streams = more;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->cpu = cpu;
	s->last = &s->first;
	s->mark = m->no_more_cpus ? 0 : m->absent_mark;
	m->streams[m->nr_streams++] = s;
	return s;
}

bool merge_add(struct merge *m, uint32_t cpu, const uint8_t *data, size_t size,
	       uint32_t mark, bool complete)
{
	struct stream *s = find_stream(m, cpu);
	struct piece *piece;

	if (!s)
		return false;
	s->met = true;
	if (size) {
		piece = malloc(sizeof(*piece) + size);
		if (!piece)
			return false;
		piece->next = NULL;
		piece->size = size;
		memcpy(piece->data, data, size);
		*s->last = piece;
		s->last = &piece->next;
		m->held += size;
		if (!s->ready)
			advance(m, s);
	}
	if (complete) {
		uint64_t extended = extend(m, mark);

		if (extended > s->mark)
			s->mark = extended;
	}
	m->current = NULL; /* choose anew */
	return true;
}

void merge_absent(struct merge *m, uint32_t mark)
{
	uint64_t extended = extend(m, mark);
	size_t i;

	if (extended > m->absent_mark)
		m->absent_mark = extended;
	for (i = 0; i < m->nr_streams; i++)
		if (!m->streams[i]->met && m->streams[i]->mark < extended)
			m->streams[i]->mark = extended;
	m->current = NULL;
}

bool merge_expect(struct merge *m, uint32_t cpu, uint32_t seq)
{
	struct stream *s = find_stream(m, cpu);
	uint64_t extended;

	if (!s)
		return false;
	extended = extend(m, seq);
	if (extended > s->mark)
		s->mark = extended;
	return true;
}

void merge_close(struct merge *m, uint32_t cpu)
{
	struct stream *s = find_stream(m, cpu);

	if (s)
		s->mark = UINT64_MAX;
	m->current = NULL;
}

bool merge_needs(struct merge *m, uint32_t cpu)
{
	struct stream *s = find_stream(m, cpu);

	return s && !s->ready && s->mark != UINT64_MAX;
}

void merge_no_more_cpus(struct merge *m)
{
	m->no_more_cpus = true;
}

/* Choose the stream with the least head, and up to where it can be read. */
static bool choose(struct merge *m)
{
	struct stream *best = NULL;
	uint64_t limit = m->end || m->no_more_cpus ? UINT64_MAX :
						     m->absent_mark;
	size_t i;

	for (i = 0; i < m->nr_streams; i++) {
		struct stream *s = m->streams[i];

		if (!s->ready) {
			if (!m->end && s->mark < limit)
				limit = s->mark;
		} else if (!best || s->seq < best->seq) {
			if (best && best->seq + 1 < limit)
				limit = best->seq + 1;
			best = s;
		} else if (s->seq + 1 < limit) {
			limit = s->seq + 1;
		}
	}
	if (!best ||
	    (best->seq >= limit && !m->end && m->held <= m->held_max))
		return false;
	m->current = best;
	m->limit = limit;
	return true;
}

/* Before m->whole, whatever comes next was to be expected. */
static void skip_overwritten(struct merge *m, uint64_t seq)
{
	uint64_t from = seq < m->whole ? seq : m->whole;

	if (from <= m->expected)
		return;
	m->expected = from;
	m->expects = true;
}

static void count(struct merge *m, uint64_t seq)
{
	skip_overwritten(m, seq);
	if (m->expects && seq > m->expected) {
		uint64_t gap = seq - m->expected;

		m->stats.gaps++;
		m->stats.missing += gap;
		if (gap > m->stats.worst_gap)
			m->stats.worst_gap = gap;
	} else if (m->expects && seq < m->expected) {
		m->stats.backwards++;
		return;
	}
	m->expects = true;
	m->expected = seq + 1;
	m->reference = seq;
}

bool merge_next(struct merge *m, struct kmt_event *ev, uint32_t *cpu)
{
	struct stream *s;

	for (;;) {
		if (m->spent) {
			free_pieces(m->spent);
			m->spent = NULL;
		}
		s = m->current;
		if (!s || !s->ready || (s->seq >= m->limit && !m->end)) {
			if (!choose(m)) {
				if (m->end)
					return false;
				m->end = !m->fill(m->arg, m);
				m->current = NULL;
				continue;
			}
			s = m->current;
		} else if (s->seq >= m->limit) {
			m->current = NULL; /* at the end, another one's turn */
			continue;
		}
		count(m, s->seq);
		*ev = s->head;
		*cpu = s->cpu;
		advance(m, s);
		if (ev->event_id == 0xff) {
			m->stats.unknown++;
			continue;
		}
		m->stats.events++;
		return true;
	}
}

void merge_finish(struct merge *m, uint32_t seq)
{
	count(m, extend(m, seq));
}

const struct merge_stats *merge_stats(const struct merge *m)
{
	return &m->stats;
}
