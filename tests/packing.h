/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores records by columns, with the numbers of their stacks, as the writer of a recording
 * does with several threads.
 */
#ifndef PACKING_H
#define PACKING_H

#include <stdlib.h>
#include <string.h>

#include "trace/sink.h"
#include "trace/pack.h"

/**
 * struct packing - a packer
 * @pack: packs records
 * @numbering: numbers their stacks
 * @columns: the columns of the last chunk
 * @stacks: its stacks
 */
struct packing {
	struct pack *pack;
	struct numbering numbering;
	struct columns columns;
	struct numbered stacks;
};

/** packing_create() - create a packer */
static inline struct packing *packing_create(void)
{
	struct packing *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pack = pack_create();
	numbering_init(&p->numbering, NUMBERING_CALLERS_MAX);
	return p;
}

/** packing_destroy() - free a packer */
static inline void packing_destroy(struct packing *p)
{
	pack_destroy(p->pack);
	numbering_exit(&p->numbering);
	free(p);
}

/**
 * packing_records() - put the records of a chunk into columns
 * @p: the packer; p->stacks is set to the definitions of new stacks
 * @data: whole records
 * @size: bytes of @data
 *
 * Return: the columns, as pack_records(), but with CALLERS; or NULL.
 */
static inline const struct columns *packing_records(struct packing *p, const uint8_t *data,
						    size_t size)
{
	struct pack_span span;
	const struct columns *c = pack_records(p->pack, data, size, NULL, &span);
	size_t count, bytes;
	uint64_t *list;

	p->stacks = (struct numbered){ 0 };
	if (!c)
		return NULL;
	p->columns = *c;
	count = pack_stacks(p->pack, &bytes);
	list = malloc(bytes + 1);
	if (!list)
		return NULL;
	pack_list(p->pack, list);
	numbering_add(&p->numbering, list, count, &p->stacks);
	free(list);
	p->columns.column[COLUMN_CALLERS] = p->stacks.callers;
	return &p->columns;
}

/**
 * packing_store() - compress and encode columns for the file
 * @c: the columns
 * @zstd: context that compresses the columns
 * @to: gets the encoded columns
 * @room: bytes of @to
 *
 * Return: bytes written; 0 if the columns do not fit.
 */
static inline size_t packing_store(const struct columns *c, ZSTD_CCtx *zstd, uint8_t *to,
				   size_t room)
{
	uint8_t head[COLUMNS_HEAD_MAX];
	struct column_sizes sizes;
	ssize_t used;
	size_t n;

	/* the sizes come before the columns, but are known only after compressing them */
	if (room <= sizeof(head))
		return 0;
	used = columns_compress(c, 0, COLUMNS, zstd, to + sizeof(head),
				room - sizeof(head), false, &sizes);
	if (used < 0)
		return 0;
	n = columns_head(head, c->records, &sizes);
	memmove(to + n, to + sizeof(head), used);
	memcpy(to, head, n);
	return n + used;
}

#endif /* PACKING_H */
