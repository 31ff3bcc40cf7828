// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "trace/packers.h"
#include "trace/sink.h"
#include "trace/writer.h"

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
/* gathered records with less room than this are passed on */
#define RECORDS_MIN 4096

/**
 * struct gathered - records of a CPU that were not passed on yet
 * @cpu: the CPU
 * @buffer: the records; or NULL
 * @mark: the last valid mark
 * @has_mark: the CPU has had a mark
 * @new_mark: @mark was not passed on yet
 */
struct gathered {
	uint32_t cpu;
	struct buffer *buffer;
	uint32_t mark;
	bool has_mark;
	bool new_mark;
};

/**
 * struct trace_writer - a file that is being written
 * @is_compact: records may be compact
 * @features: with @is_compact: features of compact records to keep
 * @cpus: gathered records, by CPU
 * @nr_cpus: number of them
 * @absent: marks of the CPUs without a chunk
 * @own: pool of buffers, without threads
 * @packer: packs records, without threads
 * @buffers: pool of buffers
 * @packers: the threads; or NULL
 * @since_sync: bytes of records since the last sync
 * @sync_ms: time of the last sync
 * @write_ms: when all gathered records were passed on last
 * @piped: records must not wait for the next sync
 * @before: called before records are passed on; or NULL
 * @arg: argument of @before
 * @out: the file
 * @wait: stream into @out, if writes to it may wait
 * @sink: writes into one of them; with threads, only one of them uses it
 */
struct trace_writer {
	bool is_compact;
	uint32_t features;
	struct gathered *cpus;
	size_t nr_cpus;
	struct gathered absent;
	struct buffers own;
	struct packer packer;
	struct buffers *buffers;
	struct packers *packers;
	size_t since_sync;
	uint64_t sync_ms;
	uint64_t write_ms;
	bool piped;
	void (*before)(void *arg);
	void *arg;
	struct outfile *out;
	struct waitstream wait;
	struct sink sink;
};

/* --- passing chunks on ------------------------------------------------------ */

/* Passes a chunk to the threads, which free it and its contents; or writes it now. */
static void pass(struct trace_writer *w, const struct chunk *from)
{
	struct chunk *c, now = *from;

	if (w->packers) {
		c = xmalloc(sizeof(*c));
		*c = now;
		packers_add(w->packers, c);
		return;
	}
	if (now.kind == CHUNK_RECORDS && now.head.raw_size)
		packer_pack(&w->packer, &now);
	sink_write(&w->sink, &now);
	if (now.buffer)
		buffers_put(w->buffers, now.buffer);
	free(now.copy);
}

/* --- gathering ------------------------------------------------------------ */

static struct gathered *find_cpu(struct trace_writer *w, uint32_t cpu)
{
	struct gathered *new;
	size_t i;

	if (cpu == TRACE_CPU_ABSENT)
		return &w->absent;
	for (i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].cpu == cpu)
			return &w->cpus[i];
	new = array_add(w->cpus, w->nr_cpus);
	*new = (struct gathered){ .cpu = cpu };
	return new;
}

static void copy_data(struct chunk *c, const void *data, size_t size)
{
	c->copy = xmalloc(size + 1);
	memcpy(c->copy, data, size);
	c->data = c->copy;
}

/* Passes on records, and the mark that is valid after them. @buffer: of @data; or NULL */
static void pass_records(struct trace_writer *w, struct gathered *g,
			 struct buffer *buffer, const void *data, size_t size)
{
	struct chunk c = {
		.kind = CHUNK_RECORDS,
		.head = {
			.type = TRACE_DATA,
			.flags = g->has_mark ? TRACE_CHUNK_COMPLETE : 0,
			.cpu = g->cpu,
			.raw_size = size,
			.mark = g->mark,
		},
		.buffer = buffer,
		.data = data,
		.is_compact = w->is_compact,
		.features = w->features,
	};

	g->new_mark = false;
	if (w->packers && size && !buffer)
		copy_data(&c, data, size);
	pass(w, &c);
}

static void put_gathered(struct trace_writer *w, struct gathered *g)
{
	struct buffer *buffer = g->buffer;

	g->buffer = NULL;
	if (buffer)
		pass_records(w, g, buffer, buffer->data, buffer->size);
	else if (g->new_mark)
		pass_records(w, g, NULL, NULL, 0);
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
 * The mark of the absent CPUs comes last, because the gathered records may be the first
 * of a CPU.
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
	pass(w, &(struct chunk){ .kind = CHUNK_SYNC });
	w->since_sync = 0;
	w->sync_ms = w->write_ms;
}

