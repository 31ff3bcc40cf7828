// SPDX-License-Identifier: GPL-2.0-only
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/die.h"
#include "kmt_record.h"
#include "trace/reader.h"
#include "trace/stacks.h"
#include "trace/unpack.h"

/* no byte is left: a return value of source_read() */
#define SOURCE_END 1

/**
 * struct source - a file or a stream
 * @fd: descriptor
 * @stream: bytes can only be read in order
 * @grows: the file grows until its writer gives up its lock; @stream is set as well
 * @size: bytes of a file; for a stream, UINT64_MAX until its end was read
 * @at: for a stream: offset of the next byte
 * @signals: for a stream: signalfd; -1: none
 * @old_mask: mask of signals to be restored
 * @interrupted: a signal came
 * @recorder: process to end at the first signal; 0: none
 */
struct source {
	int fd;
	bool stream;
	bool grows;
	uint64_t size;
	uint64_t at;
	int signals;
	sigset_t old_mask;
	bool interrupted;
	pid_t recorder;
};

/* --- the bytes of a file or a stream -------------------------------------- */

/* interval between two looks at a growing file, in ms */
#define GROW_MS 100
/* after a signal, a stream that is silent for this long has ended, in ms */
#define SILENCE_MS 2000

static bool is_standard_input(const char *path)
{
	return !strcmp(path, "-");
}

/* Return: whether the file can only be read in order. Directories and devices cannot. */
static bool is_stream(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
}

bool source_is_stream(const char *path)
{
	struct stat st;

	if (is_standard_input(path) ? fstat(STDIN_FILENO, &st) :
				      stat(path, &st))
		return false;
	return is_stream(&st);
}

/* A pipe without a writer is opened before signals are blocked. */
static void catch_signals(struct source *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->signals < 0)
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static bool take_signal(struct source *s)
{
	struct signalfd_siginfo info;

	return s->signals >= 0 &&
	       read(s->signals, &info, sizeof(info)) == sizeof(info);
}

