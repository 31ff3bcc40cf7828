// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/array.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "kmt_record.h"
#include "trace/index.h"
#include "trace/pack.h"
#include "trace/writer.h"

#define ZSTD_LEVEL 1
/* Maximum and minimum bytes to gather of a CPU. Larger chunks compress better. */
#define GATHER_MAX (512 * 1024)
#define GATHER_MIN (64 * 1024)
/* maximum bytes to gather of all CPUs, unless each CPU then has less than GATHER_MIN */
#define GATHER_ALL (32 << 20)
/*
 * After this many bytes of records, or more with many CPUs, the writer writes the records
 * of all CPUs. A merging reader holds at most the bytes between two syncs in memory, and
 * can start to read at a sync.
 */
#define SYNC_MIN (8 << 20)
/* maximum ms between two syncs; a killed recorder loses at most these records */
#define SYNC_MS 10000
/* maximum ms that records wait if the output is a pipe or a device */
#define PIPE_MS 200

/**
 * struct gathered - records of a CPU that were not written yet
 * @cpu: the CPU
 * @data: the records
 * @size: bytes of @data
 * @mark: the last valid mark
 * @has_mark: the CPU has had a mark
 * @new_mark: @mark is not in the file yet
 * @has_records: records of the CPU were written
 * @next: with @has_records: no further record has a smaller number
 */
struct gathered {
	uint32_t cpu;
	uint8_t *data;
	size_t size;
	uint32_t mark;
	bool has_mark;
	bool new_mark;
	bool has_records;
	uint32_t next;
};

struct trace_writer {
	struct outfile *out;
	FILE *file; /* stream of out */
	ZSTD_CCtx *zstd;
	struct pack *pack;
	void *room; /* memory for compressed bytes */
	size_t room_size;
	uint64_t bytes; /* bytes written; atomic, because other threads read it */
	struct gathered *cpus;
	size_t nr_cpus;
	struct gathered absent;
	size_t since_sync; /* bytes of records since the last sync */
	uint64_t sync_ms;  /* time of the last sync */
	uint64_t write_ms; /* time of the last write of all gathered records */
	bool piped;	   /* records must not wait for the next sync */
	bool synced;	   /* the index has a sync after all written records */
	struct trace_sync sync; /* the next sync */
	struct trace_index index;
	void (*before)(void *arg); /* called before records are written; or NULL */
	void *arg;
	int err; /* atomic, because other threads read it */
};

/* Keeps the first error. */
static int fail(struct trace_writer *w, int err)
{
	if (!w->err)
		__atomic_store_n(&w->err, err, __ATOMIC_RELAXED);
	return w->err;
}

static int put(struct trace_writer *w, const void *data, size_t size)
{
	if (w->err)
		return w->err;
	errno = 0;
	if (size && fwrite(data, 1, size, w->file) != size)
		return fail(w, errno ? -errno : -EIO);
	__atomic_store_n(&w->bytes, w->bytes + size, __ATOMIC_RELAXED);
	return 0;
}

static void flush(struct trace_writer *w)
{
	errno = 0;
	if (!w->err && fflush(w->file))
		fail(w, errno ? -errno : -EIO);
}

/* --- the file ------------------------------------------------------------- */

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

/* --- chunks --------------------------------------------------------------- */

static bool make_room(struct trace_writer *w, size_t size)
{
	if (size <= w->room_size)
		return true;
	free(w->room);
	w->room = malloc(size);
	w->room_size = w->room ? size : 0;
	return w->room != NULL;
}

static int put_chunk(struct trace_writer *w, struct trace_chunk *chunk,
		     const void *data);

/* Defines the stacks that are new in the chunk that follows. */
static void put_stacks(struct trace_writer *w)
{
	struct pack_stacks stacks;
	struct trace_chunk chunk = { .type = TRACE_STACKS,
				     .cpu = TRACE_CPU_NONE };
	uint64_t offset = w->bytes;

	pack_new_stacks(w->pack, &stacks);
	if (!stacks.size)
		return;
	chunk.raw_size = stacks.size;
	chunk.first_seq = stacks.first;
	chunk.mark = stacks.generation;
	put_chunk(w, &chunk, stacks.data);
	if (!trace_index_add_stacks(&w->index, offset, stacks.generation))
		fail(w, -ENOMEM);
}