static size_t gather_max(const struct trace_writer *w)
{
	size_t each = w->nr_cpus ? GATHER_ALL / w->nr_cpus : GATHER_MAX;

	if (each < GATHER_MIN)
		each = GATHER_MIN;
	return each < w->buffers->room ? each : w->buffers->room;
}

static bool is_sync_due(const struct trace_writer *w)
{
	return (w->since_sync >= SYNC_MIN &&
		w->since_sync >= w->nr_cpus * gather_max(w)) ||
	       (w->since_sync && now_ms() - w->sync_ms >= SYNC_MS);
}

/* Passes gathered records on if @size more bytes do not fit. */
static void make_place(struct trace_writer *w, struct gathered *g, size_t size)
{
	if (!g->buffer || g->buffer->size + size <= gather_max(w))
		return;
	announce(w);
	put_gathered(w, g);
}

static void writer_append(struct gathered *g, const void *data, size_t size)
{
	memcpy(g->buffer->data + g->buffer->size, data, size);
	g->buffer->size += size;
}

/* Passes all gathered records on, so that their buffers become free. */
static void put_buffers(struct trace_writer *w)
{
	size_t i;

	announce(w);
	for (i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].buffer)
			put_gathered(w, &w->cpus[i]);
}

/*
 * If memory ran out, gathered records may be in all buffers: the wait would never end.
 * Without threads, nothing would end it either.
 */
static struct buffer *new_buffer(struct trace_writer *w)
{
	struct buffer *buffer = buffers_try(w->buffers);

	if (buffer || !w->packers)
		return buffer;
	put_buffers(w);
	return buffers_get(w->buffers);
}

static void gather(struct trace_writer *w, struct gathered *g,
		   const void *data, size_t size)
{
	make_place(w, g, size);
	if (!g->buffer && size <= w->buffers->room)
		g->buffer = new_buffer(w);
	if (g->buffer)
		writer_append(g, data, size);
	else
		pass_records(w, g, NULL, data, size);
}

static void take_mark(struct gathered *g, uint32_t mark)
{
	g->new_mark = g->new_mark || !g->has_mark || mark != g->mark;
	g->has_mark = true;
	g->mark = mark;
}

/* Passes gathered records on if further ones will hardly fit. */
static void put_full(struct trace_writer *w, struct gathered *g)
{
	if (!g->buffer || g->buffer->size + RECORDS_MIN <= gather_max(w))
		return;
	announce(w);
	put_gathered(w, g);
}

/* Ends trace_writer_data() and trace_writer_take(). @size: bytes of new records */
static void write_if_due(struct trace_writer *w, size_t size)
{
	w->since_sync += size;
	if (is_sync_due(w)) {
		sync_cpus(w);
	} else if (w->piped && now_ms() - w->write_ms >= PIPE_MS) {
		write_gathered(w);
		pass(w, &(struct chunk){ .kind = CHUNK_FLUSH });
	}
}

/* If all buffers are in use, others wait until gathered records are packed. */
static void relieve(struct trace_writer *w)
{
	if (!buffers_left(w->buffers))
		put_buffers(w);
}

int trace_writer_data(struct trace_writer *w, uint32_t cpu, const void *data,
		      size_t size, uint32_t mark, bool complete)
{
	struct gathered *g = find_cpu(w, cpu);

	if (size > TRACE_DATA_MAX)
		return -EFBIG;
	if (size)
		gather(w, g, data, size);
	/* after gather(), which may write older records that lack @data */
	if (complete)
		take_mark(g, mark);
	put_full(w, g);
	write_if_due(w, size);
	if (w->packers)
		relieve(w);
	return trace_writer_error(w);
}

void trace_writer_take(struct trace_writer *w, uint32_t cpu, struct buffer *buffer,
		       uint32_t mark, bool complete)
{
	struct gathered *g = find_cpu(w, cpu);
	size_t size = buffer->size;

	make_place(w, g, size);
	if (g->buffer) {
		writer_append(g, buffer->data, size);
		buffers_put(w->buffers, buffer);
	} else {
		g->buffer = buffer;
	}
	if (complete)
		take_mark(g, mark);
	put_full(w, g);
	write_if_due(w, size);
	relieve(w);
}

int trace_writer_insert(struct trace_writer *w, enum trace_chunk_type type,
			const char *text, size_t size)
{
	struct chunk c = {
		.kind = CHUNK_TEXT,
		.head = { .type = type, .cpu = TRACE_CPU_NONE, .raw_size = size },
		.data = (const void *)text,
	};

	if (size > TRACE_CHUNK_MAX)
		return -EFBIG;
	if (w->packers)
		copy_data(&c, text, size);
	pass(w, &c);
	return trace_writer_error(w);
}