int source_descriptor(const char *path)
{
	return is_standard_input(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
					 open(path, O_RDONLY | O_CLOEXEC);
}

const char *source_name(const char *path)
{
	return is_standard_input(path) ? "standard input" : path;
}

/* @grows: read a regular file as one that grows. Return: 0 or -errno; then @s is undefined. */
static int source_open(struct source *s, const char *path, bool grows)
{
	struct stat st;
	int err;

	*s = (struct source){ .signals = -1 };
	s->fd = source_descriptor(path);
	if (s->fd < 0)
		return -errno;
	if (fstat(s->fd, &st)) {
		err = -errno;
		close(s->fd);
		return err;
	}
	s->size = st.st_size;
	s->grows = grows && S_ISREG(st.st_mode);
	s->stream = s->grows || is_stream(&st);
	if (s->stream) {
		s->size = UINT64_MAX;
		catch_signals(s);
	}
	return 0;
}

static void source_close(struct source *s)
{
	close(s->fd);
	if (s->signals < 0)
		return;
	while (take_signal(s))
		; /* they were for the end of the stream */
	close(s->signals);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

/* --- waiting for the writer ----------------------------------------------- */

/* Return: whether reading must end now. */
static bool must_end(struct source *s)
{
	bool again = s->interrupted;

	if (!take_signal(s))
		return false;
	s->interrupted = true;
	if (!again && s->recorder > 0)
		kill(s->recorder, SIGTERM);
	return again || s->grows;
}

/* Waits for bytes in a pipe. Return: 0, SOURCE_END or -errno. */
static int wait_for_bytes(struct source *s)
{
	struct pollfd pfd[] = { { .fd = s->fd, .events = POLLIN },
				{ .fd = s->signals, .events = POLLIN } };
	int n;

	do {
		if (must_end(s))
			return SOURCE_END;
		n = poll(pfd, 2, s->interrupted ? SILENCE_MS : -1);
		if (!n)
			return SOURCE_END;
		if (n < 0 && errno != EINTR)
			return -errno;
	} while (n < 0 || !pfd[0].revents);
	return 0;
}

/*
 * The recorder locks the file while it writes it. It has created an empty file, but may
 * not have locked it yet. A file system without locks refuses the lock. The file then
 * ends with its last chunk, or at a signal.
 */
static bool is_complete(const struct source *s)
{
	if (!s->at || flock(s->fd, LOCK_SH | LOCK_NB))
		return false;
	flock(s->fd, LOCK_UN);
	return true;
}

/* Waits for a growing file. Return: whether reading must end. */
static bool wait_for_growth(struct source *s)
{
	struct pollfd pfd = { .fd = s->signals, .events = POLLIN };

	poll(&pfd, 1, GROW_MS);
	return must_end(s);
}

static ssize_t source_read_once(const struct source *s, void *to, size_t size)
{
	ssize_t n;

	do {
		n = read(s->fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Return: number of bytes; 0 at the end; or -errno. */
static ssize_t read_growing(struct source *s, void *to, size_t size)
{
	ssize_t n = source_read_once(s, to, size);

	while (!n) {
		/* the writer may write once more before it gives up the lock */
		bool complete = is_complete(s);

		n = source_read_once(s, to, size);
		if (n || complete || wait_for_growth(s))
			break;
	}
	return n;
}

static ssize_t read_pipe(struct source *s, void *to, size_t size)
{
	ssize_t n;
	int ret;

	do {
		ret = wait_for_bytes(s);
		if (ret)
			return ret < 0 ? ret : 0;
		n = read(s->fd, to, size);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n < 0 ? -errno : n;
}

static ssize_t read_some(struct source *s, void *to, size_t size,
			 uint64_t offset)
{
	ssize_t n;

	if (s->grows)
		return read_growing(s, to, size);
	if (s->stream)
		return read_pipe(s, to, size);
	do {
		n = pread(s->fd, to, size, offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int source_read_all(struct source *s, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read_some(s, (char *)to + done, size - done,
				      offset + done);

		if (n < 0)
			return n;
		s->at += n;
		if (!n) {
			if (s->stream)
				s->size = s->at;
			return SOURCE_END;
		}
		done += n;
	}
	return 0;
}

/*
 * @offset: in a stream, not before the end of the last read. Waits for the writer of a stream.
 * Return: 0; SOURCE_END if the source has fewer bytes; or -errno.
 */
static int source_read(struct source *s, void *to, size_t size, uint64_t offset)
{
	char skipped[4096];

	if (s->stream && s->at >= s->size)
		return SOURCE_END;
	while (s->stream && s->at < offset) {
		uint64_t left = offset - s->at;
		int ret = source_read_all(s, skipped,
					  left < sizeof(skipped) ? left :
							    sizeof(skipped),
				   s->at);

		if (ret)
			return ret;
	}
	if (s->stream && s->at > offset)
		return -ESPIPE;
	return source_read_all(s, to, size, offset);
}

/* --- reader --------------------------------------------------------------- */

struct trace_reader {
	struct source source;
	bool swap;
	uint64_t first;	 /* offset of the first chunk */
	uint64_t offset; /* offset of the current chunk */
	uint64_t next;	 /* offset of the next chunk */
	uint64_t stop;	 /* read no chunk from this offset on; 0: no limit */
	struct trace_chunk chunk;
	bool saw_end;
	enum trace_end end;
	int err;
	uint8_t *stored;
	size_t stored_room;
	uint8_t *raw;
	size_t raw_room;
	struct unzstd unzstd;
	struct unpack *unpack; /* NULL until first needed */
	struct stackdefs defs; /* for @unpack */
};

/* the text that trace_reader_open() returns, valid until the next call */
static char message[512];

/* Return: whether all bytes were read. Sets r->err, unless the file is shorter. */
static bool read_part(struct trace_reader *r, void *to, size_t size,
		      uint64_t offset)
{
	int err = source_read(&r->source, to, size, offset);

	if (err < 0)
		r->err = err;
	return !err;
}

static const char *check_header(struct trace_reader *r, const char *path)
{
	struct trace_header head;

	if (!read_part(r, &head, sizeof(head), 0) && r->err) {
		snprintf(message, sizeof(message), "cannot read %s: %s", path,
			 strerror(-r->err));
		return message;
	}
	if (r->source.size < sizeof(head) ||
	    memcmp(head.magic, TRACE_MAGIC, sizeof(head.magic))) {
		snprintf(message, sizeof(message),
			 "%s is not a recording of kmemtrace%s", path,
			 r->source.stream ? "; save a raw cpu<n> file or a state of accounting to disk first" :
					    "");
		return message;
	}
	r->swap = head.byte_order == bswap_32(TRACE_BYTE_ORDER);
	if (r->swap) {
		head.version = bswap_16(head.version);
		head.header_size = bswap_16(head.header_size);
	} else if (head.byte_order != TRACE_BYTE_ORDER) {
		snprintf(message, sizeof(message),
			 "%s is damaged: its byte order is unknown", path);
		return message;
	}
	if (head.version > TRACE_VERSION) {
		snprintf(message, sizeof(message),
			 "%s is of format %u; this tool knows formats up to %u: use a newer kmemtrace-user",
			 path, head.version, TRACE_VERSION);
		return message;
	}
	r->first = head.header_size < sizeof(head) ? sizeof(head) :
						     head.header_size;
	return NULL;
}

static struct trace_reader *open_source(const char *path, bool grows, pid_t recorder,
					const char **why)
{
	struct trace_reader *r = xcalloc(1, sizeof(*r));
	int err;

	err = source_open(&r->source, path, grows);
	if (err) {
		snprintf(message, sizeof(message), "cannot open %s: %s", path,
			 strerror(-err));
		*why = message;
		free(r);
		return NULL;
	}
	r->source.recorder = recorder;
	*why = check_header(r, path);
	if (*why) {
		trace_reader_close(r);
		return NULL;
	}
	trace_reader_rewind(r);
	return r;
}

struct trace_reader *trace_reader_open(const char *path, const char **why)
{
	return open_source(path, false, 0, why);
}

struct trace_reader *trace_reader_follow(const char *path, pid_t recorder, const char **why)
{
	return open_source(path, true, recorder, why);
}

void trace_reader_close(struct trace_reader *r)
{
	source_close(&r->source);
	unzstd_exit(&r->unzstd);
	if (r->unpack)
		unpack_exit(r->unpack);
	free(r->unpack);
	stackdefs_exit(&r->defs);
	free(r->stored);
	free(r->raw);
	free(r);
}

void trace_reader_rewind(struct trace_reader *r)
{
	r->offset = r->next = r->first;
	r->stop = 0;
	r->saw_end = false;
	r->end = TRACE_WHOLE;
}

void trace_reader_seek(struct trace_reader *r, uint64_t offset)
{
	r->next = offset;
}

void trace_reader_stop(struct trace_reader *r, uint64_t offset)
{
	r->stop = offset;
}

static void swap_chunk(struct trace_chunk *c)
{
	c->magic = bswap_32(c->magic);
	c->type = bswap_16(c->type);
	c->cpu = bswap_32(c->cpu);
	c->stored_size = bswap_32(c->stored_size);
	c->raw_size = bswap_32(c->raw_size);
	c->mark = bswap_32(c->mark);
	c->first_seq = bswap_32(c->first_seq);
	c->crc = bswap_32(c->crc);
	c->time_first = bswap_64(c->time_first);
	c->time_last = bswap_64(c->time_last);
}

static bool plausible(const struct trace_chunk *c)
{
	uint32_t max = c->type == TRACE_DATA   ? TRACE_DATA_MAX :
		       c->type == TRACE_STACKS ? TRACE_STACKS_MAX :
						 TRACE_CHUNK_MAX;

	if (c->type == TRACE_DATA && c->cpu >= TRACE_CPUS_MAX &&
	    c->cpu != TRACE_CPU_ABSENT)
		return false;
	return c->magic == TRACE_CHUNK_MAGIC && c->raw_size <= max &&
	       c->stored_size <= TRACE_CHUNK_MAX &&
	       (c->codec != TRACE_CODEC_NONE || c->stored_size == c->raw_size);
}

/* Checks only the header. Return: whether there is a chunk at an offset. */
static bool read_chunk(struct trace_reader *r, uint64_t offset,
		       struct trace_chunk *chunk)
{
	if (offset > r->source.size || r->source.size - offset < sizeof(*chunk) ||
	    !read_part(r, chunk, sizeof(*chunk), offset)) {
		r->end = r->saw_end && offset == r->source.size ? TRACE_WHOLE :
							   TRACE_CUT;
		return false;
	}
	if (r->swap)
		swap_chunk(chunk);
	if (!plausible(chunk)) {
		r->end = TRACE_BROKEN;
		return false;
	}
	if (r->source.size - offset - sizeof(*chunk) < chunk->stored_size) {
		r->end = TRACE_CUT;
		return false;
	}
	return true;
}

/* Reads the stored bytes of a chunk. */
static bool read_stored(struct trace_reader *r, const struct trace_chunk *c)
{
	array_fit(r->stored, r->stored_room, c->stored_size + 1ul);
	return read_part(r, r->stored, c->stored_size, r->offset + sizeof(*c));
}

bool trace_reader_next(struct trace_reader *r, struct trace_chunk *chunk)
{
	r->offset = r->next;
	if (r->stop && r->offset >= r->stop)
		return false;
	/* nothing follows TAIL: do not wait for the writer of a stream to close it */
	if (r->source.stream && r->chunk.type == TRACE_TAIL)
		r->source.size = r->offset;
	if (!read_chunk(r, r->offset, chunk))
		return false;
	/* a stream may end within the chunk */
	if (r->source.stream && !read_stored(r, chunk)) {
		r->end = TRACE_CUT;
		return false;
	}
	r->next = r->offset + sizeof(*chunk) +
		  ((chunk->stored_size + 7ull) & ~7ull);
	if (chunk->type == TRACE_END)
		r->saw_end = true;
	r->chunk = *chunk;
	return true;
}

const uint8_t *trace_reader_stored(struct trace_reader *r)
{
	const struct trace_chunk *c = &r->chunk;

	if ((!r->source.stream && !read_stored(r, c)) ||
	    crc32(0, r->stored, c->stored_size) != c->crc)
		return NULL;
	r->stored[c->stored_size] = 0;
	return r->stored;
}

static const uint8_t *load_zstd(struct trace_reader *r)
{
	const struct trace_chunk *c = &r->chunk;

	array_fit(r->raw, r->raw_room, c->raw_size + 1ul);
	if (unzstd_frame(&r->unzstd, r->raw, c->raw_size, r->stored, c->stored_size))
		return NULL;
	r->raw[c->raw_size] = 0;
	return r->raw;
}

static void get_unpack(struct trace_reader *r)
{
	if (r->unpack)
		return;
	r->unpack = xmalloc(sizeof(*r->unpack));
	stackdefs_init(&r->defs);
	unpack_init(r->unpack, WANT_RECORDS, &r->defs);
}

static const uint8_t *load_columns(struct trace_reader *r)
{
	const struct trace_chunk *c = &r->chunk;
	size_t room = c->raw_size + KMT_RECORD_MAX;

	if (c->type != TRACE_DATA)
		return NULL;
	get_unpack(r);
	array_fit(r->raw, r->raw_room, room);
	if (unpack_open(r->unpack, &r->unzstd, r->stored, c->stored_size,
			c->raw_size, c->first_seq) &&
	    unpack_all(r->unpack, r->raw, room)) {
		r->raw[c->raw_size] = 0;
		return r->raw;
	}
	return NULL;
}

const uint8_t *trace_reader_content(struct trace_reader *r)
{
	const uint8_t *stored = trace_reader_stored(r);

	if (!stored)
		return NULL;
	switch ((enum trace_codec)r->chunk.codec) {
	case TRACE_CODEC_NONE:
		return stored;
	case TRACE_CODEC_ZSTD:
		return load_zstd(r);
	case TRACE_CODEC_COLUMNS:
		return load_columns(r);
	}
	return NULL;
}

/* Keeps definitions of stacks for the chunks that follow. */
const uint8_t *trace_reader_load(struct trace_reader *r)
{
	const struct trace_chunk *c = &r->chunk;
	const uint8_t *data = trace_reader_content(r);
	int err;

	if (!data || c->type != TRACE_STACKS)
		return data;
	get_unpack(r);
	err = stackdefs_add(&r->defs, c->first_seq, data, c->raw_size);
	return err ? NULL : data;
}

uint64_t trace_reader_undefined(const struct trace_reader *r)
{
	return r->defs.undefined;
}

static bool load_index(struct trace_reader *r, struct trace_index *x)
{
	const uint8_t *text;

	if (r->source.size < sizeof(r->chunk) ||
	    !read_chunk(r, r->source.size - sizeof(r->chunk), &r->chunk) ||
	    r->chunk.type != TRACE_TAIL)
		return false;
	r->offset = r->chunk.time_first;
	if (!read_chunk(r, r->offset, &r->chunk) ||
	    r->chunk.type != TRACE_INDEX)
		return false;
	text = trace_reader_load(r);
	return text && trace_index_parse(x, (const char *)text);
}

bool trace_reader_index(struct trace_reader *r, struct trace_index *x)
{
	uint64_t offset = r->offset;
	enum trace_end end = r->end;
	bool ok = !r->source.stream && load_index(r, x);

	if (!ok)
		trace_index_exit(x);
	r->offset = offset;
	r->end = end;
	return ok;
}

uint64_t trace_reader_offset(const struct trace_reader *r)
{
	return r->offset;
}

uint64_t trace_reader_size(const struct trace_reader *r)
{
	return r->source.size;
}

bool trace_reader_swapped(const struct trace_reader *r)
{
	return r->swap;
}

enum trace_end trace_reader_end(const struct trace_reader *r)
{
	return r->end;
}

int trace_reader_error(const struct trace_reader *r)
{
	return r->err;
}

bool trace_reader_is_stream(const struct trace_reader *r)
{
	return r->source.stream;
}

bool trace_reader_interrupted(const struct trace_reader *r)
{
	return r->source.interrupted;
}

int trace_reader_is_recording(const char *path)
{
	struct source source;
	uint8_t magic[8];
	int ret;

	if (source_is_stream(path))
		return 1;
	if (source_open(&source, path, false))
		return 0;
	ret = source_read(&source, magic, sizeof(magic), 0);
	source_close(&source);
	if (ret < 0)
		return ret;
	return ret != SOURCE_END && !memcmp(magic, TRACE_MAGIC, sizeof(magic));
}
