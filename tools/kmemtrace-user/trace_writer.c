// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "kmt_record.h"
#include "privatefile.h"
#include "trace_writer.h"

#define ZSTD_LEVEL 1

struct trace_writer {
	FILE *file;
	char *path;
	char *part; /* where it is written until it is whole */
	ZSTD_CCtx *zstd;
	void *room; /* for compressed bytes */
	size_t room_size;
	uint64_t bytes;
	int err;
};

static int put(struct trace_writer *w, const void *data, size_t size)
{
	if (w->err)
		return w->err;
	errno = 0;
	if (size && fwrite(data, 1, size, w->file) != size)
		w->err = errno ? -errno : -EIO;
	else
		w->bytes += size;
	return w->err;
}

static int put_header(struct trace_writer *w)
{
	struct trace_header head = {
		.byte_order = TRACE_BYTE_ORDER,
		.version = TRACE_VERSION,
		.header_size = sizeof(head),
	};

	memcpy(head.magic, TRACE_MAGIC, sizeof(head.magic));
	return put(w, &head, sizeof(head));
}

int trace_writer_create(const char *path, bool compress,
			struct trace_writer **ret)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (!w)
		return -ENOMEM;
	w->path = strdup(path);
	if (!w->path || asprintf(&w->part, "%s.part", path) < 0)
		goto free_writer;
	if (compress) {
		w->zstd = ZSTD_createCCtx();
		if (!w->zstd)
			goto free_writer;
	}
	w->file = privatefile_create(w->part);
	if (!w->file) {
		err = -errno;
		goto free_writer;
	}
	setvbuf(w->file, NULL, _IOFBF, 1 << 20);
	err = put_header(w);
	if (err) {
		trace_writer_destroy(w, false);
		return err;
	}
	*ret = w;
	return 0;

free_writer:
	ZSTD_freeCCtx(w->zstd);
	free(w->part);
	free(w->path);
	free(w);
	return err;
}

int trace_writer_destroy(struct trace_writer *w, bool keep)
{
	int err;

	if (fflush(w->file) && !w->err)
		w->err = -errno;
	if (keep && !w->err && fsync(fileno(w->file)) && errno != EINVAL)
		w->err = -errno;
	if (fclose(w->file) && !w->err)
		w->err = -errno;
	if (keep) {
		if (rename(w->part, w->path) && !w->err)
			w->err = -errno;
	} else {
		unlink(w->part);
	}
	err = w->err;
	ZSTD_freeCCtx(w->zstd);
	free(w->room);
	free(w->part);
	free(w->path);
	free(w);
	return err;
}

/* Compress if that is wanted and if it helps. */
static const void *compress_chunk(struct trace_writer *w,
				  struct trace_chunk *chunk, const void *data)
{
	size_t bound, size;

	if (!w->zstd || chunk->raw_size < 64)
		return data;
	bound = ZSTD_compressBound(chunk->raw_size);
	if (bound > w->room_size) {
		free(w->room);
		w->room = malloc(bound);
		w->room_size = w->room ? bound : 0;
	}
	if (!w->room)
		return data;
	size = ZSTD_compressCCtx(w->zstd, w->room, bound, data,
				 chunk->raw_size, ZSTD_LEVEL);
	if (ZSTD_isError(size) || size >= chunk->raw_size)
		return data;
	chunk->codec = TRACE_CODEC_ZSTD;
	chunk->stored_size = size;
	return w->room;
}

static int put_chunk(struct trace_writer *w, struct trace_chunk *chunk,
		     const void *data)
{
	static const char zeros[8];
	const void *stored;

	chunk->magic = TRACE_CHUNK_MAGIC;
	chunk->stored_size = chunk->raw_size;
	stored = compress_chunk(w, chunk, data);
	chunk->crc = crc32(0, stored, chunk->stored_size);
	put(w, chunk, sizeof(*chunk));
	put(w, stored, chunk->stored_size);
	return put(w, zeros, -chunk->stored_size % sizeof(zeros));
}

int trace_writer_text(struct trace_writer *w, enum trace_chunk_type type,
		      const char *text, size_t size)
{
	struct trace_chunk chunk = {
		.type = type,
		.cpu = TRACE_CPU_NONE,
		.raw_size = size,
	};

	if (size > TRACE_CHUNK_MAX)
		return -EFBIG;
	return put_chunk(w, &chunk, text);
}

/* The first record and the last say what the chunk's header needs. */
static void describe(struct trace_chunk *chunk, const uint8_t *data)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0, size;

	while (pos + sizeof(struct kmemtrace_event) <= chunk->raw_size) {
		size = ((const struct kmemtrace_event *)(data + pos))
			       ->event_size;
		if (size < sizeof(struct kmemtrace_event) ||
		    pos + size >= chunk->raw_size)
			break;
		pos += size;
	}
	if (kmt_record_decode(data, chunk->raw_size, false, &ev, &dec) > 0) {
		chunk->first_seq = ev.seq;
		chunk->time_first = ev.time;
	}
	if (kmt_record_decode(data + pos, chunk->raw_size - pos, false, &ev,
			      &dec) > 0)
		chunk->time_last = ev.time;
}

int trace_writer_data(struct trace_writer *w, uint32_t cpu, const void *data,
		      size_t size, uint32_t mark, bool complete)
{
	struct trace_chunk chunk = {
		.type = TRACE_DATA,
		.flags = complete ? TRACE_CHUNK_COMPLETE : 0,
		.cpu = cpu,
		.raw_size = size,
		.mark = mark,
	};

	if (size > TRACE_DATA_MAX)
		return -EFBIG;
	if (size)
		describe(&chunk, data);
	return put_chunk(w, &chunk, data);
}

uint64_t trace_writer_bytes(const struct trace_writer *w)
{
	return w->bytes;
}

int trace_writer_error(const struct trace_writer *w)
{
	return w->err;
}
