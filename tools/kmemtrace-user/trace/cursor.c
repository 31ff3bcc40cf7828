// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "trace/cursor.h"

void cursor_init(struct cursor *c, uint32_t cpu, bool swap,
		 unsigned int want, struct stackdefs *defs,
		 struct merge_stats *stats)
{
	*c = (struct cursor){
		.cpu = cpu,
		.swap = swap,
		.want = want,
		.defs = defs,
		.stats = stats,
	};
	unpack_init(&c->unpack, want, defs);
}

void cursor_exit(struct cursor *c)
{
	unpack_exit(&c->unpack);
	free(c->raw);
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

/* --- pieces of plain records ---------------------------------------------- */

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
	c->seq = c->last = cursor_extend(near, seq);
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
	c->seq = cursor_extend(c->seq, seq);
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

/* --- pieces by columns ---------------------------------------------------- */

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

/* --- pieces of either kind ------------------------------------------------ */

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
	uint64_t first = cursor_extend(near, piece->first);

	return piece->columns ? unpack_begin(&c->unpack, piece->columns, first) :
				unpack_open(&c->unpack, unzstd, piece->data, piece->size,
					    piece->raw_size, first);
}

void cursor_open(struct cursor *c, struct unzstd *unzstd,
		 const struct merge_piece *piece, uint64_t near)
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

bool cursor_fill(struct cursor *c, struct window *w, uint64_t base,
		 uint64_t limit)
{
	uint64_t last = c->last < limit ? c->last : limit - 1;

	return c->columns && !w->records ? fill_columns(c, w, base, last) :
					   fill_one_by_one(c, w, base, last);
}
