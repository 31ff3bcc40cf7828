// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "kmt_record.h"
#include "record/cpus.h"
#include "record/frozen.h"
#include "record/ordering.h"
#include "trace/window.h"
#include "trace/order.h"

#define PIECE	    (256 * 1024)
#define FREEZING_MS 5000

/**
 * struct frozen_files - the files of CPUs
 * @dir: descriptor from control_open()
 * @cpus: list of CPUs; NULL: all
 * @by_time: the module orders events by time
 * @order: from frozen_set_order(), or NULL
 * @own_order: the order of the saved records, if it is not @order
 * @count: number of files
 * @full: if a CPU has more bytes than this, it may have overwritten records
 * @file: descriptor and CPU of each file, the number of its first record (before it is read, a
 *	number near that), and the bytes that were read
 */
struct frozen_files {
	int dir;
	const char *cpus;
	bool by_time;
	struct order *order;
	struct order *own_order;
	size_t count;
	uint64_t full;
	struct frozen_file {
		int fd;
		int cpu;
		uint64_t first;
		uint64_t bytes;
	} *file;
};

/**
 * struct saver - the state of frozen_save()
 * @writer: writer of the file, or NULL
 * @end: sequence number of the last record + 1
 * @oldest: distance from the oldest record to @end, in sequence numbers
 * @whole: the last so many sequence numbers before @end are complete
 * @full: as in struct frozen_files
 * @frozen: the result so far
 */
struct saver {
	struct trace_writer *writer;
	uint64_t end;
	uint64_t oldest;
	uint64_t whole;
	uint64_t full;
	struct frozen *frozen;
};

/* --- the files ------------------------------------------------------------ */

/**
 * struct opening - the state of frozen_open()
 * @dir: descriptor from control_open()
 * @files: the files opened so far
 */
struct opening {
	int dir;
	struct frozen_files *files;
};

/*
 * The module prints the count of events at the start of each buffer. Reading changes it. A CPU
 * without it has no records.
 */
static void set_starts(struct frozen_files *files, const char *name)
{
	char *text = control_read(files->dir, name, NULL);
	const char *line;
	unsigned int cpu;
	uint64_t start;
	size_t i;

	for (line = text; line; line = textfile_next_line(line)) {
		if (!textfile_cpu_number(line, "start_number", ' ', &cpu, &start))
			continue;
		for (i = 0; i < files->count; i++)
			if (files->file[i].cpu == (int)cpu)
				files->file[i].first = start;
	}
	free(text);
}

static int open_file(const char *name, int cpu, void *arg)
{
	struct opening *o = arg;
	int fd = openat(o->dir, name, O_RDONLY | O_CLOEXEC);
	struct frozen_file *file;

	if (fd < 0 && (errno == ENODATA || errno == ENODEV))
		return EXIT_DONE; /* the CPU has no buffer yet */
	if (fd < 0 && errno == EBUSY)
		return msg_error(
			"another recorder is running: %s is in use", name);
	if (fd < 0)
		return msg_error("cannot open %s: %s", name, strerror(errno));
	file = array_add(o->files->file, o->files->count);
	*file = (struct frozen_file){ .fd = fd, .cpu = cpu };
	return EXIT_DONE;
}

int frozen_open(int dir, const char *prefix, const char *cpus,
		struct frozen_files **files)
{
	char *stats = control_read(dir, "stats", NULL);
	uint64_t bytes = 0;
	int ret;

	if (stats)
		textfile_number(stats, "buffer_bytes_per_cpu", &bytes);
	free(stats);
	*files = xcalloc(1, sizeof(**files));
	(*files)->dir = dir;
	(*files)->cpus = cpus;
	(*files)->by_time = ordering_is_by_time(dir);
	/*
	 * A buffer with n sub-buffers keeps at least n - 1 of them after it was full. For
	 * n = 2, this is nearly half of the buffer.
	 */
	(*files)->full = bytes / 3;
	ret = cpus_each(dir, prefix, cpus, open_file,
			&(struct opening){ dir, *files });
	if (ret) {
		frozen_close(*files);
		*files = NULL;
		return ret;
	}
	set_starts(*files, strcmp(prefix, FROZEN_SNAPSHOT) ? "stats" : "snapshot");
	return EXIT_DONE;
}

