// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/die.h"
#include "base/thread.h"
#include "control/cpulist.h"
#include "record/ordering.h"
#include "record/stream.h"

/*
 * poll() reports only full sub-buffers. This is the longest time, in ms, that a record of
 * an idle CPU waits for its read().
 */
#define POLL_MS 100
/* In the order by time, the records of all other CPUs wait as well. */
#define POLL_BY_TIME_MS 20
/* time to sleep if poll() reported records, but there were none, in us */
#define MISLED_US 1000
/* if a read() leaves at least this much room, in bytes, it has read all records */
#define READ_ROOM 4096
/* bytes of its stack that a reader may use; a step touches each page of them */
#define STACK_BYTES (16 << 10)
#define STACK_STEP 1024
/* attempts to move to the CPU, one every 1 ms */
#define MISPLACED_MAX 1000

/* Return: 0 or -errno. */
static int sample_mark(int fd, uint64_t *mark)
{
	char text[24];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return n ? -errno : -EIO;
	text[n] = '\0';
	*mark = strtoull(text, NULL, 10);
	return 0;
}

/* Return: 1 if all records were read; 0 if there may be more; or -errno. */
static int stream_fill(struct stream *s, struct buffer *to)
{
	ssize_t n;
	int err;

	err = sample_mark(s->mark_fd, &to->batch.mark);
	if (err)
		return err;
	while (s->buffers->room - to->size >= READ_ROOM) {
		size_t room = s->buffers->room - to->size;

		n = read(s->fd, to->data + to->size, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EXDEV) {
			/*
			 * The CPU went offline and came back. Or the caller of
			 * stream_join() moved the thread, but a trigger of another
			 * process may switch recording on.
			 */
			if (++s->misplaced > MISPLACED_MAX)
				return -EXDEV;
			cpulist_pin(s->cpu);
			usleep(1000);
			return 0;
		}
		if (n < 0)
			return -errno;
		s->misplaced = 0;
		to->size += n;
		if ((size_t)n + READ_ROOM <= room || !n)
			return 1;
	}
	return 0;
}

/* Return: an empty buffer. Waits for one. */
static struct buffer *get_buffer(struct stream *s)
{
	struct buffer *buffer = s->spare;

	s->spare = NULL;
	return buffer ? buffer : buffers_get_held(s->buffers, &s->holder);
}

/* Pass on what was read, if it says anything new. Return: whether there are records. */
static bool hand_over(struct stream *s, struct buffer *buffer, uint64_t *last_mark)
{
	struct batch *b = &buffer->batch;

	if (buffer->size) {
		*last_mark = b->mark;
		s->is_late = false;
		batch_put(s->out, b);
		return true;
	}
	if (b->complete && b->mark != *last_mark) {
		*last_mark = b->mark;
		s->is_late = !batch_put_mark(s->out, &s->idle, s->cpu, b->mark);
	}
	s->spare = buffer;
	return false;
}

/* Read all records. Return: 1 if there were any; 0 if there were none; or -errno. */
static int drain(struct stream *s, uint64_t *last_mark)
{
	int ret = 0;
	bool any = false;

	while (!ret) {
		struct buffer *buffer = get_buffer(s);

		if (!buffer)
			return -ENOMEM;
		__atomic_store_n(&s->beats, s->beats + 1, __ATOMIC_RELAXED);
		buffer->batch = (struct batch){ .buffer = buffer, .cpu = s->cpu };
		ret = stream_fill(s, buffer);
		buffer->batch.complete = ret > 0;
		any |= hand_over(s, buffer, last_mark);
	}
	return ret < 0 ? ret : any;
}

/*
 * In the order by time, tell that no more records of the CPU come, even if reading failed:
 * those of all other CPUs would wait for them for ever. In the other order, pass the last mark
 * on if the one before was still in the queue.
 */
static void put_last(struct stream *s, uint64_t last_mark)
{
	if (s->by_time)
		last_mark = UINT64_MAX;
	if (s->by_time || s->is_late)
		batch_put_mark(s->out, &s->last, s->cpu, last_mark);
}

