// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "kmt_record.h"
#include "record/cpus.h"
#include "record/frozen.h"

#define PIECE	    (256 * 1024)
#define FREEZING_MS 5000

/**
 * struct frozen_files - the files of CPUs
 * @count: number of files
 * @full: if a CPU has more bytes than this, it may have overwritten records
 * @file: descriptor and CPU of each file
 */
struct frozen_files {
	size_t count;
	uint64_t full;
	struct frozen_file {
		int fd;
		int cpu;
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
	uint32_t end;
	uint32_t oldest;
	uint32_t whole;
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
	if (!file) {
		close(fd);
		return msg_oom();
	}
	*file = (struct frozen_file){ fd, cpu };
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
	*files = calloc(1, sizeof(**files));
	if (!*files)
		return msg_oom();
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
	}
	return ret;
}

void frozen_close(struct frozen_files *files)
{
	if (!files)
		return;
	while (files->count)
		close(files->file[--files->count].fd);
	free(files->file);
	free(files);
}

/* --- the records ---------------------------------------------------------- */

static void note_cpu(struct saver *s, const uint8_t *data, uint64_t bytes)
{
	const struct kmemtrace_event *first = (const void *)data;
	uint32_t age = s->end - first->seq_num;

	s->frozen->cpus++;
	/* a CPU may have written a record after @end was read */
	if ((int32_t)age < 0)
		age = 0;
	if (age > s->oldest)
		s->oldest = age;
	if (bytes <= s->full)
		return;
	s->frozen->overwritten = true;
	if (age < s->whole)
		s->whole = age;
}

static ssize_t fill(int fd, uint8_t *data)
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
	ssize_t n = fill(file->fd, data);
	int tries;

	for (tries = 0; n == -EXDEV && tries < MISPLACED_MAX; tries++) {
		if (!saved->set && !cpulist_save(saved))
			break;
		if (cpulist_pin(file->cpu))
			usleep(1000);
		n = fill(file->fd, data);
	}
	return n;
}

/* @room: space for two pieces: the first one, which is kept, and the current one */
static int save_stream(struct saver *s, const struct frozen_file *file,
		       uint8_t *room)
{
	struct cpulist_saved saved = { 0 };
	uint8_t *data = room;
	uint64_t bytes = 0;
	ssize_t n = 0;

	/* reading removes records: after a write error, keep the rest for another file */
	while (!(s->writer && trace_writer_error(s->writer)) &&
	       (n = fill_there(file, data, &saved)) > 0) {
		bytes += n;
		s->frozen->records += kmt_record_count(data, n);
		if (s->writer)
			trace_writer_data(s->writer, file->cpu, data, n,
					  s->end, false);
		data = room + PIECE;
	}
	cpulist_restore(&saved);
	if (bytes) {
		note_cpu(s, room, bytes);
		/* all records of this CPU are written */
		if (s->writer)
			trace_writer_data(s->writer, file->cpu, NULL, 0,
					  s->end, true);
	}
	return n < 0 ? n : 0;
}

static int explain(int cpu, int err)
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
		uint32_t end, const uint32_t *start, struct frozen *frozen)
{
	struct saver s = {
		.writer = writer,
		.end = end,
		.whole = UINT32_MAX,
		.full = files->full,
		.frozen = frozen,
	};
	uint8_t *room = malloc(2 * PIECE);
	int err = 0;
	size_t i;

	memset(frozen, 0, sizeof(*frozen));
	if (!room)
		return msg_oom();
	for (i = 0; !err && i < files->count; i++)
		err = save_stream(&s, &files->file[i], room);
	free(room);
	frozen->exchanged = !start;
	if (start)
		s.oldest = end - *start;
	if (s.whole > s.oldest)
		s.whole = s.oldest;
	frozen->whole = end - s.whole;
	return err ? explain(files->file[i - 1].cpu, err) : EXIT_DONE;
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
