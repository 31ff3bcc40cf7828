// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/cpulist.h"
#include "trace/columns.h"
#include "trace/feed.h"
#include "trace/input.h"

#define NO_CPU UINT32_MAX

/* maximum bytes of records that wait for others; enough for thousands of CPUs */
#ifndef HELD_MAX
#define HELD_MAX (1ul << 30)
#endif

/* bytes per read; tests set a smaller value. No record is larger than 64 KiB */
#ifndef RAW_PIECE
#define RAW_PIECE (256 * 1024)
#endif

/* Reading a smaller file takes less time than starting a thread. */
#define THREAD_MIN (1 << 20)

/**
 * struct raw_file - the raw stream of one CPU
 * @fd: file descriptor
 * @path: path of the file
 * @cpu: number of the CPU from the path; otherwise a number that no other file has
 * @broken: a record is broken, so the rest of the file cannot be read
 * @used: bytes at the start of @data that have not been passed on yet
 * @data: buffer of RAW_PIECE bytes
 */
struct raw_file {
	int fd;
	const char *path;
	uint32_t cpu;
	bool broken;
	size_t used;
	uint8_t *data;
};

/* --- text ----------------------------------------------------------------- */

bool input_value(const char *text, const char *key, char *to, size_t size)
{
	const char *at = textfile_value(text, key, strlen(key), '=');
	size_t n = at ? strcspn(at, "\n") : 0;

	if (!at)
		return false;
	if (n >= size)
		n = size - 1;
	memcpy(to, at, n);
	to[n] = '\0';
	table_clean(to);
	return true;
}

bool input_number(const char *text, const char *key, uint64_t *value)
{
	char number[32], *end;

	if (!input_value(text, key, number, sizeof(number)))
		return false;
	*value = strtoull(number, &end, 10);
	return end != number;
}

bool input_partial(const struct input *in)
{
	char list[8];

	return input_value(in->meta, "cpus_recorded", list, sizeof(list));
}

const char *input_kept(const struct input *in)
{
	char kept[16];

	if (!input_value(in->meta, "kept", kept, sizeof(kept)))
		return NULL;
	return strcmp(kept, "snapshot") ? "flight" : "snapshot";
}

/* Otherwise, missing numbers may be events that were not recorded or not kept. */
bool input_gaps_are_losses(const struct input *in)
{
	return !input_partial(in) && !input_kept(in);
}

uint64_t input_snapshots(const struct input *in)
{
	uint64_t n;

	return input_number(in->end, "snapshots", &n) ? n : 0;
}

bool input_recorded(const struct input *in, unsigned int cpu)
{
	char list[4096];

	return !input_value(in->meta, "cpus_recorded", list, sizeof(list)) ||
	       cpulist_contains(list, cpu);
}

/* Sums the losses on the CPUs that were recorded. END has the losses of all CPUs. */
static uint64_t lost_on_some(const struct input *in)
{
	uint64_t n, lost = 0;
	const char *line;
	unsigned int cpu;

	for (line = in->end; line; line = textfile_next_line(line))
		if (textfile_cpu_number(line, "lost_events", '=', &cpu, &n) &&
		    input_recorded(in, cpu))
			lost += n;
	return lost;
}

uint64_t input_lost(const struct input *in)
{
	uint64_t n;

	if (input_partial(in))
		return lost_on_some(in);
	if (!input_gaps_are_losses(in))
		return input_number(in->end, "lost_events", &n) ? n : 0;
	return merge_stats(in->merge)->missing;
}

const char *input_ending(const struct input *in)
{
	if (!in->reader)
		return NULL;
	switch (trace_reader_end(in->reader)) {
	case TRACE_CUT:
		return "the file is cut short; only the part before that is shown";
	case TRACE_BROKEN:
		return "the file is damaged; only the part before that is shown";
	case TRACE_WHOLE:
		break;
	}
	return in->damaged ? "the file is damaged; some of its chunks are left out" :
			     NULL;
}

/* --- a recording ------------------------------------------------------------ */

/* Return: false if memory ran out. */
static bool take_text(struct input *in, uint16_t type, const char *text)
{
	switch (type) {
	case TRACE_META:
		if (!in->meta)
			in->meta = strdup(text);
		return in->meta;
	case TRACE_END:
		free(in->end);
		in->end = strdup(text);
		return in->end;
	case TRACE_KALLSYMS:
		return names_add_kallsyms(in->names, text);
	case TRACE_MODULES:
		return names_add_modules(in->names, text);
	case TRACE_MODULE_LOG:
		return names_add_module_log(in->names, text);
	case TRACE_CACHES:
		return names_add_caches(in->names, text);
	case TRACE_GFP:
		return names_add_gfp(in->names, text);
	}
	return true;
}

