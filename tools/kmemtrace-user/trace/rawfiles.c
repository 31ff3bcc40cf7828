// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "base/textfile.h"
#include "kmt_compact.h"
#include "trace/order.h"
#include "trace/rawfiles.h"
#include "trace/reader.h"
#include "trace/trace_format.h"

#define NO_CPU UINT32_MAX

/* bytes per read; tests set a smaller value. No record is larger than 64 KiB */
#ifndef RAW_PIECE
#define RAW_PIECE (256 * 1024)
#endif

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

/*
 * Return: the number of plausible records at the start, for a byte order. Records with
 * unknown ids may be from a newer version: they are skipped by size and do not count.
 *
 * @compact: set to true if there is a compact record
 */
static unsigned int plausible_records(const uint8_t *data, size_t size,
				      bool swap, bool *compact)
{
	unsigned int n = 0;
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t pos = 0;
	int used;

	while (n < 64 && pos < size) {
		used = kmt_record_decode_any(data + pos, size - pos, swap, &ev,
					     &dec);
		if (used < 0 || used > 4096)
			break;
		*compact |= !dec.unknown_id &&
			    data[pos] > KMEMTRACE_EVENT_FREE;
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
		used = kmt_record_decode_any(data + pos, size - pos, swap, &ev,
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

/* Passes records to the merge, or to the order. */
static void rawfiles_pass_on(struct rawfiles *r, struct raw_file *f, size_t size)
{
	const struct merge_piece piece = {
		.cpu = f->cpu,
		.data = f->data,
		.size = size,
		.first = first_number(f->data, size, r->swap),
	};

	if (r->order)
		order_add(r->order, f->cpu, f->data, size);
	else
		merge_add(r->merge, &piece);
}

static void close_stream(struct rawfiles *r, struct raw_file *f)
{
	if (r->order) {
		order_close(r->order, f->cpu);
		return;
	}
	merge_close(r->merge, f->cpu);
}

static int fill_file(struct rawfiles *r, struct raw_file *f)
{
	size_t size;
	ssize_t n;

	do {
		n = f->broken ? 0 :
				read(f->fd, f->data + f->used,
				     RAW_PIECE - f->used);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		r->failed = f->path;
		return -errno;
	}
	if (!n) {
		/* the remaining bytes are a truncated record */
		rawfiles_pass_on(r, f, f->used);
		close_stream(r, f);
		f->used = 0;
		return 0;
	}
	f->used += n;
	size = whole_records(f->data, f->used, r->swap, &f->broken);
	rawfiles_pass_on(r, f, size);
	f->used -= size;
	memmove(f->data, f->data + size, f->used);
	return 0;
}

static bool needs(struct rawfiles *r, uint32_t cpu)
{
	return r->order ? order_needs(r->order, cpu) :
			  merge_needs(r->merge, cpu);
}

/* Passes ordered records to the merge. */
static void put_ordered(void *arg, uint32_t cpu, const void *data, size_t size,
			uint32_t mark)
{
	struct rawfiles *r = arg;
	const struct merge_piece piece = {
		.cpu = cpu,
		.data = data,
		.size = size,
		.first = first_number(data, size, false),
		.mark = mark,
		.complete = true,
	};

	merge_add(r->merge, &piece);
}

int rawfiles_fill(struct rawfiles *r, struct merge *m)
{
	bool any = false;
	int err = 0;
	size_t i;

	r->merge = m;
	for (i = 0; !err && i < r->count; i++) {
		if (!needs(r, r->file[i].cpu))
			continue;
		err = fill_file(r, &r->file[i]);
		any = true;
	}
	if (!err && r->order) {
		order_run(r->order);
		order_flush(r->order);
	}
	return err ? err : any;
}

/* Return: the CPU from a name like "cpu7.out"; NO_CPU for any other name. */
static uint32_t cpu_of_path(const char *path)
{
	const char *name = textfile_name(path);

	if (!strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]))
		return strtoul(name + 3, NULL, 10);
	return NO_CPU;
}

static bool is_taken(const struct rawfiles *r, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->file[i].cpu == cpu)
			return true;
	return false;
}