/* Take the page faults of the stack while the thread may still run on any CPU. */
static void touch_stack(void)
{
	volatile char part[STACK_BYTES];
	size_t i;

	for (i = 0; i < sizeof(part); i += STACK_STEP)
		part[i] = 0;
}

static void *read_stream(void *arg)
{
	struct stream *s = arg;
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };
	int poll_ms = s->by_time ? POLL_BY_TIME_MS : POLL_MS;
	uint64_t last_mark = 0;
	bool stop;
	int ret = 1;

	touch_stack();
	__atomic_store_n(&s->tid, gettid(), __ATOMIC_RELAXED);
	/* fails while the CPU is offline; its records can then be read on any CPU */
	cpulist_pin(s->cpu);
	thread_go_first();
	do {
		stop = __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
		/* if poll() is wrong each time, this thread must not block the CPU */
		if (!stop && poll(&pfd, 1, poll_ms) && !ret)
			usleep(MISLED_US);
		ret = drain(s, &last_mark);
	} while (!stop && ret >= 0);
	if (ret < 0)
		__atomic_store_n(&s->err, ret, __ATOMIC_RELAXED);
	put_last(s, last_mark);
	return NULL;
}

static int open_files(struct stream *s, int dir, const char *mark)
{
	char name[32];

	snprintf(name, sizeof(name), "cpu%d", s->cpu);
	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	s->mark_fd = openat(dir, mark, O_RDONLY | O_CLOEXEC);
	if (s->mark_fd < 0) {
		int err = -errno;

		close(s->fd);
		return err;
	}
	return 0;
}

int stream_create(int dir, int cpu, const char *mark, struct batch_queue *out,
		  struct buffers *buffers, struct stream **ret)
{
	struct stream *s = xcalloc(1, sizeof(*s));
	int err;

	s->cpu = cpu;
	s->out = out;
	s->buffers = buffers;
	s->by_time = !strcmp(mark, ORDERING_BY_TIME);
	err = open_files(s, dir, mark);
	if (err) {
		free(s);
		return err;
	}
	buffers_add_holder(s->buffers, &s->holder);
	*ret = s;
	return 0;
}

int stream_start(struct stream *s, uint64_t mark)
{
	int err;

	batch_put_mark(s->out, &s->idle, s->cpu, mark);
	err = thread_start(&s->thread, read_stream, s);
	s->has_ended = err;
	if (err)
		put_last(s, mark);
	return err;
}

void stream_stop(struct stream *s)
{
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
}

/*
 * Recording is off, so that the records can be read on any CPU. The CPU of the caller
 * executes threads without a real-time priority. The thread may just have ended:
 * pthread_setaffinity_np() would then move the caller.
 */
static void move_here(const struct stream *s)
{
	pid_t tid = __atomic_load_n(&s->tid, __ATOMIC_RELAXED);
	int cpu = sched_getcpu();

	if (tid && cpu >= 0)
		cpulist_pin_thread(tid, cpu);
}

bool stream_join(struct stream *s)
{
	if (!s->has_ended && !pthread_tryjoin_np(s->thread, NULL))
		s->has_ended = true;
	if (!s->has_ended)
		move_here(s);
	return s->has_ended;
}

bool stream_beats(const struct stream *s, unsigned int *beats)
{
	*beats = __atomic_load_n(&s->beats, __ATOMIC_RELAXED);
	return !buffers_holder_waits(&s->holder) && !stream_error(s);
}

int stream_error(const struct stream *s)
{
	return __atomic_load_n(&s->err, __ATOMIC_RELAXED);
}

void stream_abandon(const struct stream *s, int null)
{
	dup2(null, s->mark_fd);
	dup2(null, s->fd);
}

int stream_destroy(struct stream *s)
{
	int err = s->err;

	close(s->mark_fd);
	close(s->fd);
	if (s->spare)
		buffers_put(s->buffers, s->spare);
	free(s);
	return err;
}
