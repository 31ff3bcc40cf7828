// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/waitstream.h"

/* interval between two calls of gives_up(), in ms */
#define ASK_MS 20

bool waitstream_is_needed(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode);
}

/* Return: false: the stream gives up. An error is left to write(). */
static bool wait_for_room(struct waitstream *s)
{
	struct pollfd pfd = { .fd = s->fd, .events = POLLOUT };
	unsigned int ms = 0;

	while (!s->has_given_up && !poll(&pfd, 1, ASK_MS)) {
		ms += ASK_MS;
		s->has_given_up = s->gives_up && s->gives_up(s->arg, ms);
	}
	return !s->has_given_up;
}

/* After poll(), a pipe has room for PIPE_BUF bytes, but perhaps not for more. */
static ssize_t waitstream_put(void *cookie, const char *data, size_t size)
{
	struct waitstream *s = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		size_t part = size - done < PIPE_BUF ? size - done : PIPE_BUF;

		if (!wait_for_room(s)) {
			errno = ECANCELED;
			break;
		}
		n = write(s->fd, data + done, part);
		if (n >= 0)
			done += n;
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	return done;
}

FILE *waitstream_open(struct waitstream *s)
{
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = waitstream_put });
}
