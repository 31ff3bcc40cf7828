// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/columns.h"
#include "trace/feed.h"
#include "trace/pieces.h"

/* number of chunks that the thread reads ahead */
#define LOADED 8

/**
 * struct loaded - a chunk that was read
 * @stacks: the chunk defines stacks: @piece has its data, size and first number
 * @piece: the chunk
 * @columns: with a thread: the columns, decompressed; they refer to @data
 * @data: with a thread: memory of the chunk
 * @room: bytes of @data
 */
struct loaded {
	bool stacks;
	struct merge_piece piece;
	struct columns columns;
	uint8_t *data;
	size_t room;
};

void pieces_exit(struct pieces *p)
{
	int i;

	feed_stop(p->feed);
	for (i = 0; p->loaded && i < LOADED; i++)
		free(p->loaded[i].data);
	free(p->loaded);
	unzstd_exit(&p->unzstd);
	p->feed = NULL;
	p->loaded = NULL;
}

/* --- chunks --------------------------------------------------------------- */

/* Return: whether a chunk is usable, see read_chunk(). */
static bool take_records(struct pieces *p, const struct trace_chunk *chunk,
			 struct merge_piece *piece)
{
	*piece = (struct merge_piece){
		.cpu = chunk->cpu,
		.codec = chunk->codec,
		.data = trace_reader_stored(p->reader),
		.size = chunk->stored_size,
		.raw_size = chunk->raw_size,
		.first = chunk->first_seq,
		.mark = chunk->mark,
		.complete = chunk->flags & TRACE_CHUNK_COMPLETE,
	};
	return piece->data && piece->codec <= TRACE_CODEC_COLUMNS &&
	       !piece->size == !piece->raw_size;
}

static bool take_stacks(struct pieces *p, const struct trace_chunk *chunk,
			struct merge_piece *piece)
{
	*piece = (struct merge_piece){
		.data = trace_reader_content(p->reader),
		.size = chunk->raw_size,
		.first = chunk->first_seq,
	};
	return piece->data;
}

static bool is_wanted(const struct pieces *p, const struct trace_chunk *chunk)
{
	if (chunk->type == TRACE_STACKS)
		return p->defs;
	return chunk->type == TRACE_DATA &&
	       (chunk->cpu != TRACE_CPU_ABSENT ||
		(p->stream && !chunk->raw_size));
}

/*
 * Reads the next chunk with records or stacks. Its data is valid until the next call.
 * Return: 1; 0 if there is no such chunk; or -errno.
 */
static int read_chunk(struct pieces *p, struct loaded *l)
{
	struct trace_chunk chunk;
	bool ok;
	int ret;

	while ((ret = p->next(p->arg, &chunk)) > 0) {
		if (!is_wanted(p, &chunk))
			continue;
		l->stacks = chunk.type == TRACE_STACKS;
		ok = l->stacks ? take_stacks(p, &chunk, &l->piece) :
				 take_records(p, &chunk, &l->piece);
		if (ok)
			return 1;
		ret = trace_reader_error(p->reader);
		if (ret)
			break;
		++*p->damaged;
	}
	return ret;
}

static void pieces_pass_on(struct pieces *p, const struct loaded *l, struct merge *m)
{
	int err;

	if (!l->stacks) {
		merge_add(m, &l->piece);
		return;
	}
	err = stackdefs_add(p->defs, l->piece.first, l->piece.data,
			    l->piece.size);
	/* p->damaged belongs to the thread, if there is one */
	p->defs->damaged += err == -EBADMSG;
}

int pieces_read_stacks(struct pieces *p, uint64_t offset)
{
	struct trace_chunk chunk;
	struct loaded l = { .stacks = true };

	trace_reader_seek(p->reader, offset);
	if (trace_reader_next(p->reader, &chunk) &&
	    chunk.type == TRACE_STACKS && take_stacks(p, &chunk, &l.piece))
		pieces_pass_on(p, &l, NULL);
	else
		++*p->damaged;
	return trace_reader_error(p->reader);
}

/* --- reading in another thread -------------------------------------------- */

static void keep_data(struct loaded *l)
{
	array_fit(l->data, l->room, l->piece.size + 1);
	memcpy(l->data, l->piece.data, l->piece.size);
	l->piece.data = l->data;
}

/* Keeps a damaged piece unchanged, so that the merge counts it. */
static void load_columns(struct pieces *p, struct loaded *l)
{
	struct merge_piece *piece = &l->piece;
	int err = -EBADMSG;

	if (!piece->size)
		return;
	if (piece->codec == TRACE_CODEC_COLUMNS)
		err = columns_load(&l->columns, &p->unzstd, piece->data,
				   piece->size, piece->raw_size, &l->data,
				   &l->room);
	if (!err)
		piece->columns = &l->columns;
	if (err == -EBADMSG)
		keep_data(l);
}

/* a feed_fill */
static bool pieces_load(void *arg, unsigned int slot)
{
	struct pieces *p = arg;
	struct loaded *l = &p->loaded[slot];
	int ret = read_chunk(p, l);

	if (ret <= 0)
		p->err = ret;
	else if (l->stacks)
		keep_data(l);
	else
		load_columns(p, l);
	return ret > 0;
}

bool pieces_load_ahead(struct pieces *p)
{
	p->loaded = xcalloc(LOADED, sizeof(*p->loaded));
	p->feed = feed_start(pieces_load, p, LOADED, 1);
	return p->feed != NULL;
}

int pieces_fill(struct pieces *p, struct merge *m)
{
	struct loaded l;
	int ret;

	if (p->feed) {
		ret = feed_next(p->feed, 0);
		if (ret < 0) /* the thread has ended */
			return p->err;
		pieces_pass_on(p, &p->loaded[ret], m);
		return 1;
	}
	ret = read_chunk(p, &l);
	if (ret > 0)
		pieces_pass_on(p, &l, m);
	return ret;
}
