// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "chance.h"
#include "fuzz.h"
#include "packed.h"
#include "recording.h"
#include "records.h"
#include "trace/index.h"

#define CHUNKS_MAX  32
#define CONTENT_MAX 16384

/**
 * struct chunk - a chunk that can be changed
 * @head: its header, in the byte order of this machine
 * @opaque: true: @data and @head are written as they are in the file. false: @data is
 *	the content, which is compressed again; sizes and check sum are set to match
 * @columns: @data has columns, as in the file; size and check sum are set to match
 * @offset: its offset in the original file; 0: it is new
 * @size: size of @data in bytes
 * @data: see @opaque and @columns
 */
struct chunk {
	struct trace_chunk head;
	bool opaque;
	bool columns;
	uint64_t offset;
	size_t size;
	uint8_t data[CONTENT_MAX];
};

/**
 * struct recording - a whole file
 * @head: the header, as in the file
 * @swap: the file has the other byte order
 * @count: number of chunks
 * @chunks: the chunks
 */
struct recording {
	struct trace_header head;
	bool swap;
	size_t count;
	struct chunk *chunks[CHUNKS_MAX];
};

/* Memory of all chunks, in any order. */
static struct chunk room[CHUNKS_MAX + 1];

static void swap_head(struct trace_chunk *h)
{
	h->magic = __builtin_bswap32(h->magic);
	h->type = __builtin_bswap16(h->type);
	h->cpu = __builtin_bswap32(h->cpu);
	h->stored_size = __builtin_bswap32(h->stored_size);
	h->raw_size = __builtin_bswap32(h->raw_size);
	h->mark = __builtin_bswap32(h->mark);
	h->first_seq = __builtin_bswap32(h->first_seq);
	h->crc = __builtin_bswap32(h->crc);
	h->time_first = __builtin_bswap64(h->time_first);
	h->time_last = __builtin_bswap64(h->time_last);
}

/* --- parsing and writing -------------------------------------------------- */

static void take_content(struct chunk *c, const uint8_t *stored, bool swap)
{
	const struct trace_chunk *h = &c->head;
	size_t n = h->stored_size;

	c->opaque = crc32(0, stored, n) != h->crc;
	c->columns = !c->opaque && h->type == TRACE_DATA &&
		     h->codec == TRACE_CODEC_COLUMNS;
	if (!c->opaque && h->codec == TRACE_CODEC_ZSTD) {
		n = ZSTD_decompress(c->data, CONTENT_MAX, stored, n);
		c->opaque = ZSTD_isError(n) || n != h->raw_size;
	} else {
		memcpy(c->data, stored, n);
	}
	if (c->opaque) {
		n = h->stored_size;
		memcpy(c->data, stored, n);
	} else if (h->type == TRACE_DATA && swap && !c->columns) {
		records_swap(c->data, n, true);
	}
	c->size = n;
}

static bool unpack(struct recording *r, const uint8_t *data, size_t size)
{
	size_t pos = sizeof(r->head), i;
	struct chunk *c;

	for (i = 0; i < CHUNKS_MAX; i++)
		r->chunks[i] = &room[i];
	r->count = 0;
	if (size < sizeof(r->head))
		return false;
	memcpy(&r->head, data, sizeof(r->head));
	r->swap = r->head.byte_order == __builtin_bswap32(TRACE_BYTE_ORDER);
	while (r->count < CHUNKS_MAX && size - pos >= sizeof(c->head)) {
		c = r->chunks[r->count];
		memcpy(&c->head, data + pos, sizeof(c->head));
		c->offset = pos;
		if (r->swap)
			swap_head(&c->head);
		pos += sizeof(c->head);
		if (c->head.stored_size > size - pos ||
		    c->head.stored_size > CONTENT_MAX)
			return r->count;
		take_content(c, data + pos, r->swap);
		r->count++;
		pos += (c->head.stored_size + 7u) & ~7u;
		if (pos > size)
			break;
	}
	return true;
}