/* Counts a damaged chunk. Return: 0 or -errno. */
static int read_text(struct input *in, const struct trace_chunk *chunk)
{
	const uint8_t *data;

	if (chunk->type > TRACE_MODULE_LOG) {
		in->unknown++;
		return 0;
	}
	data = trace_reader_load(in->reader);
	if (data)
		return take_text(in, chunk->type, (const char *)data) ?
			       0 :
			       -ENOMEM;
	in->damaged++;
	return trace_reader_error(in->reader);
}

/* Adds a chunk to an index with one sync, which has the times of all records. */
static bool index_data(struct trace_index *x, const struct trace_chunk *chunk)
{
	static const struct trace_sync none;

	if (!chunk->raw_size)
		return true;
	if (chunk->time_last) {
		if (!x->nr_syncs && !trace_index_add_sync(x, &none))
			return false;
		trace_sync_add_times(&x->syncs[0], chunk->time_first,
				     chunk->time_last);
	}
	return trace_index_add_start(x, chunk->cpu, chunk->first_seq);
}

/* Without an index, the reader steps from chunk to chunk. */
static int hop(struct input *in)
{
	struct trace_chunk chunk;
	int err = 0;

	while (!err && trace_reader_next(in->reader, &chunk)) {
		if (chunk.type != TRACE_DATA)
			err = read_text(in, &chunk);
		else if (!index_data(&in->index, &chunk))
			err = -ENOMEM;
	}
	return err ? err : trace_reader_error(in->reader);
}

static int read_indexed(struct input *in)
{
	uint64_t behind = 0;
	struct trace_chunk chunk;
	int err = 0;
	size_t i;

	/* read each byte at most once, even if the index is malicious */
	for (i = 0; !err && i < in->index.nr_texts; i++) {
		uint64_t offset = in->index.texts[i];

		trace_reader_seek(in->reader, offset);
		if (offset < behind ||
		    !trace_reader_next(in->reader, &chunk)) {
			in->damaged++;
			return trace_reader_error(in->reader);
		}
		err = read_text(in, &chunk);
		behind = offset + sizeof(chunk) + chunk.stored_size;
	}
	return err;
}

/*
 * All texts are read before the records, because some texts are after the records that
 * they explain. This also determines the CPUs and the times of the recording.
 */
static int read_texts(struct input *in)
{
	int err;

	in->indexed = trace_reader_index(in->reader, &in->index);
	err = trace_reader_error(in->reader);
	if (!err)
		err = in->indexed ? read_indexed(in) : hop(in);
	trace_reader_rewind(in->reader);
	return err;
}

bool input_span(const struct input *in, uint64_t *first, uint64_t *last)
{
	return trace_index_span(&in->index, first, last);
}

void input_limit(struct input *in, uint64_t first, uint64_t last)
{
	in->timed = true;
	in->first = first;
	in->last = last;
}

/*
 * Reads the next records. Their data is valid until the next call. Return: 1; 0 if there
 * are no more records; or -errno.
 */
static int read_piece(struct input *in, struct merge_piece *piece)
{
	struct trace_chunk chunk;

	while (trace_reader_next(in->reader, &chunk)) {
		*piece = (struct merge_piece){
			.cpu = chunk.cpu,
			.codec = chunk.codec,
			.size = chunk.stored_size,
			.raw_size = chunk.raw_size,
			.first = chunk.first_seq,
			.mark = chunk.mark,
			.complete = chunk.flags & TRACE_CHUNK_COMPLETE,
		};

		if (chunk.type != TRACE_DATA || chunk.cpu == TRACE_CPU_ABSENT)
			continue;
		piece->data = trace_reader_stored(in->reader);
		if (piece->data && piece->codec <= TRACE_CODEC_COLUMNS &&
		    !piece->size == !piece->raw_size)
			return 1;
		if (trace_reader_error(in->reader))
			break;
		in->damaged++;
	}
	return trace_reader_error(in->reader);
}

static int fill_recording(void *arg, struct merge *m)
{
	struct merge_piece piece;
	int ret = read_piece(arg, &piece);

	return ret > 0 && !merge_add(m, &piece) ? -ENOMEM : ret;
}

