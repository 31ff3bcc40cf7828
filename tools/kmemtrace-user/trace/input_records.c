// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records of an input. Each step asks the one below: input_next() the merge for a window, and
 * if the merge lacks pieces, the recording or the raw files for these. Two threads can work ahead:
 * one reads and decompresses chunks, the other merges.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "trace/columns.h"
#include "trace/feed.h"
#include "trace/input.h"

/* maximum bytes of records that wait for others; enough for thousands of CPUs */
#ifndef HELD_MAX
#define HELD_MAX (1ul << 30)
#endif

/* Reading a smaller file takes less time than starting a thread. */
#define THREAD_MIN (1 << 20)

/* number of chunks that the thread reads ahead */
#define LOADED 8

/**
 * struct loaded - a chunk that was read
 * @stacks: the chunk defines stacks: @piece has its data, size and first number
 * @piece: the chunk
 * @columns: with a thread: the columns, decompressed; they refer to @data
 * @data: with a thread: memory of the chunk
 * @room: bytes of @data
 */
struct loaded {
	bool stacks;
	struct merge_piece piece;
	struct columns columns;
	uint8_t *data;
	size_t room;
};

/**
 * struct loader - a thread that reads ahead
 * @feed: the thread
 * @unzstd: decompresses columns
 * @err: its result after its end: 0 or -errno
 * @chunk: chunks that it has read
 */
struct loader {
	struct feed *feed;
	struct unzstd unzstd;
	int err;
	struct loaded chunk[LOADED];
};

/* --- chunks --------------------------------------------------------------- */

/* Return: whether a chunk is usable, see read_chunk(). */
static bool take_records(struct input *in, const struct trace_chunk *chunk,
			 struct merge_piece *piece)
{
	*piece = (struct merge_piece){
		.cpu = chunk->cpu,
		.codec = chunk->codec,
		.data = trace_reader_stored(in->reader),
		.size = chunk->stored_size,
		.raw_size = chunk->raw_size,
		.first = chunk->first_seq,
		.mark = chunk->mark,
		.complete = chunk->flags & TRACE_CHUNK_COMPLETE,
	};
	return piece->data && piece->codec <= TRACE_CODEC_COLUMNS &&
	       !piece->size == !piece->raw_size;
}

static bool take_stacks(struct input *in, const struct trace_chunk *chunk,
			struct merge_piece *piece)
{
	*piece = (struct merge_piece){
		.data = trace_reader_content(in->reader),
		.size = chunk->raw_size,
		.first = chunk->first_seq,
	};
	return piece->data;
}

static bool is_wanted(const struct input *in, const struct trace_chunk *chunk)
{
	if (chunk->type == TRACE_STACKS)
		return in->wants_stacks;
	return chunk->type == TRACE_DATA &&
	       (chunk->cpu != TRACE_CPU_ABSENT ||
		(input_is_stream(in) && !chunk->raw_size));
}

/*
 * Reads the next chunk with records or stacks. Its data is valid until the next call.
 * Return: 1; 0 if there is no such chunk; or -errno.
 */
static int read_chunk(struct input *in, struct loaded *l)
{
	struct trace_chunk chunk;
	bool ok;
	int ret;

	while ((ret = input_next_chunk(in, &chunk)) > 0) {
		if (!is_wanted(in, &chunk))
			continue;
		l->stacks = chunk.type == TRACE_STACKS;
		ok = l->stacks ? take_stacks(in, &chunk, &l->piece) :
				 take_records(in, &chunk, &l->piece);
		if (ok)
			return 1;
		ret = trace_reader_error(in->reader);
		if (ret)
			break;
		in->damaged++;
	}
	return ret;
}

static void pass_on(struct input *in, const struct loaded *l)
{
	int err;

	if (!l->stacks) {
		merge_add(in->merge, &l->piece);
		return;
	}
	err = stackdefs_add(&in->defs, l->piece.first, l->piece.data,
			    l->piece.size);
	/* in->damaged belongs to the thread, if there is one */
	in->defs.damaged += err == -EBADMSG;
}

