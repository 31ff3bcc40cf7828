/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a recording: see trace_format.h. The file is FILE.part until it is
 * complete, see outfile.h. FILE.part can be read at any time; the records of the
 * last ten seconds may be missing there.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace_format.h"

struct trace_writer;

/**
 * trace_writer_create() - start a file
 * @path: of the finished file; "-" is standard output
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
 * trace_writer_destroy() - close and free
 * @w: the writer
 * @keep: give the file its name; else it is removed
 *
 * After an error, also of any write before, the file stays as FILE.part. Prints a
 * message then.
 *
 * Return: 0 or -errno.
 */
int trace_writer_destroy(struct trace_writer *w, bool keep);

/**
 * trace_writer_text() - add a chunk of text
 * @w: the writer
 * @type: enum trace_chunk_type
 * @text: the text
 * @size: bytes of it
 *
 * Return: 0 or -errno.
 */
int trace_writer_text(struct trace_writer *w, enum trace_chunk_type type,
		      const char *text, size_t size);

/**
 * trace_writer_data() - add a chunk of records
 * @w: the writer
 * @cpu: whose
 * @data: whole records; NULL if @size is 0
 * @size: bytes of them, up to TRACE_DATA_MAX
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
 * Context: any thread, as trace_writer_error().
 */
uint64_t trace_writer_bytes(const struct trace_writer *w);

/**
 * trace_writer_error() - the first error of a write
 * @w: the writer
 *
 * Return: 0 or -errno.
 */
int trace_writer_error(const struct trace_writer *w);

#endif /* TRACE_WRITER_H */
