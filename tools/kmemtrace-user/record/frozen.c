// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "kmt_record.h"
#include "record/cpus.h"
#include "record/frozen.h"

#define PIECE (256 * 1024)

/**
 * struct frozen_files - the files of all CPUs
 * @count: how many
 * @full: a CPU that has more bytes may have overwritten some
 * @file: descriptor and CPU of each
 */
struct frozen_files {
	size_t count;
	uint64_t full;
	struct frozen_file {
		int fd;
		int cpu;
	} file[];
};

/**
 * struct saver - the work
 * @writer: of the file, or NULL
 * @end: the number behind the last record
 * @oldest: how far before @end the oldest record is
 * @whole: how far before @end all is there
 * @full: as in struct frozen_files
 * @frozen: what was saved so far
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

static bool add_file(struct frozen_files **files, int fd, int cpu)
{
	struct frozen_files *f = *files, *more;

	more = realloc(f, sizeof(*f) + (f->count + 1) * sizeof(f->file[0]));
	if (!more)
		return false;
	more->file[more->count++] = (struct frozen_file) {fd, cpu};
	*files = more;
	return true;
}

/**
 * struct opening - opening the files of all CPUs
 * @dir: from control_open()
 * @files: those that are open
 */
struct opening {
	int dir;
	struct frozen_files **files;
};

static int open_file(const char *name, int cpu, void *arg)
{
	struct opening *o = arg;
	int fd = openat(o->dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == ENODATA || errno == ENODEV))
		return EXIT_DONE; /* the CPU was not there yet */
	if (fd < 0 && errno == EBUSY)
		return msg_error(
			"another recorder is running: somebody reads %s", name);
	if (fd < 0)
		return msg_error("cannot open %s: %s", name, strerror(errno));
	if (add_file(o->files, fd, cpu))
		return EXIT_DONE;
	close(fd);
	return msg_error("out of memory");
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
		return msg_error("out of memory");
	/* Of a buffer of n parts, n - 1 are there once it was full; of two,
	 * that is nearly half of it. */
	(*files)->full = bytes / 3;
	ret = cpus_each(dir, prefix, cpus, open_file,
			&(struct opening){ dir, files });
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
	free(files);
}

/* --- the records ---------------------------------------------------------- */

static void note_cpu(struct saver *s, const uint8_t *data, uint64_t bytes)
{
	const struct kmemtrace_event *first = (const void *)data;
	uint32_t age = s->end - first->seq_num;

	s->frozen->cpus++;
	/* of a number just taken, the record may come behind the end */
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

/* Milliseconds for which a CPU may be on its way offline or back. */
#define MISPLACED_MAX 1000

/* While a trigger may switch recording on, a CPU's file is read on that CPU. */
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

/* @room: two pieces: the first one, which stays, and the one at hand */
static int save_stream(struct saver *s, const struct frozen_file *file,
		       uint8_t *room)
{
	struct cpulist_saved saved = { 0 };
	uint8_t *data = room;
	uint64_t bytes = 0;
	ssize_t n = 0;

	/* what is read is gone: the rest can be saved elsewhere */
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
		/* that was all of this CPU */
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
		return msg_error("out of memory");
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

bool frozen_is_taken(int dir)
{
	char *text = control_read(dir, "snapshot", NULL);
	bool taken = text && !strncmp(text, "state taken\n", 12);

	free(text);
	return taken;
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