/* Reads definitions of stacks that are before the next chunk. Return: 0 or -errno. */
static int read_definitions(struct input *in, uint64_t offset)
{
	struct trace_chunk chunk;
	struct loaded l = { .stacks = true };

	trace_reader_seek(in->reader, offset);
	if (trace_reader_next(in->reader, &chunk) &&
	    chunk.type == TRACE_STACKS && take_stacks(in, &chunk, &l.piece))
		pass_on(in, &l);
	else
		in->damaged++;
	return trace_reader_error(in->reader);
}

/* --- reading in another thread -------------------------------------------- */

static void keep_data(struct loaded *l)
{
	array_fit(l->data, l->room, l->piece.size + 1);
	memcpy(l->data, l->piece.data, l->piece.size);
	l->piece.data = l->data;
}

/* Keeps a damaged piece unchanged, so that the merge counts it. */
static void load_columns(struct input *in, struct loaded *l)
{
	struct merge_piece *piece = &l->piece;
	int err = -EBADMSG;

	if (!piece->size)
		return;
	if (piece->codec == TRACE_CODEC_COLUMNS)
		err = columns_load(&l->columns, &in->loader->unzstd, piece->data,
				   piece->size, piece->raw_size, &l->data,
				   &l->room);
	if (!err)
		piece->columns = &l->columns;
	if (err == -EBADMSG)
		keep_data(l);
}

/* a feed_fill */
static bool load_next(void *arg, unsigned int slot)
{
	struct input *in = arg;
	struct loaded *l = &in->loader->chunk[slot];
	int ret = read_chunk(in, l);

	if (ret <= 0)
		in->loader->err = ret;
	else if (l->stacks)
		keep_data(l);
	else
		load_columns(in, l);
	return ret > 0;
}

static void loader_stop(struct input *in)
{
	struct loader *l = in->loader;
	int i;

	if (!l)
		return;
	feed_stop(l->feed);
	for (i = 0; i < LOADED; i++)
		free(l->chunk[i].data);
	unzstd_exit(&l->unzstd);
	free(l);
	in->loader = NULL;
}

/*
 * Starts a thread that reads ahead; then, only the thread uses the reader and @in->damaged. It
 * hands over chunks and not events. Moving events to the cache of another CPU takes as long as
 * decoding them. Return: false if no thread could be created.
 */
static bool load_ahead(struct input *in)
{
	in->loader = xcalloc(1, sizeof(*in->loader));
	in->loader->feed = feed_start(load_next, in, LOADED, 1);
	if (!in->loader->feed)
		loader_stop(in);
	return in->loader;
}

/* Adds the next chunk to the merge, or to the stacks. Return: 1; 0: no more; or -errno. */
static int fill_recording(struct input *in)
{
	struct loaded l;
	int ret;

	if (in->loader) {
		ret = feed_next(in->loader->feed, 0);
		if (ret < 0) /* the thread has ended */
			return in->loader->err;
		pass_on(in, &in->loader->chunk[ret]);
		return 1;
	}
	ret = read_chunk(in, &l);
	if (ret > 0)
		pass_on(in, &l);
	return ret;
}

/* --- windows ------------------------------------------------------------------ */

/* The second half of the memory is for records whose places in the first are already taken. */
static void window_init(struct window *w, bool records)
{
	memset(w, 0, sizeof(*w));
	w->events = xmalloc(2 * WINDOW_SIZE * sizeof(*w->events));
	if (records)
		w->records = xmalloc(2 * WINDOW_SIZE * KMT_RECORD_MAX);
}

static void window_exit(struct window *w)
{
	free(w->events);
	free(w->records);
	memset(w, 0, sizeof(*w));
}

/*
 * Pages are divided by large blocks. Other addresses are divided by a hash, because the
 * objects of one slab may be most of the load.
 */
static uint64_t is_second(const struct kmt_event *ev, unsigned int page_shift)
{
	uint64_t place = ev->type_id == KMEMTRACE_TYPE_PAGES ?
				 ev->ptr >> (page_shift + WINDOW_ORDER_MAX) :
				 ev->ptr * 0x9e3779b97f4a7c15ull >> 40;

	return place & 1;
}

