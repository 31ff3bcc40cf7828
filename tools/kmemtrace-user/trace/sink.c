// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/columns.h"
#include "trace/sink.h"
#include "trace/stacks.h"

/* --- numbers of stacks ---------------------------------------------------- */

void numbering_init(struct numbering *n, size_t callers_max)
{
	*n = (struct numbering){ .callers_max = callers_max };
	stacks_init(&n->stacks);
}

void numbering_exit(struct numbering *n)
{
	stacks_exit(&n->stacks);
	free(n->column);
	free(n->definitions);
	*n = (struct numbering){ 0 };
}

/* Return: bytes of the list divided by 8. */
static size_t list_length(const uint64_t *list, size_t count)
{
	size_t length = 0;

	while (count--)
		length += 1 + list[length];
	return length;
}

/*
 * Forgets all stacks if those of the chunk might be too many. Numbers are never used
 * twice, because a reader may still have earlier records in memory.
 */
static void limit(struct numbering *n, size_t count, size_t callers)
{
	if (n->stacks.count + count <= NUMBERING_STACKS_MAX &&
	    n->stacks.nr_callers + callers <= n->callers_max)
		return;
	n->generation += n->stacks.count - 1;
	stacks_clear(&n->stacks);
}

void numbering_add(struct numbering *n, const uint64_t *list, size_t count,
		   struct numbered *to)
{
	size_t length = list_length(list, count), i, before;
	uint32_t number, in_file, last = 0;
	uint8_t *column, *definitions;

	*to = (struct numbered){ 0 };
	if (!count)
		return;
	limit(n, count, length - count);
	array_fit(n->column, n->column_room, count * VARINT_MAX);
	array_fit(n->definitions, n->definitions_room, length * VARINT_MAX);
	column = n->column;
	definitions = n->definitions;
	to->first = n->generation + n->stacks.count - 1;
	for (i = 0; i < count; i++, list += 1 + list[0]) {
		before = n->stacks.count;
		number = stacks_get(&n->stacks, list + 1, list[0]);
		if (number == before)
			definitions = stackdefs_put(definitions, list + 1, list[0]);
		in_file = n->generation + number - 1;
		column = varint_put(column, zigzag((int32_t)(in_file - last)));
		last = in_file;
	}
	to->callers = (struct column){ n->column, column - n->column };
	to->definitions = n->definitions;
	to->size = definitions - n->definitions;
	to->generation = n->generation;
}

/* --- sink ----------------------------------------------------------------- */