/* Return: whether the records can be stored as columns, in fewer bytes. */
static bool compress_columns(struct trace_writer *w, struct trace_chunk *chunk,
			     const void *data)
{
	const struct columns *columns;
	size_t size;

	if (chunk->type != TRACE_DATA)
		return false;
	columns = pack_records(w->pack, data, chunk->raw_size);
	put_stacks(w);
	if (!columns || !make_room(w, chunk->raw_size))
		return false;
	size = columns_store(columns, w->zstd, w->room, chunk->raw_size);
	if (!size)
		return false;
	chunk->codec = TRACE_CODEC_STACKED;
	chunk->stored_size = size;
	return true;
}

static bool compress_bytes(struct trace_writer *w, struct trace_chunk *chunk,
			   const void *data)
{
	size_t bound = ZSTD_compressBound(chunk->raw_size), size;

	if (chunk->raw_size < 64 || !make_room(w, bound))
		return false;
	size = ZSTD_compressCCtx(w->zstd, w->room, bound, data,
				 chunk->raw_size, ZSTD_LEVEL);
	if (ZSTD_isError(size) || size >= chunk->raw_size)
		return false;
	chunk->codec = TRACE_CODEC_ZSTD;
	chunk->stored_size = size;
	return true;
}

/* Compresses the chunk, unless compression is off or takes more bytes. */
static const void *compress_chunk(struct trace_writer *w,
				  struct trace_chunk *chunk, const void *data)
{
	if (!w->zstd || !chunk->raw_size)
		return data;
	return compress_columns(w, chunk, data) ||
			       compress_bytes(w, chunk, data) ?
		       w->room :
		       data;
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

static int put_text(struct trace_writer *w, enum trace_chunk_type type,
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

/* Sets the values of the header that depend on the records. @last: the last number */
static void describe(struct trace_chunk *chunk, const uint8_t *data,
		     uint32_t *last)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used;

	while ((used = kmt_record_decode(data + pos, chunk->raw_size - pos,
					 false, &ev, &dec)) > 0) {
		if (!pos)
			chunk->first_seq = ev.seq;
		*last = ev.seq;
		pos += used;
		if (!(ev.features & KMT_FEATURE_TIME))
			continue;
		if (!chunk->time_last || ev.time < chunk->time_first)
			chunk->time_first = ev.time;
		if (ev.time > chunk->time_last)
			chunk->time_last = ev.time;
	}
}

/* --- gathering ------------------------------------------------------------ */

static struct gathered *find_cpu(struct trace_writer *w, uint32_t cpu)
{
	struct gathered *new;
	size_t i;

	for (i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].cpu == cpu)
			return &w->cpus[i];
	new = array_add(w->cpus, w->nr_cpus);
	if (new)
		*new = (struct gathered){ .cpu = cpu };
	return new;
}

/* Notes that no further record of this CPU has a number before @next. */
static void note_next(struct gathered *g, uint32_t next)
{
	if (!g->has_records || (int32_t)(next - g->next) > 0)
		g->next = next;
	g->has_records = true;
}

/* Writes records, and the mark that is valid after them. */
static void put_records(struct trace_writer *w, struct gathered *g,
			const uint8_t *data, size_t size)
{
	struct trace_chunk chunk = {
		.type = TRACE_DATA,
		.flags = g->has_mark ? TRACE_CHUNK_COMPLETE : 0,
		.cpu = g->cpu,
		.raw_size = size,
		.mark = g->mark,
	};
	uint32_t last = 0;

	if (size) {
		describe(&chunk, data, &last);
		note_next(g, last + 1);
		trace_sync_add_times(&w->sync, chunk.time_first,
				     chunk.time_last);
		if (!trace_index_add_start(&w->index, g->cpu, chunk.first_seq))
			fail(w, -ENOMEM);
	}
	put_chunk(w, &chunk, data);
	g->new_mark = false;
	if (size)
		w->synced = false;
}