/*
 * Finds out which half of the addresses each record belongs to. All records of an object are in
 * one half, and those of an aligned block of pages. The pages of blocks above WINDOW_ORDER_MAX may
 * be in both.
 */
static void window_divide(struct window *w, uint64_t page_size)
{
	unsigned int page_shift = __builtin_ctzll(page_size);
	uint32_t lost = 0;
	size_t i;

	memset(w->second, 0, sizeof(w->second));
	for (i = 0; i < w->count; i++) {
		const struct merged *m = &w->events[i];

		w->second[i / 64] |= is_second(&m->ev, page_shift) << i % 64;
		lost |= m->lost;
	}
	w->gaps = lost;
}

/* The thread that merges gets its pieces from the other. */
void input_stop(struct input *in)
{
	size_t i;

	feed_stop(in->feed);
	in->feed = NULL;
	loader_stop(in);
	for (i = 0; i < INPUT_WINDOWS; i++)
		window_exit(&in->windows[i]);
	in->begun = false;
}

/* Return: 1; 0 if there are no more pieces; or -errno. */
static int fill(struct input *in)
{
	return in->reader ? fill_recording(in) : rawfiles_fill(&in->raw, in->merge);
}

/* Return: whether there are further records. */
static bool merge_window(struct input *in, struct window *w)
{
	int ret;

	while ((ret = merge_next(in->merge, w)) == -EAGAIN) {
		ret = fill(in);
		if (ret < 0)
			in->err = ret;
		if (ret <= 0)
			merge_end(in->merge);
	}
	return ret;
}

/* --- the start ---------------------------------------------------------------- */

static void start_numbers(struct input *in)
{
	const char *line;
	unsigned int cpu;
	uint64_t seq;

	if (input_kept(in)) {
		if (input_number(in->end, "seq_whole", &seq))
			merge_start_within(in->merge, seq);
		for (line = in->end; line; line = textfile_next_line(line))
			if (textfile_cpu_number(line, "start_number", '=', &cpu, &seq))
				merge_start_cpu(in->merge, cpu, seq);
	} else if (input_number(in->meta, "seq_start", &seq)) {
		merge_start(in->merge, seq);
	}
}

/*
 * The CPUs of a stream are not known. No CPU has a record before the first number. A
 * recording that was overwritten has no such number: all its records are read before the
 * first one is passed on, because the number of the first complete record is in END.
 */
static int start_stream(struct input *in)
{
	const struct merge_piece absent = { .cpu = TRACE_CPU_ABSENT };
	uint64_t seq;
	int ret = 1;

	merge_add(in->merge, &absent);
	if (input_kept(in))
		while (ret > 0 && merge_held(in->merge) < HELD_MAX)
			ret = fill_recording(in);
	start_numbers(in);
	if (!input_kept(in) && input_number(in->meta, "seq_start", &seq))
		merge_expect(in->merge, TRACE_CPU_ABSENT, seq);
	return ret < 0 ? ret : 0;
}

/* Reads the definitions that precede the first wanted records. Return: 0 or -errno. */
static int read_stacks(struct input *in, uint64_t offset)
{
	const struct trace_stacks *at;
	size_t count, i;
	int err = 0;

	at = trace_index_stacks(&in->index, offset, &count);
	for (i = 0; !err && i < count && in->wants_stacks; i++)
		err = read_definitions(in, at[i].offset);
	return err;
}

/* The whole number of a sync. From one sync to the next, there are less than 2^31 events. */
static uint64_t number_of(const struct input *in, const struct trace_sync *to)
{
	const struct trace_sync *sync;
	uint64_t number = to->whole;

	input_number(in->meta, "seq_start", &number);
	for (sync = in->index.syncs; sync <= to; sync++)
		number = merge_extend(number, sync->whole);
	return number;
}

/*
 * Tells the merge of all CPUs, so that it need not wait for the first chunk of each.
 * Return: 0 or -errno.
 */