/* Return: the size of the chunk in bytes; 0: there is no room. */
static size_t put_chunk(const struct chunk *c, bool swap, uint8_t *to,
			size_t left)
{
	static uint8_t content[CONTENT_MAX];
	struct trace_chunk h = c->head;
	size_t n = c->size;

	if (left < sizeof(h) + ZSTD_compressBound(c->size) + 8)
		return 0;
	memcpy(content, c->data, n);
	if (!c->opaque && !c->columns) {
		if (h.type == TRACE_DATA && swap)
			records_swap(content, n, false);
		h.raw_size = n;
		if (h.codec == TRACE_CODEC_ZSTD)
			n = ZSTD_compress(to + sizeof(h), left - sizeof(h),
					  content, n, 1);
	}
	if (c->opaque || c->columns || h.codec != TRACE_CODEC_ZSTD)
		memcpy(to + sizeof(h), content, n);
	if (!c->opaque) {
		h.stored_size = n;
		h.crc = crc32(0, to + sizeof(h), n);
	}
	if (swap)
		swap_head(&h);
	memcpy(to, &h, sizeof(h));
	memset(to + sizeof(h) + n, 0, 7);
	return sizeof(h) + ((n + 7) & ~7ul);
}

/* Return: the new offset of the chunk that was at @offset, if it is before number @n. */
static uint64_t relocated(const struct recording *r, const uint64_t *offsets,
			  size_t n, uint64_t offset)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (r->chunks[i]->offset == offset)
			return offsets[i];
	return offset;
}

/* Set an index to the new offsets of the chunks, if it can be parsed. */
static void relocate_index(const struct recording *r, const uint64_t *offsets,
			   size_t number)
{
	struct chunk *c = r->chunks[number];
	struct trace_index x = {0};
	char *text, *printed = NULL;
	size_t i, size;

	text = fuzz_text(c->data, c->size);
	if (trace_index_parse(&x, text)) {
		for (i = 0; i < x.nr_texts; i++)
			x.texts[i] = relocated(r, offsets, number, x.texts[i]);
		for (i = 0; i < x.nr_syncs; i++)
			x.syncs[i].offset = relocated(r, offsets, number,
						      x.syncs[i].offset);
		printed = trace_index_print(&x, &size);
	}
	if (printed && size <= CONTENT_MAX) {
		memcpy(c->data, printed, size);
		c->size = size;
	}
	trace_index_exit(&x);
	free(printed);
	free(text);
}

static void relocate(const struct recording *r, const uint64_t *offsets,
		     size_t number)
{
	struct chunk *c = r->chunks[number];

	if (c->opaque)
		return;
	if (c->head.type == TRACE_INDEX)
		relocate_index(r, offsets, number);
	if (c->head.type == TRACE_TAIL)
		c->head.time_first = relocated(r, offsets, number,
					       c->head.time_first);
}

static size_t pack(const struct recording *r, uint8_t *to, size_t max)
{
	size_t pos = sizeof(r->head), i, n;
	uint64_t offsets[CHUNKS_MAX];
	bool moved = false;

	if (max < pos)
		return 0;
	memcpy(to, &r->head, sizeof(r->head));
	for (i = 0; i < r->count; i++) {
		offsets[i] = pos;
		moved |= pos != r->chunks[i]->offset;
		if (moved)
			relocate(r, offsets, i);
		n = put_chunk(r->chunks[i], r->swap, to + pos, max - pos);
		if (!n)
			return 0;
		pos += n;
	}
	return pos;
}

/* --- changes -------------------------------------------------------------- */

static void change_content(struct chunk *c, unsigned int seed)
{
	if (c->columns)
		c->size = packed_mutate(&c->head, c->data, c->size,
					CONTENT_MAX, seed);
	else if (!c->opaque && c->head.type == TRACE_DATA)
		c->size = records_mutate(c->data, c->size, CONTENT_MAX, seed);
	else
		c->size = LLVMFuzzerMutate(c->data, c->size, CONTENT_MAX);
}

static void change_codec(struct chunk *c, enum trace_codec codec)
{
	bool columns = codec == TRACE_CODEC_COLUMNS;

	if (c->columns && !columns) {
		if (!packed_unpack(&c->head, c->data, &c->size, CONTENT_MAX))
			return;
		c->columns = false;
	} else if (columns && !c->columns && !c->opaque) {
		if (!packed_pack(&c->head, c->data, &c->size, CONTENT_MAX))
			return;
		c->columns = true;
		return;
	}
	c->head.codec = codec;
}

