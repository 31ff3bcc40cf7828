/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a recording: see trace_format.h. The name of the file is FILE.part until it is
 * complete, see outfile.h. FILE.part can be read at any time, but may lack the records of
 * the last 10 seconds. In a pipe or a device, records wait for at most 0.2 seconds, if
 * the caller calls trace_writer_data() as often, for example with an unchanged mark.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace_format.h"

struct trace_writer;

/**
 * trace_writer_create() - create a file
 * @path: path of the finished file; "-" is standard output
 * @compress: compress chunks with zstd
 * @ret: set to the writer
 *
 * Prints a message if it fails.
 *
 * Return: 0 or -errno.
 */
int trace_writer_create(const char *path, bool compress,
			struct trace_writer **ret);

/**
 * trace_writer_destroy() - close the file and free the writer
 * @w: the writer
 * @keep: finish the file and rename it to its final name; otherwise remove it
 *
 * If @keep is set and this or an earlier write failed, the file keeps the name FILE.part,
 * and a message is printed.
 *
 * Return: 0 or -errno.
 */
int trace_writer_destroy(struct trace_writer *w, bool keep);

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
 * trace_writer_error() - get the first error of a write
 * @w: the writer
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int trace_writer_error(const struct trace_writer *w);

#endif /* TRACE_WRITER_H */
