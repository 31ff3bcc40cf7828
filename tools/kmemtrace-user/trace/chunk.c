// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <zlib.h>

#include "base/die.h"
#include "trace/chunk.h"
#include "trace/numbering.h"
#include "trace/plain.h"

#define ZSTD_LEVEL 1
/* compressing fewer bytes saves less than the header of the frame takes */
#define WORTH_COMPRESSING 64
/* a packer keeps this much memory */
#define ROOM_KEPT (2 * TRACE_DATA_MAX)

void packer_init(struct packer *p, bool records)
{
	*p = (struct packer){ 0 };
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		die();
	if (records)
		p->pack = pack_create();
}

void packer_exit(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	pack_destroy(p->pack);
	free(p->room);
	free(p->plain);
	*p = (struct packer){ 0 };
}

/* Makes memory large enough, and forgets its contents. */
static void enlarge(uint8_t **memory, size_t *have, size_t size)
{
	if (size <= *have)
		return;
	free(*memory);
	*memory = xmalloc(size);
	*have = size;
}

void packer_trim(struct packer *p)
{
	if (p->room_size <= ROOM_KEPT)
		return;
	free(p->room);
	p->room = NULL;
	p->room_size = 0;
}

/* Puts the list of stacks behind the columns. Return: bytes of both. */
static size_t put_list(struct packer *p, struct chunk *c)
{
	const struct stacks *stacks = pack_stacks(p->pack);

	c->nr_stacks = stacks->count - 1;
	if (!c->nr_stacks)
		return c->size;
	c->list_at = (c->size + 7) & ~7ul;
	numbering_list(stacks, (uint64_t *)(p->room + c->list_at));
	return c->list_at + numbering_list_size(stacks);
}

/* Return: bytes of the columns with the list; 0: the records cannot be stored as columns. */
static size_t pack_columns(struct packer *p, struct chunk *c)
{
	size_t raw = c->head.raw_size;
	const struct columns *columns =
		pack_records(p->pack, c->data, raw,
			     c->is_compact ? &c->features : NULL, &c->span);
	ssize_t n;

	if (!columns || raw <= COLUMNS_HEAD_MAX)
		return 0;
	enlarge(&p->room, &p->room_size, 2 * raw + sizeof(uint64_t));
	n = columns_compress(columns, 0, COLUMN_CALLERS, p->zstd, p->room,
			     raw - COLUMNS_HEAD_MAX, c->quick, &c->sizes);
	if (n < 0)
		return 0;
	c->data = p->room;
	c->size = n;
	c->is_columns = true;
	c->head.codec = TRACE_CODEC_COLUMNS;
	c->head.raw_size = c->span.bytes;
	return put_list(p, c);
}

static void compress_bytes(struct packer *p, struct chunk *c)
{
	size_t bound = ZSTD_compressBound(c->size), n;

	if (c->size < WORTH_COMPRESSING)
		return;
	enlarge(&p->room, &p->room_size, bound);
	n = ZSTD_compressCCtx(p->zstd, p->room, bound, c->data, c->size,
			      ZSTD_LEVEL);
	zstd_need_memory(n);
	if (ZSTD_isError(n) || n >= c->size)
		return;
	c->data = p->room;
	c->size = n;
	c->head.codec = TRACE_CODEC_ZSTD;
}

/* Return: bytes of the next record in @from; those of the plain one in *to_size. */
static size_t make_plain(const struct chunk *c, const uint8_t *from, size_t left,
			 uint8_t *to, size_t *to_size)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used = kmt_record_decode_any(from, left, false, &ev, &dec);

	if (used > 0 && plain_is_compact(from, &dec)) {
		uint32_t kept = ev.features & c->features;

		*to_size = plain_put(to, &ev, kept, used, plain_tail(&ev, kept, used));
		return used;
	}
	/* what cannot be decoded ends the records */
	*to_size = used > 0 ? (size_t)used : left;
	memcpy(to, from, *to_size);
	return *to_size;
}

/* Makes compact records plain: they cannot be put into columns. */
static void make_all_plain(struct packer *p, struct chunk *c)
{
	size_t pos = 0, size = 0, n;

	/* a plain record is less than twice as long */
	enlarge(&p->plain, &p->plain_size, 2 * c->size);
	for (; pos < c->size; size += n)
		pos += make_plain(c, c->data + pos, c->size - pos, p->plain + size, &n);
	c->data = p->plain;
	c->size = c->head.raw_size = size;
	c->is_compact = false;
}

size_t packer_pack(struct packer *p, struct chunk *c)
{
	bool has_records = c->kind == CHUNK_RECORDS && c->head.raw_size;
	size_t n = 0;

	c->size = c->head.raw_size;
	if (has_records)
		n = pack_columns(p, c);
	if (!n && has_records && c->is_compact)
		make_all_plain(p, c);
	if (!n) {
		if (has_records)
			pack_span(c->data, c->size, &c->span);
		compress_bytes(p, c);
		n = c->size;
	}
	c->crc = crc32(0, c->data, c->size);
	return n;
}
