// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "msg.h"
#include "table.h"

#define NO_CPU UINT32_MAX

/* of records that wait for others; that much is for thousands of CPUs */
#ifndef HELD_MAX
#define HELD_MAX (1ul << 30)
#endif

/* tests read less at once; no record is larger than 64 KiB */
#ifndef RAW_PIECE
#define RAW_PIECE (256 * 1024)
#endif

/**
 * struct raw_file - a bare stream of one CPU
 * @fd: the file
 * @cpu: by its name, else a number that no other file has
 * @broken: what follows makes no sense: read no further
 * @used: bytes at the front of @data that are not passed on yet
 * @data: RAW_PIECE bytes
 */
struct raw_file {
	int fd;
	uint32_t cpu;
	bool broken;
	size_t used;
	uint8_t *data;
};

/**
 * struct cpu_start - where the records of a CPU begin
 * @cpu: which
 * @seq: number of its first record
 */
struct cpu_start {
	uint32_t cpu;
	uint32_t seq;
};

/* --- text ----------------------------------------------------------------- */

bool input_value(const char *text, const char *key, char *to, size_t size)
{
	size_t len = strlen(key), n;

	while (text && *text) {
		const char *end = strchrnul(text, '\n');

		if ((size_t)(end - text) > len && !strncmp(text, key, len) &&
		    text[len] == '=') {
			n = end - text - len - 1;
			if (n >= size)
				n = size - 1;
			memcpy(to, text + len + 1, n);
			to[n] = '\0';
			table_clean(to);
			return true;
		}
		text = *end ? end + 1 : end;
	}
	return false;
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

/* Else they are what was not recorded, as was the wish, or not kept. */
bool input_gaps_are_losses(const struct input *in)
{
	return !input_partial(in) && !input_kept(in);
}

uint64_t input_lost(const struct input *in)
{
	uint64_t n;

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
		return "the file is cut short; this is what it holds up to there";
	case TRACE_BROKEN:
		return "the file is damaged; this is what it holds up to there";
	case TRACE_WHOLE:
		break;
	}
	return in->damaged ? "the file is damaged; some of its chunks are left out" :
			     NULL;
}

/* --- a recording ------------------------------------------------------------ */

static void take_text(struct input *in, uint16_t type, const char *text)
{
	switch (type) {
	case TRACE_META:
		if (!in->meta)
			in->meta = strdup(text);
		break;
	case TRACE_END:
		free(in->end);
		in->end = strdup(text);
		break;
	case TRACE_KALLSYMS:
		names_add_kallsyms(in->names, text);
		break;
	case TRACE_CACHES:
		names_add_caches(in->names, text);
		break;
	case TRACE_GFP:
		names_add_gfp(in->names, text);
		break;
	}
}

/* Remember where a CPU's records begin, if this is news. */
static bool note_start(struct input *in, const struct trace_chunk *chunk)
{
	struct cpu_start *more;
	size_t i;

	for (i = 0; i < in->nr_starts; i++)
		if (in->starts[i].cpu == chunk->cpu)
			return true;
	more = realloc(in->starts, (in->nr_starts + 1) * sizeof(*more));
	if (!more)
		return false;
	in->starts = more;
	more[in->nr_starts++] = (struct cpu_start){ chunk->cpu,
						    chunk->first_seq };
	return true;
}

/*
 * All text first: some of it stands behind the records that it explains. On
 * the way, which CPUs there are.
 */
static bool read_texts(struct input *in)
{
	struct trace_chunk chunk;

	while (trace_reader_next(in->reader, &chunk)) {
		const uint8_t *data;

		if (chunk.type == TRACE_DATA) {
			if (chunk.raw_size && !note_start(in, &chunk))
				return false;
			continue;
		}
		data = trace_reader_load(in->reader);
		if (data)
			take_text(in, chunk.type, (const char *)data);
		else
			in->damaged++;
	}
	trace_reader_rewind(in->reader);
	return true;
}

/* Records can be passed on before each CPU has had a chunk. */
static bool expect_cpus(struct input *in)
{
	size_t i;

	for (i = 0; i < in->nr_starts; i++)
		if (!merge_expect(in->merge, in->starts[i].cpu,
				  in->starts[i].seq))
			return false;
	merge_no_more_cpus(in->merge);
	return true;
}

static bool fill_recording(void *arg, struct merge *m)
{
	struct input *in = arg;
	struct trace_chunk chunk;
	const uint8_t *data;

	while (trace_reader_next(in->reader, &chunk)) {
		bool complete = chunk.flags & TRACE_CHUNK_COMPLETE;

		if (chunk.type != TRACE_DATA)
			continue;
		if (chunk.cpu == TRACE_CPU_ABSENT) {
			if (complete)
				merge_absent(m, chunk.mark);
			return true;
		}
		data = trace_reader_load(in->reader);
		if (!data) {
			in->damaged++;
			continue;
		}
		return merge_add(m, chunk.cpu, data, chunk.raw_size, chunk.mark,
				 complete);
	}
	return false;
}

/* --- raw files ---------------------------------------------------------------- */

/*
 * How many of the first records make sense in a byte order. Those of unknown
 * ids do not count, but may come from a newer version: their size must do.
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

/* Bytes of whole records at the front; all of it if one is broken. */
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

static bool fill_raw_file(struct input *in, struct raw_file *f,
			  struct merge *m)
{
	ssize_t n;
	size_t whole;
	bool ok;

