/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the chunks of a recording that the merge needs: pieces of the CPUs' streams, and
 * definitions of stacks. A thread can read ahead.
 */
#ifndef PIECES_H
#define PIECES_H

#include "trace/merge.h"
#include "trace/reader.h"
#include "trace/stackdefs.h"
#include "trace/unzstd.h"

struct feed;
struct loaded;

/**
 * typedef pieces_next - go to the next chunk
 * @arg: pieces.arg
 * @chunk: set to its header
 *
 * Return: 1; 0 if there are no more chunks; or -errno.
 */
typedef int (*pieces_next)(void *arg, struct trace_chunk *chunk);

/**
 * struct pieces - reading of a recording
 * @reader: reads the chunks
 * @next: goes to the next chunk of @reader
 * @arg: argument of @next
 * @stream: the mark of the absent CPUs is needed as well: it allows to pass on records of
 *	a stream before its end. The CPUs of a file are known from the start.
 * @defs: gets the definitions of stacks; NULL: they are skipped
 * @damaged: number of damaged chunks, updated
 * @feed: a thread that reads ahead into @loaded; NULL: no thread
 * @loaded: chunks that @feed has read
 * @unzstd: decompresses the chunks of @loaded
 * @err: result of the thread, after its end: 0 or -errno
 *
 * The caller sets the members before @feed, and sets the others to 0.
 */
struct pieces {
	struct trace_reader *reader;
	pieces_next next;
	void *arg;
	bool stream;
	struct stackdefs *defs;
	uint64_t *damaged;
	struct feed *feed;
	struct loaded *loaded;
	struct unzstd unzstd;
	int err;
};

/** pieces_exit() - undo pieces_load_ahead(); all zeros are allowed */
void pieces_exit(struct pieces *p);

/**
 * pieces_load_ahead() - start a thread that reads ahead
 * @p: the pieces; until pieces_exit(), only the thread uses the reader and @damaged
 *
 * The thread hands over chunks and not events. Moving events to the cache of another CPU
 * takes as long as decoding them.
 *
 * Return: false if no thread could be created.
 */
bool pieces_load_ahead(struct pieces *p);

/**
 * pieces_fill() - pass the next chunk on
 * @p: the pieces
 * @m: gets a piece of a stream
 *
 * Return: 1; 0 if there are no more chunks; or -errno. As for a merge_fill, but a chunk of
 * definitions adds no piece to @m.
 */
int pieces_fill(struct pieces *p, struct merge *m);

/**
 * pieces_read_stacks() - read definitions of stacks that are before the next chunk
 * @p: the pieces, with @defs, before pieces_load_ahead()
 * @offset: offset of the chunk STACKS; the reader is left behind it
 *
 * Return: 0, also if the chunk is damaged; or -errno.
 */
int pieces_read_stacks(struct pieces *p, uint64_t offset);

#endif /* PIECES_H */
