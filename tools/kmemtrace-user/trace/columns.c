// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/columns.h"

/* --- zstd ----------------------------------------------------------------- */

void zstd_need_memory(size_t result)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		die();
}

int unzstd_frame(struct unzstd *u, void *to, size_t size, const void *from,
		 size_t stored)
{
	size_t n;

	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		die();
	n = ZSTD_decompressDCtx(u->zstd, to, size, from, stored);
	if (n == size)
		return 0;
	zstd_need_memory(n);
	return -EBADMSG;
}

void unzstd_exit(struct unzstd *u)
{
	ZSTD_freeDCtx(u->zstd);
	u->zstd = NULL;
}

/* --- columns -------------------------------------------------------------- */

#define ZSTD_LEVEL 1
/*
 * In columns with a byte for each record, short matches save less than they take. The
 * table of 16 KiB stays in the CPU's L1 cache. Both together save a seventh
 * of the instructions of zstd, and take 1 % more bytes.
 */
#define LONG_MATCH 7
#define HASH_LOG   12
/*
 * The smallest table of zstd, of 256 bytes: it finds repetitions that are near, and seldom
 * a wrong one. This takes 30 % less time, and 3 % more bytes.
 */
#define QUICK_HASH_LOG 6
/* compressing fewer bytes saves less than the header of the frame takes */
#define WORTH_COMPRESSING 24

/* Return: bytes of a column in the file. A fixed column of zeros takes 0 bytes. */
static size_t size_of(const struct columns *c, enum column_id id)
{
	const struct column *column = &c->column[id];

	if (id < COLUMNS_FIXED && column->size && !column->data[0] &&
	    !memcmp(column->data, column->data + 1, column->size - 1))
		return 0;
	return column->size;
}

/* Sets how to compress a column. A parameter that zstd refuses keeps its default. */
static void set_parameters(ZSTD_CCtx *zstd, enum column_id id, bool quick)
{
	bool long_match = id < COLUMNS_FIXED || id == COLUMN_SIZES;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, quick ? QUICK_HASH_LOG : HASH_LOG);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, long_match ? LONG_MATCH : 0);
}

/* Return: bytes written; 0 if they do not fit. *stored is 0 if they are uncompressed. */
static size_t store_column(const struct column *column, ZSTD_CCtx *zstd,
			   uint8_t *to, size_t room, size_t *stored)
{
	size_t n = 0;

	*stored = 0;
	if (column->size >= WORTH_COMPRESSING) {
		n = ZSTD_compress2(zstd, to, room, column->data, column->size);
		zstd_need_memory(n);
		if (!ZSTD_isError(n) && n < column->size) {
			*stored = n;
			return n;
		}
	}
	if (column->size > room)
		return 0;
	memcpy(to, column->data, column->size);
	return column->size;
}

ssize_t columns_compress(const struct columns *c, int from, int to, ZSTD_CCtx *zstd,
			 uint8_t *data, size_t room, bool quick,
			 struct column_sizes *sizes)
{
	size_t used = 0, n;
	int id;

	for (id = from; id < to; id++) {
		sizes->size[id] = size_of(c, id);
		if (!sizes->size[id])
			continue;
		set_parameters(zstd, id, quick);
		n = store_column(&c->column[id], zstd, data + used, room - used,
				 &sizes->stored[id]);
		if (!n)
			return -1;
		used += n;
	}
	return used;
}

size_t columns_head(uint8_t *data, uint32_t records, const struct column_sizes *sizes)
{
	uint8_t *end = varint_put(data, records);
	int id;

	for (id = 0; id < COLUMNS; id++) {
		end = varint_put(end, sizes->size[id]);
		if (sizes->size[id])
			end = varint_put(end, sizes->stored[id]);
	}
	return end - data;
}

/**
 * struct frame - sizes of a column in the file
 * @size: bytes of the column
 * @stored: bytes of its zstd frame; 0: not compressed
 */
struct frame {
	uint64_t size;
	uint64_t stored;
};

static bool get_frames(struct columns *c, const uint8_t **at,
		       const uint8_t *end, size_t raw_size, struct frame *f)
{
	uint64_t records, sum = 0;
	int id;

	if (!varint_get(at, end, &records) || !records ||
	    records > raw_size / sizeof(struct kmemtrace_event))
		return false;
	c->records = records;
	for (id = 0; id < COLUMNS; id++) {
		if (!varint_get(at, end, &f[id].size))
			return false;
		f[id].stored = 0;
		if (f[id].size && !varint_get(at, end, &f[id].stored))
			return false;
		if (id < COLUMNS_FIXED ? f[id].size && f[id].size != records :
					 f[id].size > COLUMNS_GROWTH * raw_size)
			return false;
		if (id >= COLUMNS_FIXED)
			sum += f[id].size;
	}
	if (sum > COLUMNS_GROWTH * raw_size)
		return false;
	return true;
}

static void make_room(uint8_t **buffer, size_t *room, const struct frame *f)
{
	size_t size = 1; /* even if all columns are empty, their data must not be NULL */
	int id;

	for (id = 0; id < COLUMNS; id++)
		size += f[id].size;
	array_fit(*buffer, *room, size);
}

static int load_column(const struct frame *f, struct unzstd *unzstd,
		       const uint8_t **at, const uint8_t *end, uint8_t *to)
{
	size_t n = f->stored ? f->stored : f->size;
	int err = 0;

	if (n > (size_t)(end - *at))
		return -EBADMSG;
	if (!f->stored)
		memcpy(to, *at, n);
	else
		err = unzstd_frame(unzstd, to, f->size, *at, n);
	*at += n;
	return err;
}

int columns_load(struct columns *c, struct unzstd *unzstd, const uint8_t *from,
		  size_t size, size_t raw_size, uint8_t **buffer, size_t *room)
{
	static uint8_t zeros[COLUMNS_RECORDS_MAX];
	const uint8_t *at = from, *end = from + size;
	struct frame frames[COLUMNS];
	uint8_t *to;
	int id, err = 0;

	if (raw_size > TRACE_DATA_MAX ||
	    !get_frames(c, &at, end, raw_size, frames))
		return -EBADMSG;
	make_room(buffer, room, frames);
	to = *buffer;
	for (id = 0; id < COLUMNS; id++) {
		struct column *column = &c->column[id];

		column->size = frames[id].size;
		column->data = to;
		if (!column->size && id < COLUMNS_FIXED)
			column->data = zeros;
		else if (column->size)
			err = load_column(&frames[id], unzstd, &at, end, to);
		if (err)
			return err;
		to += column->size;
	}
	return at == end ? 0 : -EBADMSG;
}

size_t columns_size(const struct columns *c)
{
	size_t size = 1;
	int id;

	for (id = 0; id < COLUMNS; id++)
		size += c->column[id].size;
	return size;
}

/* Fixed columns of size 0 keep their pointer to the static zeros. */
void columns_copy(struct columns *to, const struct columns *from,
		  uint8_t *memory)
{
	int id;

	*to = *from;
	for (id = 0; id < COLUMNS; id++) {
		struct column *column = &to->column[id];

		if (id < COLUMNS_FIXED && !column->size)
			continue;
		memcpy(memory, column->data, column->size);
		column->data = memory;
		memory += column->size;
	}
}