static int start_recording(struct input *in)
{
	const struct trace_sync *from = NULL, *to = NULL;
	const struct trace_index *x = &in->index;
	int err = 0;
	size_t i;

	if (in->timed && in->indexed) {
		from = trace_index_before(x, in->first);
		to = trace_index_behind(x, in->last);
	}
	if (from) {
		err = read_stacks(in, from->offset);
		if (err)
			return err;
		trace_reader_seek(in->reader, from->offset);
		merge_start_within(in->merge, number_of(in, from));
	} else {
		start_numbers(in);
	}
	if (to)
		trace_reader_stop(in->reader, to->offset);
	for (i = 0; i < x->nr_starts; i++)
		merge_expect(in->merge, x->starts[i].cpu,
			     from ? from->low : x->starts[i].seq);
	return 0;
}

static bool has_threads(const struct input *in)
{
	cpu_set_t set;

	if (in->threads == INPUT_THREADS_NONE || !in->reader ||
	    input_is_stream(in))
		return false;
	return in->threads == INPUT_THREADS_ALWAYS ||
	       (trace_reader_size(in->reader) >= THREAD_MIN &&
		!sched_getaffinity(0, sizeof(set), &set) &&
		CPU_COUNT(&set) > 1);
}

/* a feed_fill */
static bool merge_ahead(void *arg, unsigned int slot)
{
	struct input *in = arg;
	struct window *w = &in->windows[slot];
	bool any = merge_window(in, w);

	if (any && in->readers > 1)
		window_divide(w, in->page_size);
	return any;
}

/*
 * One thread reads and decompresses, another merges. With stacks, only the first: the merge
 * adds stacks to @in->defs, which the caller reads. Threads that cannot be created are
 * done without.
 */
static void read_ahead(struct input *in, bool records)
{
	size_t count = in->stacks ? 1 : INPUT_WINDOWS, i;

	for (i = 0; i < count; i++)
		window_init(&in->windows[i], records);
	if (!load_ahead(in))
		return;
	if (!in->stacks)
		in->feed = feed_start(merge_ahead, in, INPUT_WINDOWS,
				      in->readers);
}

int input_begin(struct input *in, bool records)
{
	bool threads = has_threads(in);
	unsigned int want = (records ? WANT_RECORDS : 0) |
			    (in->stacks ? WANT_STACKS : 0);
	int err = 0;

	if (want != WANT_EVENTS)
		stackdefs_init(&in->defs);
	in->defs.stacks.interrupts = names_interrupts(in->names);
	in->wants_stacks = want != WANT_EVENTS;
	in->merge = merge_create(&(struct merge_setup){
		.swap = in->reader ? in->swap : rawfiles_swapped(&in->raw),
		.want = want,
		.defs = &in->defs,
		.held_max = in->reader ? HELD_MAX : 0,
		.limit = in->limit,
		.timed = in->timed,
		.first = in->first,
		.last = in->last,
	});
	if (input_is_stream(in))
		err = start_stream(in);
	else if (in->reader)
		err = start_recording(in);
	else
		rawfiles_start(&in->raw, in->merge);
	if (err)
		return input_explain(in, err);
	if (!in->readers)
		in->readers = 1;
	if (threads)
		read_ahead(in, records);
	else
		window_init(&in->windows[0], records);
	in->begun = true;
	if (!in->feed)
		in->readers = 1;
	return EXIT_DONE;
}

/* Counts the losses after the last record. */
static void finish(struct input *in)
{
	uint64_t seq;

	input_stop(in);
	if (!in->err && !in->limit &&
	    (!in->timed || in->last == UINT64_MAX) &&
	    input_number(in->end, "seq_end", &seq))
		merge_finish(in->merge, seq);
}

/* Return: the next records; NULL if there are no more, or after an error. */
static const struct window *next_window(struct input *in)
{
	int slot = 0;

	if (in->feed)
		slot = feed_next(in->feed, 0);
	else if (!merge_window(in, &in->windows[0]))
		slot = -1;
	return slot < 0 ? NULL : &in->windows[slot];
}

const struct window *input_next(struct input *in)
{
	const struct window *w = in->begun ? next_window(in) : NULL;

	if (w || !in->begun)
		return w;
	if (in->err)
		input_explain(in, in->err);
	finish(in);
	return NULL;
}

const struct window *input_next_too(struct input *in)
{
	int slot = feed_next(in->feed, 1);

	return slot < 0 ? NULL : &in->windows[slot];
}