	do {
		n = f->broken ? 0 :
				read(f->fd, f->data + f->used,
				     RAW_PIECE - f->used);
	} while (n < 0 && errno == EINTR);
	if (n <= 0) {
		/* what is left is a record cut short */
		ok = merge_add(m, f->cpu, f->data, f->used, 0, false);
		f->used = 0;
		merge_close(m, f->cpu);
		return ok;
	}
	f->used += n;
	whole = whole_records(f->data, f->used, in->swap, &f->broken);
	ok = merge_add(m, f->cpu, f->data, whole, 0, false);
	f->used -= whole;
	memmove(f->data, f->data + whole, f->used);
	return ok;
}

static bool fill_raw(void *arg, struct merge *m)
{
	struct input *in = arg;
	bool any = false;
	size_t i;

	for (i = 0; i < in->nr_raw; i++)
		if (merge_needs(m, in->raw[i].cpu))
			any |= fill_raw_file(in, &in->raw[i], m);
	return any;
}

/* "cpu7.out" is CPU 7; NO_CPU: the name does not tell. */
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

/* Each file is a CPU of its own; one whose name does not tell gets a number. */
static int number_raw(struct input *in, char **paths)
{
	uint32_t next = 0;
	size_t i, k;

	for (i = 0; i < in->nr_raw; i++)
		for (k = 0; k < i; k++)
			if (in->raw[i].cpu == in->raw[k].cpu &&
			    in->raw[i].cpu != NO_CPU)
				return msg_error("%s and %s are both of CPU %u: give each CPU's file once",
						 paths[k], paths[i],
						 in->raw[i].cpu);
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
		return msg_error("out of memory");
	for (i = 0; i < count; i++) {
		struct raw_file *f = &in->raw[i];
		ssize_t n;

		f->fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		f->data = malloc(RAW_PIECE);
		in->nr_raw = i + 1;
		if (f->fd < 0)
			return msg_error("cannot open %s: %s", paths[i],
					 strerror(errno));
		if (!f->data)
			return msg_error("out of memory");
		f->cpu = cpu_of_path(paths[i]);
		n = pread(f->fd, f->data, RAW_PIECE, 0);
		if (n < 0)
			return msg_error("cannot read %s: %s", paths[i],
					 strerror(errno));
		native += plausible_records(f->data, n, false);
		swapped += plausible_records(f->data, n, true);
		if (n && !plausible_records(f->data, n, false) &&
		    !plausible_records(f->data, n, true))
			return msg_error("%s is neither a recording nor a raw cpu<n> file",
					 paths[i]);
	}
	in->swap = swapped > native;
	return number_raw(in, paths);
}

static int start_raw(struct input *in)
{
	size_t i;

	in->merge = merge_create(fill_raw, in, in->swap);
	if (!in->merge)
		return msg_error("out of memory");
	for (i = 0; i < in->nr_raw; i++)
		if (!merge_add(in->merge, in->raw[i].cpu, NULL, 0, 0, false))
			return msg_error("out of memory");
	merge_no_more_cpus(in->merge);
	return EXIT_DONE;
}

/* --- both ------------------------------------------------------------------------ */

static void start_merge(struct input *in)
{
	uint64_t seq;

	if (input_kept(in)) {
		if (input_number(in->end, "seq_whole", &seq))
			merge_start_kept(in->merge, seq);
	} else if (input_number(in->meta, "seq_start", &seq)) {
		merge_start(in->merge, seq);
	}
}

static int open_recording(struct input *in, char **paths, size_t count)
{
	const char *why;

	if (count > 1)
		return msg_error("one recording at a time: %s is one already",
				 paths[0]);
	in->reader = trace_reader_open(paths[0], &why);
	if (!in->reader)
		return msg_error("%s", why);
	in->swap = trace_reader_swapped(in->reader);
	if (!read_texts(in))
		return msg_error("out of memory");
	input_number(in->meta, "page_size", &in->page_size);
	in->merge = merge_create(fill_recording, in, in->swap);
	if (!in->merge)
		return msg_error("out of memory");
	merge_hold(in->merge, HELD_MAX);
	start_merge(in);
	if (!expect_cpus(in))
		return msg_error("out of memory");
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
		return msg_error("out of memory");
	if (trace_reader_is_recording(paths[0])) {
		ret = open_recording(in, paths, count);
	} else {
		ret = open_raw(in, paths, count);
		if (!ret)
			ret = start_raw(in);
	}
	if (!is_page_size(in->page_size))
		in->page_size = 4096;
	if (ret)
		input_close(in);
	return ret;
}

void input_close(struct input *in)
{
	size_t i;

	for (i = 0; i < in->nr_raw; i++) {
		if (in->raw[i].fd >= 0)
			close(in->raw[i].fd);
		free(in->raw[i].data);
	}
	free(in->raw);
	free(in->starts);
	if (in->reader)
		trace_reader_close(in->reader);
	if (in->merge)
		merge_destroy(in->merge);
	if (in->names)
		names_destroy(in->names);
	free(in->meta);
	free(in->end);
}

bool input_next(struct input *in, struct kmt_event *ev, uint32_t *cpu)
{
	uint64_t seq;

	if (merge_next(in->merge, ev, cpu))
		return true;
	if (input_number(in->end, "seq_end", &seq))
		merge_finish(in->merge, seq);
	return false;
}