/* --- reading in another thread -------------------------------------------- */

/* number of pieces that the thread reads ahead */
#define LOADED 8

/**
 * struct loaded - a piece that was read; columns are also decompressed
 * @piece: the piece; refers to @data or @columns
 * @columns: the columns; refer to @data
 * @data: memory of the piece
 * @room: bytes of @data
 */
struct loaded {
	struct merge_piece piece;
	struct columns columns;
	uint8_t *data;
	size_t room;
};

static int keep_stored(struct loaded *l)
{
	if (l->piece.size > l->room) {
		free(l->data);
		l->data = malloc(l->piece.size);
		l->room = l->data ? l->piece.size : 0;
		if (!l->data)
			return -ENOMEM;
	}
	memcpy(l->data, l->piece.data, l->piece.size);
	l->piece.data = l->data;
	return 0;
}

/* Keeps a damaged piece unchanged, so that the merge counts it. */
static int load_piece(struct input *in, struct loaded *l)
{
	struct merge_piece *p = &l->piece;
	int err = -EBADMSG;

	if (!p->size)
		return 0;
	if (p->codec == TRACE_CODEC_COLUMNS)
		err = columns_load(&l->columns, &in->unzstd, p->data, p->size,
				   p->raw_size, &l->data, &l->room);
	if (!err)
		p->columns = &l->columns;
	return err == -EBADMSG ? keep_stored(l) : err;
}

/* a feed_fill */
static bool load(void *arg, unsigned int slot)
{
	struct input *in = arg;
	struct loaded *l = &in->loaded[slot];
	int ret = read_piece(in, &l->piece);

	if (ret > 0)
		in->load_err = load_piece(in, l);
	else
		in->load_err = ret;
	return ret > 0 && !in->load_err;
}

static int fill_loaded(void *arg, struct merge *m)
{
	struct input *in = arg;
	int slot = feed_next(in->feed);

	if (slot < 0)
		return in->load_err; /* the thread has ended */
	return merge_add(m, &in->loaded[slot].piece) ? 1 : -ENOMEM;
}

static bool start_loading(struct input *in)
{
	in->loaded = calloc(LOADED, sizeof(*in->loaded));
	if (in->loaded)
		in->feed = feed_start(load, in, LOADED);
	return in->feed != NULL;
}

static void stop_feed(struct input *in)
{
	int i;

	feed_stop(in->feed);
	for (i = 0; in->loaded && i < LOADED; i++)
		free(in->loaded[i].data);
	free(in->loaded);
	unzstd_exit(&in->unzstd);
	in->feed = NULL;
	in->loaded = NULL;
}

/* --- raw files ---------------------------------------------------------------- */

/*
 * Return: the number of plausible records at the start, for a byte order. Records with
 * unknown ids may be from a newer version: they are skipped by size and do not count.
 */
static unsigned int plausible_records(const uint8_t *data, size_t size,
				      bool swap)
{
	unsigned int n = 0;
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used;

	while (n < 64 && pos < size) {
		used = kmt_record_decode(data + pos, size - pos, swap, &ev,
					 &dec);
		if (used < 0 || used > 4096)
			break;
		pos += used;
		n += !dec.unknown_id;
	}
	return n;
}

/* Return: bytes of the whole records at the start; @size if a record is broken. */
static size_t whole_records(const uint8_t *data, size_t size, bool swap,
			    bool *broken)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;

	int used;

	while (pos < size) {
		used = kmt_record_decode(data + pos, size - pos, swap, &ev,
					 &dec);
		if (used == KMT_RECORD_CUT)
			break;
		if (used == KMT_RECORD_BROKEN) {
			*broken = true;
			return size;
		}
		pos += used;
	}
	return pos;
}

static uint32_t first_number(const uint8_t *data, size_t size, bool swap)
{
	const struct kmemtrace_event *head = (const void *)data;

	if (size < sizeof(*head))
		return 0;
	return swap ? swab32(head->seq_num) : (uint32_t)head->seq_num;
}