void trace_writer_compact(struct trace_writer *w, uint32_t features)
{
	w->is_compact = true;
	w->features = features;
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
	pass(w, &(struct chunk){ .kind = CHUNK_FLUSH });
	return trace_writer_error(w);
}

/* --- threads ---------------------------------------------------------------- */

int trace_writer_start(struct trace_writer *w, const struct trace_threads *threads)
{
	int err;

	if (threads->stack_callers)
		w->sink.numbering.callers_max = threads->stack_callers;
	/* buffers of the other pool are passed on */
	write_gathered(w);
	err = packers_start(threads->count, threads->buffers, threads->spill_dir, &w->sink,
			    &w->packers);
	if (!err)
		w->buffers = threads->buffers;
	return err;
}

void trace_writer_end(struct trace_writer *w)
{
	sync_cpus(w);
	packers_end(w->packers);
}

bool trace_writer_joined(struct trace_writer *w)
{
	if (!packers_joined(w->packers))
		return false;
	packers_free(w->packers);
	w->packers = NULL;
	w->buffers = &w->own;
	return true;
}

void trace_writer_cut(struct trace_writer *w)
{
	packers_cut(w->packers);
}

uint64_t trace_writer_backlog(const struct trace_writer *w)
{
	return packers_backlog(w->packers);
}

uint64_t trace_writer_records(const struct trace_writer *w)
{
	return __atomic_load_n(&w->sink.records, __ATOMIC_RELAXED);
}

/* --- start and end of a file ---------------------------------------------- */

static void free_writer(struct trace_writer *w)
{
	size_t i;

	for (i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].buffer)
			buffers_put(&w->own, w->cpus[i].buffer);
	free(w->cpus);
	buffers_exit(&w->own);
	packer_exit(&w->packer);
	sink_exit(&w->sink);
	free(w);
}

static void open_stream(struct trace_writer *w)
{
	int fd = fileno(outfile_stream(w->out));

	w->sink.file = outfile_stream(w->out);
	if (waitstream_is_needed(fd)) {
		w->wait.fd = fd;
		w->sink.file = waitstream_open(&w->wait);
	}
	setvbuf(w->sink.file, NULL, _IOFBF, 1 << 20);
}

/* outfile_finish() and outfile_discard() close the other stream. */
static void close_stream(struct trace_writer *w)
{
	if (w->sink.file == outfile_stream(w->out))
		return;
	errno = 0;
	if (fclose(w->sink.file))
		sink_fail(&w->sink, errno ? -errno : -EIO);
}

static int open_file(struct trace_writer *w, const char *path)
{
	int err = outfile_create(path, TRACE_MAGIC, &w->out);

	if (err)
		return err;
	if (isatty(fileno(outfile_stream(w->out)))) {
		msg_error("a recording is not text: write it to a file or a pipe");
		outfile_discard(w->out);
		return -EINVAL;
	}
	open_stream(w);
	/* the buffer of the stream has room for it */
	sink_header(&w->sink);
	return 0;
}

int trace_writer_create(const char *path, struct trace_writer **ret)
{
	struct trace_writer *w = xcalloc(1, sizeof(*w));
	int err;

	buffers_init(&w->own, GATHER_MAX, SIZE_MAX);
	w->buffers = &w->own;
	sink_init(&w->sink);
	packer_init(&w->packer, true);
	w->absent.cpu = TRACE_CPU_ABSENT;
	w->sync_ms = w->write_ms = now_ms();
	err = open_file(w, path);
	if (err) {
		free_writer(w);
		return err;
	}
	w->piped = !outfile_path(w->out);
	*ret = w;
	return 0;
}

int trace_writer_destroy(struct trace_writer *w, bool keep)
{
	int err = 0;

	if (keep) {
		sync_cpus(w);
		sink_finish(&w->sink);
		close_stream(w);
		err = outfile_finish(w->out, trace_writer_error(w), true);
	} else {
		close_stream(w);
		outfile_discard(w->out);
	}
	free_writer(w);
	return err;
}

void trace_writer_keep_part(struct trace_writer *w)
{
	outfile_keep_part(w->out);
}

void trace_writer_may_give_up(struct trace_writer *w,
			      bool (*gives_up)(void *arg, unsigned int ms), void *arg)
{
	w->wait.gives_up = gives_up;
	w->wait.arg = arg;
}

const char *trace_writer_path(const struct trace_writer *w)
{
	return outfile_path(w->out);
}

uint64_t trace_writer_bytes(const struct trace_writer *w)
{
	return __atomic_load_n(&w->sink.bytes, __ATOMIC_RELAXED);
}

uint64_t trace_writer_record_bytes(const struct trace_writer *w)
{
	return w->sink.record_bytes;
}

int trace_writer_error(const struct trace_writer *w)
{
	return sink_error(&w->sink);
}