/* Keeps the first error. */
void sink_fail(struct sink *s, int err)
{
	int none = 0;

	__atomic_compare_exchange_n(&s->err, &none, err, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

static void sink_put(struct sink *s, const void *data, size_t size)
{
	if (sink_error(s))
		return;
	errno = 0;
	if (size && fwrite(data, 1, size, s->file) != size)
		sink_fail(s, errno ? -errno : -EIO);
	else
		__atomic_store_n(&s->bytes, s->bytes + size, __ATOMIC_RELAXED);
}

static void flush(struct sink *s)
{
	errno = 0;
	if (!sink_error(s) && fflush(s->file))
		sink_fail(s, errno ? -errno : -EIO);
}

/* --- the file ------------------------------------------------------------- */

void sink_header(struct sink *s)
{
	struct trace_header head = {
		.byte_order = TRACE_BYTE_ORDER,
		.version = TRACE_VERSION,
		.header_size = sizeof(head),
	};

	memcpy(head.magic, TRACE_MAGIC, sizeof(head.magic));
	sink_put(s, &head, sizeof(head));
}

/* --- chunks --------------------------------------------------------------- */

/* Ends a chunk with @size bytes. */
static void put_padding(struct sink *s, size_t size)
{
	static const char zeros[8];

	sink_put(s, zeros, -size % sizeof(zeros));
}

/* Packs and writes a chunk that has no records. */
static void put_chunk(struct sink *s, struct trace_chunk head,
		      const void *data)
{
	struct chunk c = { .kind = CHUNK_TEXT, .head = head, .data = data };

	packer_pack(&s->packer, &c);
	c.head.magic = TRACE_CHUNK_MAGIC;
	c.head.stored_size = c.size;
	c.head.crc = c.crc;
	sink_put(s, &c.head, sizeof(c.head));
	sink_put(s, c.data, c.size);
	put_padding(s, c.size);
	packer_trim(&s->packer);
}

static void sink_put_text(struct sink *s, enum trace_chunk_type type,
			  const char *text, size_t size)
{
	put_chunk(s,
		  (struct trace_chunk){ .type = type, .cpu = TRACE_CPU_NONE,
					.raw_size = size },
		  text);
}

/* Defines the stacks that are new in the chunk that follows. */
static void put_stacks(struct sink *s, const struct numbered *n)
{
	uint64_t offset = s->bytes;

	if (!n->size)
		return;
	put_chunk(s,
		  (struct trace_chunk){ .type = TRACE_STACKS,
					.cpu = TRACE_CPU_NONE,
					.raw_size = n->size,
					.first_seq = n->first,
					.mark = n->generation },
		  n->definitions);
	trace_index_add_stacks(&s->index, offset, n->generation);
}

/* Writes columns: their sizes; what another thread has packed; and CALLERS. */
static void put_columns(struct sink *s, struct chunk *c)
{
	const uint64_t *list = (const void *)(c->data + c->list_at);
	uint8_t sizes[COLUMNS_HEAD_MAX], *callers = NULL;
	struct columns last = { 0 };
	struct numbered n;
	size_t head;
	ssize_t tail;

	numbering_add(&s->numbering, list, c->nr_stacks, &n);
	if (n.callers.size)
		callers = xmalloc(n.callers.size);
	put_stacks(s, &n);
	last.column[COLUMN_CALLERS] = n.callers;
	/* a column that does not shrink is copied, so it always fits */
	tail = columns_compress(&last, COLUMN_CALLERS, COLUMNS, s->packer.zstd,
				callers, n.callers.size, false, &c->sizes);
	head = columns_head(sizes, c->span.records, &c->sizes);
	c->head.stored_size = head + c->size + tail;
	c->head.crc = crc32_combine(crc32(0, sizes, head), c->crc, c->size);
	if (tail)
		c->head.crc = crc32(c->head.crc, callers, tail);
	sink_put(s, &c->head, sizeof(c->head));
	sink_put(s, sizes, head);
	sink_put(s, c->data, c->size);
	sink_put(s, callers, tail);
	put_padding(s, c->head.stored_size);
	free(callers);
}

static struct written *find_written(struct sink *s, uint32_t cpu)
{
	struct written *new;
	size_t i;

	if (cpu == TRACE_CPU_ABSENT)
		return &s->absent;
	for (i = 0; i < s->nr_written; i++)
		if (s->written[i].cpu == cpu)
			return &s->written[i];
	new = array_add(s->written, s->nr_written);
	*new = (struct written){ .cpu = cpu };
	return new;
}

/* Notes the mark of a chunk, and that no further record of its CPU has a smaller number. */
static void note_written(struct written *to, const struct chunk *c)
{
	uint32_t next = c->span.last + 1;

	if (c->head.flags & TRACE_CHUNK_COMPLETE) {
		to->mark = c->head.mark;
		to->has_mark = true;
	}
	if (!c->head.raw_size)
		return;
	if (!to->has_records || (int32_t)(next - to->next) > 0)
		to->next = next;
	to->has_records = true;
}

static void write_records(struct sink *s, struct chunk *c)
{
	struct written *to = find_written(s, c->head.cpu);
	uint64_t offset = s->bytes;

	note_written(to, c);
	c->head.magic = TRACE_CHUNK_MAGIC;
	c->head.first_seq = c->span.first;
	c->head.time_first = c->span.time_first;
	c->head.time_last = c->span.time_last;
	c->head.stored_size = c->size;
	c->head.crc = c->crc;
	if (c->is_columns) {
		put_columns(s, c);
	} else {
		sink_put(s, &c->head, sizeof(c->head));
		sink_put(s, c->data, c->size);
		put_padding(s, c->size);
	}
	if (!c->head.raw_size)
		return;
	s->synced = false;
	s->record_bytes += s->bytes - offset;
	__atomic_store_n(&s->records, s->records + c->span.records, __ATOMIC_RELAXED);
	trace_sync_add_times(&s->sync, c->span.time_first, c->span.time_last);
	trace_index_add_start(&s->index, c->head.cpu, c->span.first);
}

/*
 * Sets the offset of the next sync to the present end of the file, and sets its numbers.
 * Return: false if a CPU has no mark yet, so that the numbers are not known.
 */
static bool find_sync(struct sink *s)
{
	struct trace_sync *sync = &s->sync;
	size_t i;

	sync->offset = s->bytes;
	sync->low = sync->whole = s->absent.mark;
	for (i = 0; i < s->nr_written; i++) {
		const struct written *cpu = &s->written[i];
		uint32_t next = cpu->mark;

		if (!cpu->has_mark)
			return false;
		if (cpu->has_records && (int32_t)(cpu->next - next) > 0)
			next = cpu->next;
		if ((int32_t)(next - sync->low) < 0)
			sync->low = next;
		if (cpu->has_records && (int32_t)(cpu->next - sync->whole) > 0)
			sync->whole = cpu->next;
	}
	return s->absent.has_mark;
}

/* @end: there are no further records, so the numbers of the sync do not matter */
static void add_sync(struct sink *s, bool end)
{
	if (s->synced || (!find_sync(s) && !end))
		return;
	trace_index_add_sync(&s->index, &s->sync);
	s->sync = (struct trace_sync){ 0 };
	s->synced = true;
}

static void sink_write_text(struct sink *s, const struct chunk *c)
{
	uint64_t offset = s->bytes;

	sink_put_text(s, c->head.type, (const char *)c->data, c->head.raw_size);
	trace_index_add_text(&s->index, offset);
}

void sink_write(struct sink *s, struct chunk *c)
{
	if (c->kind == CHUNK_RECORDS) {
		/* without records, no other thread has packed it */
		if (!c->head.raw_size)
			packer_pack(&s->packer, c);
		write_records(s, c);
	} else if (c->kind == CHUNK_TEXT) {
		sink_write_text(s, c);
	} else {
		if (c->kind == CHUNK_SYNC)
			add_sync(s, false);
		flush(s);
	}
}

/* --- start and end -------------------------------------------------------- */

void sink_finish(struct sink *s)
{
	struct trace_chunk tail = { .type = TRACE_TAIL,
				    .cpu = TRACE_CPU_NONE };
	size_t size;
	char *text;

	add_sync(s, true);
	text = trace_index_print(&s->index, &size);
	tail.time_first = s->bytes;
	if (size <= TRACE_CHUNK_MAX)
		sink_put_text(s, TRACE_INDEX, text, size);
	put_chunk(s, tail, NULL);
	free(text);
}

void sink_init(struct sink *s)
{
	*s = (struct sink){ .synced = true }; /* there are no records yet */
	packer_init(&s->packer, false);
	numbering_init(&s->numbering, NUMBERING_CALLERS_MAX);
}

void sink_exit(struct sink *s)
{
	free(s->written);
	trace_index_exit(&s->index);
	numbering_exit(&s->numbering);
	packer_exit(&s->packer);
}

int sink_error(const struct sink *s)
{
	return __atomic_load_n(&s->err, __ATOMIC_RELAXED);
}
