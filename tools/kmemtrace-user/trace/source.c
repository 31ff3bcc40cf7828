// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/source.h"

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

int source_open(struct source *s, const char *path, bool grows)
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

void source_close(struct source *s)
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
	if (!again && s->interrupt)
		s->interrupt(s->arg);
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

int source_read(struct source *s, void *to, size_t size, uint64_t offset)
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