static int fill_raw_file(struct input *in, struct raw_file *f, struct merge *m)
{
	struct merge_piece piece = { .cpu = f->cpu, .data = f->data };
	ssize_t n;
	bool ok;

	do {
		n = f->broken ? 0 :
				read(f->fd, f->data + f->used,
				     RAW_PIECE - f->used);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		in->failed = f->path;
		return -errno;
	}
	if (!n) {
		/* the remaining bytes are a truncated record */
		piece.size = f->used;
		ok = merge_add(m, &piece);
		f->used = 0;
		merge_close(m, f->cpu);
		return ok ? 0 : -ENOMEM;
	}
	f->used += n;
	piece.size = whole_records(f->data, f->used, in->swap, &f->broken);
	piece.first = first_number(f->data, piece.size, in->swap);
	ok = merge_add(m, &piece);
	f->used -= piece.size;
	memmove(f->data, f->data + piece.size, f->used);
	return ok ? 0 : -ENOMEM;
}

static int fill_raw(void *arg, struct merge *m)
{
	struct input *in = arg;
	bool any = false;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < in->nr_raw; i++) {
		if (!merge_needs(m, in->raw[i].cpu))
			continue;
		err = fill_raw_file(in, &in->raw[i], m);
		any = true;
	}
	return err ? err : any;
}

/* Return: the CPU from a name like "cpu7.out"; NO_CPU for any other name. */
static uint32_t cpu_of_path(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	if (!strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]))
		return strtoul(name + 3, NULL, 10);
	return NO_CPU;
}

static bool is_taken(const struct input *in, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < in->nr_raw; i++)
		if (in->raw[i].cpu == cpu)
			return true;
	return false;
}

/* Each file needs its own CPU. A file without a CPU in its name gets a free number. */
static int number_raw(struct input *in, char **paths)
{
	uint32_t next = 0;
	size_t i, k;

	for (i = 0; i < in->nr_raw; i++)
		for (k = 0; k < i; k++)
			if (in->raw[i].cpu == in->raw[k].cpu &&
			    in->raw[i].cpu != NO_CPU) {
				msg_error("%s and %s are both of CPU %u: give each CPU's file once",
					  paths[k], paths[i], in->raw[i].cpu);
				return EXIT_USAGE;
			}
	for (i = 0; i < in->nr_raw; i++) {
		if (in->raw[i].cpu != NO_CPU)
			continue;
		while (is_taken(in, next))
			next++;
		in->raw[i].cpu = next;
	}
	return EXIT_DONE;
}

uint32_t input_raw_cpu(const struct input *in, size_t index)
{
	return in->raw[index].cpu;
}

static int open_raw(struct input *in, char **paths, size_t count)
{
	unsigned int native = 0, swapped = 0;
	size_t i;

	in->raw = calloc(count, sizeof(*in->raw));
	if (!in->raw)
		return msg_oom();
	for (i = 0; i < count; i++) {
		struct raw_file *f = &in->raw[i];
		ssize_t n;

		f->path = paths[i];
		f->fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		f->data = malloc(RAW_PIECE);
		in->nr_raw = i + 1;
		if (f->fd < 0)
			return msg_error("cannot open %s: %s", paths[i],
					 strerror(errno));
		if (!f->data)
			return msg_oom();
		f->cpu = cpu_of_path(paths[i]);
		n = pread(f->fd, f->data, RAW_PIECE, 0);
		if (n < 0)
			return msg_error("cannot read %s: %s", paths[i],
					 errno == ESPIPE ? "it is a pipe: save it to a file first" : strerror(errno));
		native += plausible_records(f->data, n, false);
		swapped += plausible_records(f->data, n, true);
		if (n ? !plausible_records(f->data, n, false) &&
			!plausible_records(f->data, n, true) : f->cpu == NO_CPU)
			return msg_error("%s is neither a recording nor a raw cpu<n> file",
					 paths[i]);
	}
	in->swap = swapped > native;
	return number_raw(in, paths);
}

static bool start_raw(struct input *in)
{
	size_t i;

	for (i = 0; i < in->nr_raw; i++) {
		struct merge_piece piece = { .cpu = in->raw[i].cpu };

		if (!merge_add(in->merge, &piece))
			return false;
	}
	return true;
}

/* --- input files ----------------------------------------------------------------- */

static int explain(const struct input *in, int err)
{
	if (err == -ENOMEM)
		return msg_oom();
	return msg_error("cannot read %s: %s", in->failed, strerror(-err));
}

