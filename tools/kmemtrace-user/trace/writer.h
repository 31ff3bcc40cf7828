/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a recording: see trace_format.h. The name of the file is FILE.part until it is
 * complete, see outfile.h. FILE.part can be read at any time, but may lack the records of
 * the last 10 seconds. In a pipe or a device, records wait for at most 0.2 seconds, if
 * the caller calls trace_writer_data() as often, for example with an unchanged mark.
 *
 * A writer packs and writes records in the thread that calls it. With trace_writer_start(),
 * other threads do this. The file is the same.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/buffers.h"
#include "trace/trace_format.h"

struct trace_writer;

/**
 * trace_writer_create() - create a file
 * @path: path of the finished file; "-" is standard output
 * @ret: set to the writer
 *
 * Prints a message if it fails.
 *
 * Return: 0 or -errno.
 */
int trace_writer_create(const char *path, struct trace_writer **ret);

/**
 * trace_writer_destroy() - close the file and free the writer
 * @w: the writer
 * @keep: finish the file and rename it to its final name; otherwise remove it
 *
 * If @keep is set and this or an earlier write failed, the file keeps the name FILE.part,
 * and a message is printed, as by outfile_finish().
 *
 * Return: 0 or -errno.
 */
int trace_writer_destroy(struct trace_writer *w, bool keep);

/** trace_writer_keep_part() - as outfile_keep_part(): records cannot be read again */
void trace_writer_keep_part(struct trace_writer *w);

/**
 * trace_writer_may_give_up() - set a function that ends the wait for a pipe or a device
 * @w: the writer, just created
 * @gives_up: called every 20 ms while a write waits, with the time in ms since it began to
 *	wait. If it returns true, nothing more is written, and the error is -ECANCELED
 * @arg: argument of @gives_up
 *
 * Context: @gives_up is called in the thread that writes: see trace_writer_start().
 */
void trace_writer_may_give_up(struct trace_writer *w,
			      bool (*gives_up)(void *arg, unsigned int ms), void *arg);

/**
 * trace_writer_text() - add a chunk of text
 * @w: the writer
 * @type: enum trace_chunk_type
 * @text: the text
 * @size: bytes of @text
 *
 * Return: 0 or -errno.
 */
int trace_writer_text(struct trace_writer *w, enum trace_chunk_type type,
		      const char *text, size_t size);

/**
 * trace_writer_before() - set a function to call just before records are written
 * @w: the writer
 * @before: the function; it may call trace_writer_insert(), and nothing else of the writer
 * @arg: its argument
 *
 * Context: @before is called in any function of the writer.
 */
void trace_writer_before(struct trace_writer *w, void (*before)(void *arg),
			 void *arg);

/**
 * trace_writer_insert() - add a chunk of text in front of the records that wait
 * @w: the writer
 * @type: enum trace_chunk_type
 * @text: the text
 * @size: bytes of @text
 *
 * Return: 0 or -errno.
 */
int trace_writer_insert(struct trace_writer *w, enum trace_chunk_type type,
			const char *text, size_t size);

/**
 * trace_writer_data() - add a chunk of records
 * @w: the writer
 * @cpu: CPU of the records, or TRACE_CPU_ABSENT
 * @data: whole records; NULL if @size is 0
 * @size: bytes of @data, at most TRACE_DATA_MAX
 * @mark: see trace_format.h
 * @complete: whether @mark is valid
 *
 * Return: 0 or -errno.
 */
int trace_writer_data(struct trace_writer *w, uint32_t cpu, const void *data,
		      size_t size, uint32_t mark, bool complete);

/**
 * trace_writer_compact() - allow compact records
 * @w: the writer
 * @features: features of KMT_FEATURES_COMPACT to keep of them
 *
 * In the file, the records are plain.
 */
void trace_writer_compact(struct trace_writer *w, uint32_t features);

/**
 * struct trace_threads - threads for a writer
 * @count: number of threads that pack records
 * @buffers: pool of the buffers for trace_writer_take()
 * @stack_callers: at most so many addresses of stacks are kept; 0: the default
 * @spill_dir: descriptor of the directory for a temporary file, for records if buffers
 *	become scarce; -1: no such file
 */
struct trace_threads {
	unsigned int count;
	struct buffers *buffers;
	size_t stack_callers;
	int spill_dir;
};

/**
 * trace_writer_start() - let other threads pack and write from now on
 * @w: the writer
 * @threads: the threads
 *
 * From now on, trace_writer_data() takes marks, and records that fit in a buffer, which it
 * copies. trace_writer_take() takes records without a copy. Neither of them waits for the
 * disk, but trace_writer_data() waits for a free buffer.
 *
 * Return: 0 or -errno.
 */
int trace_writer_start(struct trace_writer *w, const struct trace_threads *threads);

/**
 * trace_writer_take() - add a chunk of records in a buffer
 * @w: the writer, after trace_writer_start()
 * @cpu: CPU of the records
 * @buffer: whole records, and at least one; the writer puts the buffer back
 * @mark: see trace_format.h
 * @complete: whether @mark is valid
 */
void trace_writer_take(struct trace_writer *w, uint32_t cpu, struct buffer *buffer,
		       uint32_t mark, bool complete);

/** trace_writer_end() - write all gathered records; the threads end when they are written */
void trace_writer_end(struct trace_writer *w);

/**
 * trace_writer_joined() - whether the threads have ended, after trace_writer_end()
 * @w: the writer
 *
 * Does not wait. If it returns true, the writer works without threads again.
 */
bool trace_writer_joined(struct trace_writer *w);

/** trace_writer_cut() - discard what is not written yet; any thread */
void trace_writer_cut(struct trace_writer *w);

/** trace_writer_backlog() - bytes in the temporary file; any thread, while it has threads */
uint64_t trace_writer_backlog(const struct trace_writer *w);

/** trace_writer_records() - number of records written so far; any thread */
uint64_t trace_writer_records(const struct trace_writer *w);

/**
 * trace_writer_path() - see outfile_path()
 * @w: the writer
 */
const char *trace_writer_path(const struct trace_writer *w);

/**
 * trace_writer_bytes() - bytes written so far
 * @w: the writer
 *
 * Context: any thread.
 */
uint64_t trace_writer_bytes(const struct trace_writer *w);

/**
 * trace_writer_record_bytes() - those of records and their stacks, not of symbols and names
 * @w: the writer, whose threads have ended
 */
uint64_t trace_writer_record_bytes(const struct trace_writer *w);

/**
 * trace_writer_error() - get the first error of a write
 * @w: the writer
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int trace_writer_error(const struct trace_writer *w);

#endif /* TRACE_WRITER_H */