void frozen_abandon(const struct frozen_files *files, int null)
{
	size_t i;

	for (i = 0; files && i < files->count; i++)
		dup2(null, files->file[i].fd);
}

void frozen_close(struct frozen_files *files)
{
	if (!files)
		return;
	while (files->count)
		close(files->file[--files->count].fd);
	order_destroy(files->own_order);
	free(files->file);
	free(files);
}

/* --- the records ---------------------------------------------------------- */

/* @first: number of the first record of a CPU */
static void note_cpu(struct saver *s, uint64_t first, uint64_t bytes)
{
	uint64_t age = s->end - first;

	/* a CPU may have written a record after @end was read */
	if ((int64_t)age < 0)
		age = 0;
	if (age > s->oldest)
		s->oldest = age;
	if (bytes <= s->full)
		return;
	s->frozen->overwritten = true;
	if (age < s->whole)
		s->whole = age;
}

static ssize_t frozen_fill(int fd, uint8_t *data)
{
	ssize_t n;

	do {
		n = read(fd, data, PIECE);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* attempts to read while a CPU goes offline or comes back; about 1 ms each */
#define MISPLACED_MAX 1000

/* While a trigger may switch recording on, a buffer can only be read on its own CPU. */
static ssize_t fill_there(const struct frozen_file *file, uint8_t *data,
			  struct cpulist_saved *saved)
{
	ssize_t n = frozen_fill(file->fd, data);
	int tries;

	for (tries = 0; n == -EXDEV && tries < MISPLACED_MAX; tries++) {
		if (!saved->set && !cpulist_save(saved))
			break;
		if (cpulist_pin(file->cpu))
			usleep(1000);
		n = frozen_fill(file->fd, data);
	}
	return n;
}

/* @room: space for two pieces: the first one, which is kept, and the current one */
static int save_stream(struct saver *s, struct frozen_file *file,
		       uint8_t *room)
{
	struct cpulist_saved saved = { 0 };
	const struct kmemtrace_event *first = (const void *)room;
	uint8_t *data = room;
	ssize_t n = 0;

	/* reading removes records: after a write error, keep the rest for another file */
	while (!(s->writer && trace_writer_error(s->writer)) &&
	       (n = fill_there(file, data, &saved)) > 0) {
		file->bytes += n;
		s->frozen->records += kmt_record_count(data, n);
		if (s->writer)
			trace_writer_data(s->writer, file->cpu, data, n,
					  s->end, false);
		data = room + PIECE;
	}
	cpulist_restore(&saved);
	if (file->bytes) {
		file->first = merge_extend(file->first, first->seq_num);
		note_cpu(s, file->first, file->bytes);
		/* all records of this CPU are written */
		if (s->writer)
			trace_writer_data(s->writer, file->cpu, NULL, 0,
					  s->end, true);
	}
	return n < 0 ? n : 0;
}

/* --- in the order by time -------------------------------------------------- */

/* Reads one piece, or finds the end of the file. Return: 0 or -errno. */
static int feed_order(struct saver *s, struct order *o, struct frozen_file *file,
		      uint8_t *room)
{
	struct cpulist_saved saved = { 0 };
	ssize_t n = fill_there(file, room, &saved);

	cpulist_restore(&saved);
	if (n < 0)
		return n;
	if (!n) {
		order_close(o, file->cpu);
		return 0;
	}
	file->bytes += n;
	s->frozen->records += kmt_record_count(room, n);
	order_add(o, file->cpu, room, n);
	return 0;
}

/* Reads the files as far as needed for the next records. Return: 1; 0: no more; -errno */
static int feed_all(struct saver *s, struct order *o,
		    const struct frozen_files *files, uint8_t *room,
		    int *failed_cpu)
{
	int err = 0, any = 0;
	size_t i;

	for (i = 0; !err && i < files->count; i++) {
		if (!order_needs(o, files->file[i].cpu))
			continue;
		any = 1;
		*failed_cpu = files->file[i].cpu;
		err = feed_order(s, o, &files->file[i], room);
	}
	return err ? err : any;
}

/* The numbers are known only when all records have theirs. */
static void note_order(struct saver *s, struct order *o,
		       const struct frozen_files *files)
{
	uint64_t first;
	size_t i;

	s->end = order_next(o);
	for (i = 0; i < files->count; i++) {
		const struct frozen_file *file = &files->file[i];

		if (!order_first(o, file->cpu, &first))
			continue;
		note_cpu(s, first, file->bytes);
		trace_writer_data(s->writer, file->cpu, NULL, 0, s->end, true);
	}
}

/* @started: recording into these buffers began while nothing else was recorded */
static int save_ordered(struct saver *s, const struct frozen_files *files,
			struct order *o, bool started, int *cpu)
{
	uint8_t *room = xmalloc(PIECE);
	int err = 0;
	size_t i;

	for (i = 0; i < files->count; i++)
		order_mark(o, files->file[i].cpu, 0);
	order_mark(o, TRACE_CPU_ABSENT, UINT64_MAX);
	/* as above: after a write error, keep the rest for another file */
	while (!trace_writer_error(s->writer) &&
	       (err = feed_all(s, o, files, room, cpu)) > 0)
		order_run(o);
	if (!err)
		order_finish(o);
	if (!err && started)
		ordering_end(o, files->dir, files->cpus);
	if (!err)
		note_order(s, o, files);
	free(room);
	return err < 0 ? err : 0;
}

static int save_by_time(struct saver *s, struct frozen_files *files,
			const uint64_t *start, int *cpu)
{
	struct order *own;

	if (start && files->order)
		return save_ordered(s, files, files->order, true, cpu);
	own = ordering_create(files->dir, s->writer, false,
			      start ? *start : 0);
	files->own_order = own;
	return save_ordered(s, files, own, false, cpu);
}

void frozen_print_starts(const struct frozen_files *files, FILE *out)
{
	size_t i;

	for (i = 0; i < files->count && !files->by_time; i++)
		if (files->file[i].bytes)
			fprintf(out, "start_number.cpu%d=%" PRIu64 "\n",
				files->file[i].cpu, files->file[i].first);
}

const struct order *frozen_order(const struct frozen_files *files)
{
	return files->own_order ? files->own_order : files->order;
}

void frozen_set_order(struct frozen_files *files, struct order *order)
{
	files->order = order;
}

static int save_by_number(struct saver *s, const struct frozen_files *files,
			  int *cpu)
{
	uint8_t *room = xmalloc(2 * PIECE);
	int err = 0;
	size_t i;

	for (i = 0; !err && i < files->count; i++) {
		*cpu = files->file[i].cpu;
		err = save_stream(s, &files->file[i], room);
	}
	free(room);
	return err;
}

static int frozen_explain(int cpu, int err)
{
	if (err == -EBUSY)
		return msg_error(
			"recording may go on at any time: remove the trigger traceon first (kmemtrace-user events)");
	if (err == -EXDEV)
		return msg_error(
			"cannot read cpu%d: a trigger traceon is set, and this process may not run on CPU %d: remove the trigger first (kmemtrace-user events)",
			cpu, cpu);
	return msg_error("reading cpu%d failed: %s", cpu, strerror(-err));
}

int frozen_save(struct frozen_files *files, struct trace_writer *writer,
		uint64_t end, const uint64_t *start, struct frozen *frozen)
{
	struct saver s = {
		.writer = writer,
		.end = end,
		.whole = UINT64_MAX,
		.full = files->full,
		.frozen = frozen,
	};
	int err, cpu = 0;

	*frozen = (struct frozen){ .files = files };
	/* records that are discarded need no order */
	err = files->by_time && writer ?
		      save_by_time(&s, files, start, &cpu) :
		      save_by_number(&s, files, &cpu);
	frozen->exchanged = !start;
	if (start)
		s.oldest = s.end - *start;
	if (s.whole > s.oldest)
		s.whole = s.oldest;
	frozen->whole = s.end - s.whole;
	frozen->end = s.end;
	return err ? frozen_explain(cpu, err) : EXIT_DONE;
}

static bool has_state(int dir, const char *state)
{
	char *text = control_read(dir, "snapshot", NULL);
	bool has = text && !strncmp(text, state, strlen(state));

	free(text);
	return has;
}

bool frozen_is_taken(int dir)
{
	int ms;

	for (ms = 0; ms < FREEZING_MS && has_state(dir, "state freezing\n"); ms += 10)
		usleep(10000);
	return has_state(dir, "state taken\n");
}

uint64_t frozen_snapshots(int dir)
{
	char *text = control_read(dir, "snapshot", NULL);
	uint64_t n = 0;

	if (text)
		textfile_number(text, "taken", &n);
	free(text);
	return n;
}