static int open_recording(struct input *in, char **paths, size_t count)
{
	const char *why;
	int err;

	if (count > 1) {
		msg_error("only one recording can be read at a time: %s is one already", paths[0]);
		return EXIT_USAGE;
	}
	in->reader = trace_reader_open(paths[0], &why);
	if (!in->reader)
		return msg_error("%s", why);
	in->swap = trace_reader_swapped(in->reader);
	in->failed = paths[0];
	err = read_texts(in);
	if (err)
		return explain(in, err);
	input_number(in->meta, "page_size", &in->page_size);
	return EXIT_DONE;
}

static bool is_page_size(uint64_t n)
{
	return n >= 4096 && n <= 1 << 20 && !(n & (n - 1));
}

int input_open(struct input *in, char **paths, size_t count)
{
	int ret;

	*in = (struct input){ .page_size = 4096 };
	in->names = names_create();
	if (!in->names)
		return msg_oom();
	if (trace_reader_is_recording(paths[0]))
		ret = open_recording(in, paths, count);
	else
		ret = open_raw(in, paths, count);
	if (!is_page_size(in->page_size))
		in->page_size = 4096;
	if (ret)
		input_close(in);
	return ret;
}

void input_close(struct input *in)
{
	size_t i;

	stop_feed(in);
	window_exit(&in->window);
	merge_destroy(in->merge);
	for (i = 0; i < in->nr_raw; i++) {
		if (in->raw[i].fd >= 0)
			close(in->raw[i].fd);
		free(in->raw[i].data);
	}
	free(in->raw);
	trace_index_exit(&in->index);
	if (in->reader)
		trace_reader_close(in->reader);
	if (in->names)
		names_destroy(in->names);
	free(in->meta);
	free(in->end);
}

/* --- records ---------------------------------------------------------------------- */

static void start_numbers(struct input *in)
{
	uint64_t seq;

	if (input_kept(in)) {
		if (input_number(in->end, "seq_whole", &seq))
			merge_start_within(in->merge, seq);
	} else if (input_number(in->meta, "seq_start", &seq)) {
		merge_start(in->merge, seq);
	}
}

/* Tells the merge of all CPUs, so that it need not wait for the first chunk of each. */
static bool start_recording(struct input *in)
{
	const struct trace_sync *from = NULL, *to = NULL;
	const struct trace_index *x = &in->index;
	size_t i;

	if (in->timed && in->indexed) {
		from = trace_index_before(x, in->first);
		to = trace_index_behind(x, in->last);
	}
	if (from) {
		trace_reader_seek(in->reader, from->offset);
		merge_start_within(in->merge, from->whole);
	} else {
		start_numbers(in);
	}
	if (to)
		trace_reader_stop(in->reader, to->offset);
	for (i = 0; i < x->nr_starts; i++)
		if (!merge_expect(in->merge, x->starts[i].cpu,
				  from ? from->low : x->starts[i].seq))
			return false;
	return true;
}

static bool is_worth_a_thread(const struct input *in)
{
	cpu_set_t set;

	return !in->alone && in->reader &&
	       trace_reader_size(in->reader) >= THREAD_MIN &&
	       !sched_getaffinity(0, sizeof(set), &set) &&
	       CPU_COUNT(&set) > 1;
}

/*
 * The thread hands over pieces and not events. Moving events to the cache of another CPU
 * takes as long as decoding them.
 */
int input_begin(struct input *in, bool records)
{
	bool loads = is_worth_a_thread(in);
	merge_fill fill = in->reader ? fill_recording : fill_raw;

	in->merge = merge_create(loads ? fill_loaded : fill, in, in->swap,
				 records);
	if (!in->merge)
		return msg_oom();
	if (in->reader)
		merge_hold(in->merge, HELD_MAX);
	if (in->timed)
		merge_times(in->merge, in->first, in->last);
	if (!(in->reader ? start_recording(in) : start_raw(in)))
		return msg_oom();
	if ((loads && !start_loading(in)) || !window_init(&in->window, records))
		return msg_oom();
	return EXIT_DONE;
}

/* Counts the losses after the last record. */
static void finish(struct input *in)
{
	uint64_t seq;

	stop_feed(in);
	if (!in->err && (!in->timed || in->last == UINT64_MAX) &&
	    input_number(in->end, "seq_end", &seq))
		merge_finish(in->merge, seq);
}

const struct window *input_next(struct input *in)
{
	if (!in->window.events)
		return NULL;
	if (merge_next(in->merge, &in->window))
		return &in->window;
	in->err = merge_error(in->merge);
	if (in->err)
		explain(in, in->err);
	finish(in);
	window_exit(&in->window);
	return NULL;
}
