/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a recording: see trace_format.h. Of either byte order; nothing in the
 * file is trusted.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/index.h"
#include "trace/trace_format.h"

struct trace_reader;

/* How a file ends. */
enum trace_end {
	TRACE_WHOLE,  /* with an END chunk */
	TRACE_CUT,    /* in the middle, or without END */
	TRACE_BROKEN, /* with something that is no chunk, or damaged */
};

/**
 * trace_reader_open() - open a recording
 * @path: the file
 * @why: set to a sentence if it cannot be opened
 *
 * Return: the reader; NULL with @why set. The sentence lives until the next
 * call.
 */
struct trace_reader *trace_reader_open(const char *path, const char **why);

/** trace_reader_close() - close and free */
void trace_reader_close(struct trace_reader *r);

/** trace_reader_rewind() - read from the first chunk again */
void trace_reader_rewind(struct trace_reader *r);

/**
 * trace_reader_next() - go to the next chunk
 * @r: the reader
 * @chunk: set to its header, in this machine's byte order
 *
 * Return: whether there is one; if not, see trace_reader_error() and then
 * trace_reader_end().
 */
bool trace_reader_next(struct trace_reader *r, struct trace_chunk *chunk);

/**
 * trace_reader_load() - read what the chunk holds
 * @r: the reader, at the chunk
 *
 * Return: chunk.raw_size bytes and a 0 behind them, good until the next call;
 * NULL if the chunk is damaged: the chunks behind it can still be read; or see
 * trace_reader_error().
 */
const uint8_t *trace_reader_load(struct trace_reader *r);

/**
 * trace_reader_stored() - read the chunk as it stands in the file
 * @r: the reader, at the chunk
 *
 * Return: chunk.stored_size bytes, good until the next call; NULL if the chunk
 * is damaged, or see trace_reader_error().
 */
const uint8_t *trace_reader_stored(struct trace_reader *r);

/**
 * trace_reader_index() - read the file's index
 * @r: the reader
 * @x: an empty index
 *
 * Where the next chunk is read stays as it is.
 *
 * Return: false if the file has none that can be used; @x is then empty.
 */
bool trace_reader_index(struct trace_reader *r, struct trace_index *x);

/**
 * trace_reader_seek() - read on elsewhere
 * @r: the reader
 * @offset: where a chunk starts
 */
void trace_reader_seek(struct trace_reader *r, uint64_t offset);

/**
 * trace_reader_stop() - read no further than this
 * @r: the reader
 * @offset: of the first chunk that is not of interest; 0: no limit
 */
void trace_reader_stop(struct trace_reader *r, uint64_t offset);

/** trace_reader_offset() - where in the file the chunk starts */
uint64_t trace_reader_offset(const struct trace_reader *r);

/** trace_reader_size() - bytes of the file */
uint64_t trace_reader_size(const struct trace_reader *r);

/**
 * trace_reader_swapped() - whether records are of the other byte order
 * @r: the reader
 *
 * Those of chunks with the codec COLUMNS, as they are loaded, never are.
 */
bool trace_reader_swapped(const struct trace_reader *r);

/** trace_reader_end() - how the file ended, once trace_reader_next() said so */
enum trace_end trace_reader_end(const struct trace_reader *r);

/**
 * trace_reader_error() - why a chunk could not be read
 * @r: the reader
 *
 * Return: 0 if none failed, so that it was the end or damage; -errno of the read
 * that failed; -ENOMEM. What was read is then incomplete.
 */
int trace_reader_error(const struct trace_reader *r);

/** trace_reader_is_recording() - whether a file starts like a recording */
bool trace_reader_is_recording(const char *path);

#endif /* TRACE_READER_H */