static void put_gathered(struct trace_writer *w, struct gathered *g)
{
	if (g->size || g->new_mark)
		put_records(w, g, g->data, g->size);
	g->size = 0;
}

/*
 * Sets the offset of the next sync to the present end of the file, and sets its numbers.
 * Return: false if a CPU has no mark yet, so that the numbers are not known.
 */
static bool find_sync(struct trace_writer *w)
{
	struct trace_sync *sync = &w->sync;
	size_t i;

	sync->offset = w->bytes;
	sync->low = sync->whole = w->absent.mark;
	for (i = 0; i < w->nr_cpus; i++) {
		const struct gathered *g = &w->cpus[i];
		uint32_t next = g->mark;

		if (!g->has_mark)
			return false;
		if (g->has_records && (int32_t)(g->next - next) > 0)
			next = g->next;
		if ((int32_t)(next - sync->low) < 0)
			sync->low = next;
		if (g->has_records && (int32_t)(g->next - sync->whole) > 0)
			sync->whole = g->next;
	}
	return w->absent.has_mark;
}

/* @end: there are no further records, so the numbers of the sync do not matter */
static void add_sync(struct trace_writer *w, bool end)
{
	if (!find_sync(w) && !end)
		return;
	if (!trace_index_add_sync(&w->index, &w->sync))
		fail(w, -ENOMEM);
	w->sync = (struct trace_sync){ 0 };
	w->synced = true;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static void announce(struct trace_writer *w)
{
	if (w->before)
		w->before(w->arg);
}

/*
 * The mark of the absent CPUs is written last, because the gathered records may be the
 * first of a CPU.
 */
static void write_gathered(struct trace_writer *w)
{
	size_t i;

	announce(w);
	for (i = 0; i < w->nr_cpus; i++)
		put_gathered(w, &w->cpus[i]);
	put_gathered(w, &w->absent);
	w->write_ms = now_ms();
}

static void sync_cpus(struct trace_writer *w)
{
	write_gathered(w);
	if (!w->synced)
		add_sync(w, false);
	flush(w);
	w->since_sync = 0;
	w->sync_ms = w->write_ms;
}

static size_t gather_max(const struct trace_writer *w)
{
	size_t each = w->nr_cpus ? GATHER_ALL / w->nr_cpus : GATHER_MAX;

	if (each > GATHER_MAX)
		return GATHER_MAX;
	return each < GATHER_MIN ? GATHER_MIN : each;
}

static bool is_sync_due(const struct trace_writer *w)
{
	return (w->since_sync >= SYNC_MIN &&
		w->since_sync >= w->nr_cpus * gather_max(w)) ||
	       (w->since_sync && now_ms() - w->sync_ms >= SYNC_MS);
}

static void gather(struct trace_writer *w, struct gathered *g,
		   const void *data, size_t size)
{
	if (g->size + size > gather_max(w)) {
		announce(w);
		put_gathered(w, g);
	}
	if (!g->data)
		g->data = malloc(GATHER_MAX);
	if (!g->data || size > GATHER_MAX) {
		put_records(w, g, data, size);
		return;
	}
	memcpy(g->data + g->size, data, size);
	g->size += size;
}

static void take_mark(struct gathered *g, uint32_t mark)
{
	g->new_mark = g->new_mark || !g->has_mark || mark != g->mark;
	g->has_mark = true;
	g->mark = mark;
}

int trace_writer_data(struct trace_writer *w, uint32_t cpu, const void *data,
		      size_t size, uint32_t mark, bool complete)
{
	struct gathered *g = &w->absent;

	if (size > TRACE_DATA_MAX)
		return -EFBIG;
	if (cpu != TRACE_CPU_ABSENT)
		g = find_cpu(w, cpu);
	if (!g)
		return fail(w, -ENOMEM);
	if (size)
		gather(w, g, data, size);
	/* after gather(), which may write older records that lack @data */
	if (complete)
		take_mark(g, mark);
	w->since_sync += size;
	if (is_sync_due(w)) {
		sync_cpus(w);
	} else if (w->piped && now_ms() - w->write_ms >= PIPE_MS) {
		write_gathered(w);
		flush(w);
	}
	return w->err;
}

int trace_writer_insert(struct trace_writer *w, enum trace_chunk_type type,
			const char *text, size_t size)
{
	uint64_t offset = w->bytes;
	int err = put_text(w, type, text, size);

	if (!err && !trace_index_add_text(&w->index, offset))
		fail(w, -ENOMEM);
	return err ? err : w->err;
}

void trace_writer_before(struct trace_writer *w, void (*before)(void *arg),
			 void *arg)
{
	w->before = before;
	w->arg = arg;
}

int trace_writer_text(struct trace_writer *w, enum trace_chunk_type type,
		      const char *text, size_t size)
{
	sync_cpus(w);
	trace_writer_insert(w, type, text, size);
	flush(w);
	return w->err;
}

/* --- start and end of a file ---------------------------------------------- */

/* Writes the remaining records, INDEX and TAIL. */
static void finish(struct trace_writer *w)
{
	struct trace_chunk tail = { .type = TRACE_TAIL,
				    .cpu = TRACE_CPU_NONE };
	size_t size;
	char *text;

	sync_cpus(w);
	if (!w->synced)
		add_sync(w, true);
	text = trace_index_print(&w->index, &size);
	if (!text) {
		fail(w, -ENOMEM);
		return;
	}
	tail.time_first = w->bytes;
	put_text(w, TRACE_INDEX, text, size);
	put_chunk(w, &tail, NULL);
	free(text);
}

static void free_writer(struct trace_writer *w)
{
	size_t i;

	for (i = 0; i < w->nr_cpus; i++)
		free(w->cpus[i].data);
	free(w->cpus);
	trace_index_exit(&w->index);
	pack_destroy(w->pack);
	ZSTD_freeCCtx(w->zstd);
	free(w->room);
	free(w);
}

static int open_file(struct trace_writer *w, const char *path)
{
	int err = outfile_create(path, &w->out);

	if (err)
		return err;
	w->file = outfile_stream(w->out);
	if (isatty(fileno(w->file))) {
		msg_error("a recording is not text: write it to a file or a pipe");
		outfile_discard(w->out);
		return -EINVAL;
	}
	setvbuf(w->file, NULL, _IOFBF, 1 << 20);
	err = put_header(w);
	if (err)
		outfile_finish(w->out, err, false);
	return err;
}

int trace_writer_create(const char *path, bool compress,
			struct trace_writer **ret)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int err;

	if (w && compress) {
		w->zstd = ZSTD_createCCtx();
		w->pack = pack_create();
	}
	if (!w || (compress && (!w->zstd || !w->pack))) {
		msg_oom();
		err = -ENOMEM;
		goto free_writer;
	}
	w->absent.cpu = TRACE_CPU_ABSENT;
	w->synced = true; /* there are no records yet */
	w->sync_ms = w->write_ms = now_ms();
	err = open_file(w, path);
	if (err)
		goto free_writer;
	w->piped = !outfile_path(w->out);
	*ret = w;
	return 0;

free_writer:
	if (w)
		free_writer(w);
	return err;
}

int trace_writer_destroy(struct trace_writer *w, bool keep)
{
	int err = 0;

	if (keep) {
		finish(w);
		err = outfile_finish(w->out, w->err, true);
	} else {
		outfile_discard(w->out);
	}
	free_writer(w);
	return err;
}

const char *trace_writer_path(const struct trace_writer *w)
{
	return outfile_path(w->out);
}

uint64_t trace_writer_bytes(const struct trace_writer *w)
{
	return __atomic_load_n(&w->bytes, __ATOMIC_RELAXED);
}

int trace_writer_error(const struct trace_writer *w)
{
	return __atomic_load_n(&w->err, __ATOMIC_RELAXED);
}