/* Each file needs its own CPU. A file without a CPU in its name gets a free number. */
static int number_files(struct rawfiles *r, char **paths)
{
	uint32_t next = 0;
	size_t i, k;

	for (i = 0; i < r->count; i++)
		for (k = 0; k < i; k++)
			if (r->file[i].cpu == r->file[k].cpu &&
			    r->file[i].cpu != NO_CPU) {
				msg_error("%s and %s are both of CPU %u: give each CPU's file once",
					  paths[k], paths[i], r->file[i].cpu);
				return EXIT_USAGE;
			}
	for (i = 0; i < r->count; i++) {
		if (r->file[i].cpu != NO_CPU)
			continue;
		while (is_taken(r, next))
			next++;
		r->file[i].cpu = next;
	}
	return EXIT_DONE;
}

uint32_t rawfiles_cpu(const struct rawfiles *r, size_t index)
{
	return r->file[index].cpu;
}

static int rawfiles_explain(const struct raw_file *f, size_t size)
{
	static const char title[] = "kmemtrace tags - version: ";

	if (size >= sizeof(title) && !memcmp(f->data, title, sizeof(title) - 1))
		return msg_error("%s is a state of accounting, but this command needs a recording: allocinfo --input shows a state",
				 f->path);
	return msg_error("%s is neither a recording nor a raw cpu<n> file", f->path);
}

/* All records are there, so no other CPU is absent. */
static void start_order(struct rawfiles *r)
{
	size_t i;

	r->order = order_create(&(struct order_setup){
		.put = put_ordered,
		.arg = r,
		.features = KMT_FEATURES_COMPACT,
		.swap = r->swap,
	});
	for (i = 0; i < r->count; i++)
		order_mark(r->order, r->file[i].cpu, 0);
	order_mark(r->order, TRACE_CPU_ABSENT, UINT64_MAX);
}

int rawfiles_open(struct rawfiles *r, char **paths, size_t count)
{
	unsigned int native = 0, swapped = 0;
	bool timed_native = false, timed_swapped = false;
	size_t i;
	int ret;

	r->file = xcalloc(count, sizeof(*r->file));
	for (i = 0; i < count; i++) {
		struct raw_file *f = &r->file[i];
		unsigned int here, there;
		ssize_t n;

		f->path = source_name(paths[i]);
		f->fd = source_descriptor(paths[i]);
		f->data = xmalloc(RAW_PIECE);
		r->count = i + 1;
		if (f->fd < 0)
			return errno == ENOENT && outfile_explain_part(f->path) ?
				       EXIT_FAILED :
				       msg_error("cannot open %s: %s", f->path, strerror(errno));
		f->cpu = cpu_of_path(paths[i]);
		n = pread(f->fd, f->data, RAW_PIECE, 0);
		if (n < 0)
			return msg_error("cannot read %s: %s", f->path,
					 errno == ESPIPE ? "it is a pipe: save it to a file first" : strerror(errno));
		here = plausible_records(f->data, n, false, &timed_native);
		there = plausible_records(f->data, n, true, &timed_swapped);
		native += here;
		swapped += there;
		if (n ? !here && !there : f->cpu == NO_CPU)
			return rawfiles_explain(f, n);
	}
	r->swap = swapped > native;
	ret = number_files(r, paths);
	if (!ret && (r->swap ? timed_swapped : timed_native))
		start_order(r);
	return ret;
}

bool rawfiles_swapped(const struct rawfiles *r)
{
	return r->swap && !r->order;
}

void rawfiles_start(struct rawfiles *r, struct merge *m)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		struct merge_piece piece = { .cpu = r->file[i].cpu };

		merge_add(m, &piece);
	}
}

void rawfiles_close(struct rawfiles *r)
{
	size_t i;

	order_destroy(r->order);
	for (i = 0; i < r->count; i++) {
		if (r->file[i].fd >= 0)
			close(r->file[i].fd);
		free(r->file[i].data);
	}
	free(r->file);
}
