/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a recording of either byte order: see trace_format.h. The contents of the file
 * are not trusted.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/index.h"
#include "trace/trace_format.h"

/*
 * The bytes of a recording: a file; a stream, which can only be read in order, such as a
 * pipe; or a file that grows while it is read.
 *
 * SIGINT and SIGTERM do not end a process that reads a stream, because the process that
 * writes the stream gets Ctrl-C as well, and still writes the end of the recording. The
 * reader then reads what comes. It gives up at a second signal, or if nothing comes for
 * two seconds. Reading of a growing file ends at the first signal.
 */

/** source_descriptor() - open a file to read it, or "-"; return the descriptor, or -1 */
int source_descriptor(const char *path);

/** source_name() - get the name of a file for messages: that of "-" is standard input */
const char *source_name(const char *path);

/** source_is_stream() - whether a path is a pipe, a FIFO, a socket, or such on "-" */
bool source_is_stream(const char *path);

struct trace_reader;

/* ends of a file */
enum trace_end {
	TRACE_WHOLE,  /* the file has an END chunk, and ends after a whole chunk */
	TRACE_CUT,    /* the file ends inside a chunk, or has no END chunk */
	TRACE_BROKEN, /* the data at the next offset is no valid header of a chunk */
};

/**
 * trace_reader_open() - open a recording
 * @path: the file, or a stream: see struct source; "-" is standard input
 * @why: set to a message if the file cannot be opened, valid until the next call
 *
 * Return: the reader; NULL with @why set.
 */
struct trace_reader *trace_reader_open(const char *path, const char **why);

/**
 * trace_reader_follow() - open a recording that may still be written
 * @path: the file; a stream is opened as by trace_reader_open()
 * @recorder: process to end with SIGTERM at the first SIGINT or SIGTERM; 0: none
 * @why: set to a message if the file cannot be opened, valid until the next call
 *
 * trace_reader_next() then waits for the recorder, until the recording ends or the
 * process gets SIGINT or SIGTERM.
 *
 * Return: the reader; NULL with @why set.
 */
struct trace_reader *trace_reader_follow(const char *path, pid_t recorder, const char **why);

/** trace_reader_close() - close and free */
void trace_reader_close(struct trace_reader *r);

/** trace_reader_is_stream() - whether chunks can only be read in order */
bool trace_reader_is_stream(const struct trace_reader *r);

/** trace_reader_interrupted() - whether a signal came while a stream was read */
bool trace_reader_interrupted(const struct trace_reader *r);

/** trace_reader_rewind() - read from the first chunk again; not of a stream */
void trace_reader_rewind(struct trace_reader *r);

/**
 * trace_reader_next() - go to the next chunk
 * @r: the reader
 * @chunk: set to its header, in this machine's byte order
 *
 * Return: whether there is a next chunk; if not, see trace_reader_error() and then
 * trace_reader_end().
 */
bool trace_reader_next(struct trace_reader *r, struct trace_chunk *chunk);

/**
 * trace_reader_load() - read and decompress a chunk
 * @r: the reader, at the chunk
 *
 * Return: chunk.raw_size bytes, followed by a 0, valid until the next call; NULL after an
 * error, see trace_reader_error(), or if the chunk is damaged. The chunks after a damaged
 * chunk can still be read. Chunks of records refer to chunks STACKS, which must be loaded
 * before; records without a definition of their stack have an empty one.
 */
const uint8_t *trace_reader_load(struct trace_reader *r);

/**
 * trace_reader_content() - as trace_reader_load(), but keep no definitions of stacks
 * @r: the reader, at a chunk that is not by columns
 *
 * Return: as trace_reader_load().
 */
const uint8_t *trace_reader_content(struct trace_reader *r);

/** trace_reader_undefined() - how often a loaded chunk lacked the definition of a stack */
uint64_t trace_reader_undefined(const struct trace_reader *r);

/**
 * trace_reader_stored() - read a chunk without decompressing it
 * @r: the reader, at the chunk
 *
 * Return: chunk.stored_size bytes, valid until the next call; NULL after an error, see
 * trace_reader_error(), or if the chunk is damaged.
 */
const uint8_t *trace_reader_stored(struct trace_reader *r);

/**
 * trace_reader_index() - read the file's index
 * @r: the reader
 * @x: an empty index
 *
 * Does not change the position of the next chunk.
 *
 * Return: false if the file has no usable index; @x is then empty.
 */
bool trace_reader_index(struct trace_reader *r, struct trace_index *x);

/**
 * trace_reader_seek() - set the position of the next chunk
 * @r: the reader; not of a stream
 * @offset: offset of a chunk
 */
void trace_reader_seek(struct trace_reader *r, uint64_t offset);

/**
 * trace_reader_stop() - stop reading before a chunk
 * @r: the reader
 * @offset: offset of the chunk; 0: no limit
 */
void trace_reader_stop(struct trace_reader *r, uint64_t offset);

/** trace_reader_offset() - get the offset of the current chunk in the file */
uint64_t trace_reader_offset(const struct trace_reader *r);

/** trace_reader_size() - bytes of the file; for a stream, UINT64_MAX before its end */
uint64_t trace_reader_size(const struct trace_reader *r);

/**
 * trace_reader_swapped() - whether the file has the other byte order
 * @r: the reader
 *
 * This applies to records, except to those loaded from a chunk by columns.
 */
bool trace_reader_swapped(const struct trace_reader *r);

/** trace_reader_end() - get the end of the file, after trace_reader_next() failed */
enum trace_end trace_reader_end(const struct trace_reader *r);

/**
 * trace_reader_error() - why a chunk could not be read
 * @r: the reader
 *
 * Return: 0 at the end of the file or after damage; -errno of a failed read.
 * After an error, the chunks that were read are incomplete.
 */
int trace_reader_error(const struct trace_reader *r);

/**
 * trace_reader_is_recording() - whether a file starts like a recording
 * @path: the file
 *
 * A stream is not read: the function takes it for a recording.
 *
 * Return: 1; 0 if it does not, or if it cannot be opened; or -errno if it cannot be read.
 */
int trace_reader_is_recording(const char *path);

#endif /* TRACE_READER_H */