/* Change a field of the header. */
static void change_head(struct chunk *c, struct chance *by)
{
	struct trace_chunk *h = &c->head;

	switch (chance_of(by, 10)) {
	case 0:
		h->type = 1 + chance_of(by, TRACE_TYPE_LAST);
		break;
	case 1:
		change_codec(c, chance_of(by, 3));
		break;
	case 2:
		h->flags ^= TRACE_CHUNK_COMPLETE;
		break;
	case 3:
		h->cpu = chance_of(by, 4);
		break;
	case 4:
		h->cpu = TRACE_CPU_ABSENT - chance_of(by, 3) + 1;
		break;
	case 5:
		h->mark += chance_of(by, 64) - 32;
		break;
	case 6:
		h->first_seq += chance_of(by, 64) - 32;
		break;
	case 7:
		h->time_first = chance_of(by, 1u << 31);
		h->time_last = h->time_first + chance_of(by, 1u << 31);
		break;
	default: /* keep the result, valid or not */
		c->opaque = true;
		LLVMFuzzerMutate((uint8_t *)h, sizeof(*h), sizeof(*h));
		h->magic = TRACE_CHUNK_MAGIC;
	}
}

static void add_chunk(struct recording *r, struct chance *by)
{
	struct chunk *c;

	if (r->count == CHUNKS_MAX)
		return;
	c = r->chunks[r->count];
	c->head = (struct trace_chunk) {
		.magic = TRACE_CHUNK_MAGIC,
		.type = TRACE_DATA,
		.flags = chance_of(by, 2),
		.codec = chance_of(by, 2),
		.cpu = chance_of(by, 4),
		.mark = chance_of(by, 300),
	};
	c->opaque = c->columns = false;
	c->offset = 0;
	c->size = 0;
	if (chance_of(by, 2))
		c->size = records_mutate(c->data, 0, CONTENT_MAX,
					 chance_of(by, 1u << 31));
	r->count++;
}

static void swap_chunks(struct recording *r, size_t i, size_t j)
{
	struct chunk *c = r->chunks[i];

	r->chunks[i] = r->chunks[j];
	r->chunks[j] = c;
}

static void change_row(struct recording *r, struct chance *by)
{
	size_t i = chance_of(by, r->count), j = chance_of(by, r->count);

	switch (chance_of(by, 4)) {
	case 0:
		swap_chunks(r, i, j);
		break;
	case 1:
		swap_chunks(r, i, --r->count);
		break;
	case 2: /* duplicate */
		if (r->count < CHUNKS_MAX)
			*r->chunks[r->count++] = *r->chunks[i];
		break;
	case 3:
		add_chunk(r, by);
	}
}

/* Change to the other byte order: all fields are written swapped. */
static void turn(struct recording *r)
{
	r->swap = !r->swap;
	r->head.byte_order = __builtin_bswap32(r->head.byte_order);
	r->head.version = __builtin_bswap16(r->head.version);
	r->head.header_size = __builtin_bswap16(r->head.header_size);
}

size_t recording_mutate(uint8_t *data, size_t size, size_t max,
			unsigned int seed)
{
	static uint8_t changed[1 << 20];
	struct chance by = chance_init(seed);
	struct recording r;
	size_t n;

	if (!chance_of(&by, 10) || !unpack(&r, data, size) || !r.count)
		return LLVMFuzzerMutate(data, size, max);
	switch (chance_of(&by, 16)) {
	case 0:
		turn(&r);
		break;
	case 1:
	case 2:
		change_row(&r, &by);
		break;
	case 3:
	case 4:
		change_head(r.chunks[chance_of(&by, r.count)], &by);
		break;
	default:
		change_content(r.chunks[chance_of(&by, r.count)], seed);
	}
	n = pack(&r, changed, sizeof(changed));
	if (!n || n > max)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(data, changed, n);
	return n;
}
