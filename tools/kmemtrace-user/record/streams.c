// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/thread.h"
#include "control/control.h"
#include "control/cpulist.h"
#include "record/cpus.h"
#include "record/ordering.h"
#include "record/streams.h"
#include "trace/order.h"

/**
 * struct stream - the thread that reads one CPU
 * @cpu: number of the CPU
 * @fd: descriptor of the CPU's file cpu<n>
 * @mark_fd: descriptor of the file with the present place in the order
 * @out: queue for filled buffers
 * @buffers: pool of buffers to fill
 * @by_time: the order is by time, so that the CPU's records may wait for those of others
 * @holder: of @buffers
 * @spare: an empty buffer, so that an idle reader needs no other; or NULL
 * @idle: a batch without records
 * @is_late: the last mark was not passed on, because @idle was still in the queue
 * @last: the last batch, if the thread must pass on a mark at its end
 * @thread: the thread
 * @has_ended: @thread was joined, or could not be started
 * @tid: gettid() of the thread; 0: it has not run yet; atomic
 * @stop: the thread ends when no record is left; atomic
 * @beats: raised before each attempt to read; atomic
 * @misplaced: number of failed attempts in a row to move to the CPU
 * @err: 0, or the -errno that ended the thread early; atomic
 */
struct stream {
	int cpu;
	int fd;
	int mark_fd;
	struct batch_queue *out;
	struct buffers *buffers;
	bool by_time;
	struct holder holder;
	struct buffer *spare;
	struct batch idle;
	bool is_late;
	struct batch last;
	pthread_t thread;
	bool has_ended;
	pid_t tid;
	bool stop;
	unsigned int beats;
	unsigned int misplaced;
	int err;
};

/* --- the reader of one CPU ------------------------------------------------ */

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

/*
 * Opens a CPU's file. @mark: name of the file with the present place in the order. Return: 0;
 * -EBUSY if another process reads the file; -ENODEV if the CPU is just coming online, or went
 * offline before the buffers were resized; another -errno.
 */
static int stream_create(int dir, int cpu, const char *mark, struct batch_queue *out,
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

/*
 * Starts to read. @mark: the CPU has no record before this place in the order. The queue gets it
 * first, even if the thread cannot be started. Return: 0 or -errno.
 */
static int stream_start(struct stream *s, uint64_t mark)
{
	int err;

	batch_put_mark(s->out, &s->idle, s->cpu, mark);
	err = thread_start(&s->thread, read_stream, s);
	s->has_ended = err;
	if (err)
		put_last(s, mark);
	return err;
}

/* Lets the thread read the remaining records, and end: recording is off. */
static void stream_stop(struct stream *s)
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

/*
 * Joins the thread if it has ended after stream_stop(), without waiting. Otherwise moves the thread to the CPU of the caller: its own CPU may not execute it,
 * because a task of a higher real-time priority uses all of that CPU. Return: true if the
 * thread has ended.
 */
static bool stream_join(struct stream *s)
{
	if (!s->has_ended && !pthread_tryjoin_np(s->thread, NULL))
		s->has_ended = true;
	if (!s->has_ended)
		move_here(s);
	return s->has_ended;
}

static int stream_error(const struct stream *s)
{
	return __atomic_load_n(&s->err, __ATOMIC_RELAXED);
}

/*
 * Gets a number that changes while the thread reads: at least every 100 ms, unless the CPU does
 * not execute the thread. Return: false if the thread has a reason not to read.
 */
static bool stream_beats(const struct stream *s, unsigned int *beats)
{
	*beats = __atomic_load_n(&s->beats, __ATOMIC_RELAXED);
	return !buffers_holder_waits(&s->holder) && !stream_error(s);
}

static void stream_abandon(const struct stream *s, int null)
{
	dup2(null, s->mark_fd);
	dup2(null, s->fd);
}

/* The thread has ended, and the queue has nothing of it. Return: its error, or 0. */
static int stream_destroy(struct stream *s)
{
	int err = s->err;

	close(s->mark_fd);
	close(s->fd);
	if (s->spare)
		buffers_put(s->buffers, s->spare);
	free(s);
	return err;
}

/* --- streams -------------------------------------------------------------- */

/* bytes of ordered records after which all CPUs get a new mark */
#define MARK_BYTES (4 << 20)
/* interval between two scans for new CPUs, in ms */
#define SCAN_MS 100
/* In the order by time, records wait for the mark of the absent CPUs. */
#define SCAN_BY_TIME_MS 20
/*
 * A reader that has done nothing for this time is starved, in seconds; if that was seen so
 * often, because the whole machine may have stood still.
 */
#define STARVED_SECONDS 2
#define STARVED_LOOKS 5
/* waits of streams_abandon() for a lock, and for poll() in the readers; longer than that */
#define ABANDON_TRIES 30
#define ABANDON_US 10000

/* --- the gatherer ----------------------------------------------------------- */

static void write_batch(struct streams *s, const struct batch *b)
{
	if (b->buffer)
		trace_writer_take(s->writer, b->cpu, b->buffer,
				  b->mark, b->complete);
	else if (b->cpu != TRACE_CPU_NONE)
		trace_writer_data(s->writer, b->cpu, NULL, 0, b->mark,
				  b->complete);
}

static bool is_mark_due(struct streams *s, const struct batch *b)
{
	if (b->cpu != TRACE_CPU_ABSENT && s->unmarked < MARK_BYTES)
		return false;
	s->unmarked = 0;
	return true;
}

static void order_batch(struct streams *s, const struct batch *b)
{
	if (b->cpu == TRACE_CPU_NONE) {
		order_finish(s->order);
		return;
	}
	if (b->buffer) {
		s->unmarked += b->buffer->size;
		order_take(s->order, b->cpu, b->buffer, &s->buffers);
	}
	if (b->complete)
		order_mark(s->order, b->cpu, b->mark);
	order_run(s->order);
	if (is_mark_due(s, b))
		order_flush(s->order);
}

static void *gather(void *arg)
{
	struct streams *s = arg;
	bool last = false;

	while (!last) {
		struct batch b;

		batch_take(&s->queue, &b);
		last = b.cpu == TRACE_CPU_NONE;
		if (s->order)
			order_batch(s, &b);
		else
			write_batch(s, &b);
	}
	trace_writer_end(s->writer);
	return NULL;
}

/* --- the readers ------------------------------------------------------------ */

static int add_stream(struct streams *s, int cpu)
{
	struct watched new = { .since = clock_now() };
	int err;

	array_reserve(s->stream, s->count);
	err = stream_create(s->dir, cpu, s->mark, &s->queue, &s->buffers, &new.stream);
	if (err == -ENODEV)
		return EXIT_DONE; /* the next scan tries again */
	if (err == -EBUSY)
		return msg_error("another recorder is running: cpu%d is being read",
				 cpu);
	if (err)
		return msg_error("cannot read cpu%d: %s", cpu, strerror(-err));
	s->stream[s->count++] = new;
	map_slot(&s->known, cpu + 1ul)->key = cpu + 1ul;
	return EXIT_DONE;
}

static int add_new_stream(const char *name, int cpu, void *arg)
{
	struct streams *s = arg;

	(void)name;
	return map_find(&s->known, cpu + 1ul) ? EXIT_DONE : add_stream(s, cpu);
}

/*
 * All new readers are known before the first one of them starts. So each has its buffer in
 * any case. The CPUs were absent until now.
 */
static int start_new_streams(struct streams *s, int ret)
{
	for (; s->started < s->count; s->started++) {
		int err = stream_start(s->stream[s->started].stream, s->absent_mark);

		if (err && !ret)
			ret = msg_error("cannot start a thread: %s", strerror(-err));
	}
	return ret;
}

/* If the last one is still in the queue, there will be another one later. */
static void put_absent(struct streams *s)
{
	batch_put_mark(&s->queue, &s->absent, TRACE_CPU_ABSENT, s->absent_mark);
}

/* Starts a reader for each CPU that has none. Return: EXIT_*. */
static int scan(struct streams *s)
{
	uint64_t mark;
	int ret;

	if (control_read_u64(s->dir, s->mark, &mark))
		return msg_error("the module was unloaded");
	pthread_mutex_lock(&s->lock);
	ret = cpus_each(s->dir, "cpu", s->cpus, add_new_stream, s);
	ret = start_new_streams(s, ret);
	pthread_mutex_unlock(&s->lock);
	if (!ret && mark != s->absent_mark) {
		s->absent_mark = mark;
		put_absent(s);
	}
	return ret;
}

/* --- the watcher ------------------------------------------------------------ */

static void look_at(struct watched *w, double now)
{
	unsigned int beats;

	if (!stream_beats(w->stream, &beats) || beats != w->beats) {
		w->beats = beats;
		w->still = 0;
		w->since = now;
		w->is_starved = false;
		return;
	}
	w->still++;
	if (w->still < STARVED_LOOKS ||
	    (!w->is_starved && now - w->since < STARVED_SECONDS))
		return;
	w->is_starved = true;
	w->starved += now - w->since;
	w->since = now;
}

static void look_at_readers(struct streams *s)
{
	double now = clock_now();
	size_t i;

	pthread_mutex_lock(&s->lock);
	for (i = 0; i < s->count; i++)
		look_at(&s->stream[i], now);
	pthread_mutex_unlock(&s->lock);
}

/* Waits for the next tick. @stop: set if the watcher must end. Return: EXIT_*. */
static int wait_for_tick(struct streams *s, unsigned int ms, bool *stop)
{
	struct pollfd pfd = { .fd = s->stop_fd, .events = POLLIN };

	if (poll(&pfd, 1, ms) < 0 && errno != EINTR)
		return msg_error("cannot look for new CPUs: %s", strerror(errno));
	*stop = pfd.revents;
	return EXIT_DONE;
}

static void *streams_watch(void *arg)
{
	struct streams *s = arg;
	unsigned int ms = s->order ? SCAN_BY_TIME_MS : SCAN_MS;
	unsigned int tick = 0, second = 1000 / ms;
	bool is_piped = !trace_writer_path(s->writer), stop = false;
	int ret = EXIT_DONE;

	/* in the order by time, the records of all CPUs wait for this thread, too */
	thread_go_first();
	while (!ret && !(ret = wait_for_tick(s, ms, &stop)) && !stop) {
		ret = scan(s);
		/* wake the writer, which then checks its clock; more often for a pipe */
		if (!ret && (tick++ % second == 0 || is_piped))
			put_absent(s);
		look_at_readers(s);
	}
	if (ret)
		__atomic_store_n(&s->scan_failed, true, __ATOMIC_RELAXED);
	return NULL;
}

int streams_start(struct streams *s)
{
	int err;

	if (scan(s))
		return EXIT_FAILED;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0)
		return msg_error("cannot start a thread: %s", strerror(errno));
	err = thread_start(&s->watcher, streams_watch, s);
	s->is_watching = !err;
	return err ? msg_error("cannot start a thread: %s", strerror(-err)) : EXIT_DONE;
}

static void stop_watcher(struct streams *s)
{
	uint64_t one = 1;

	if (!s->is_watching)
		return;
	/* an eventfd has room for far more */
	if (write(s->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(s->watcher, NULL);
	s->is_watching = false;
}

bool streams_failed(struct streams *s)
{
	bool failed = __atomic_load_n(&s->scan_failed, __ATOMIC_RELAXED);
	size_t i;

	pthread_mutex_lock(&s->lock);
	for (i = 0; i < s->count; i++)
		failed = failed || stream_error(s->stream[i].stream);
	pthread_mutex_unlock(&s->lock);
	return failed;
}

void streams_abandon(struct streams *s, int null)
{
	int tries = ABANDON_TRIES;
	size_t i;

	/* this thread may be the watcher, and hold the lock */
	while (s->started && pthread_mutex_trylock(&s->lock) && tries--)
		usleep(ABANDON_US);
	for (i = 0; i < s->started; i++)
		stream_abandon(s->stream[i].stream, null);
	/* the files are closed once no reader is in poll() */
	if (i)
		usleep(ABANDON_TRIES * ABANDON_US);
}

/* Copies element @i, because the watcher may wait for the lock. Return: false: none. */
static bool copy_watched(struct streams *s, size_t i, struct watched *w)
{
	bool exists;

	pthread_mutex_lock(&s->lock);
	exists = i < s->count;
	if (exists)
		*w = s->stream[i];
	pthread_mutex_unlock(&s->lock);
	return exists;
}

char *streams_starved(struct streams *s, size_t *count)
{
	struct memtext text;
	struct watched w;
	FILE *out = NULL;
	size_t i;

	*count = 0;
	for (i = 0; copy_watched(s, i, &w); i++) {
		if (!w.starved || (!out && !(out = memtext_open(&text))))
			continue;
		fprintf(out, " cpu%d (%.1f s)", w.stream->cpu, w.starved);
		(*count)++;
	}
	return out ? memtext_close(&text, NULL) : NULL;
}

/* --- start and end ---------------------------------------------------------- */

/* Open the directory of the file, because its file system has space for the recording. */
static int open_spill_dir(const char *file)
{
	char *path = file ? xstrdup(file) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	int fd;

	if (!path)
		return -1;
	if (slash)
		slash[1] = '\0';
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

static int start_threads(struct streams *s, const struct memory *memory)
{
	struct trace_threads threads = {
		.count = memory->threads,
		.buffers = s->order ? &s->ordered : &s->buffers,
		.stack_callers = memory->stack_callers,
		.spill_dir = s->spill_dir,
	};
	int err = -trace_writer_start(s->writer, &threads);

	if (err)
		return err;
	err = pthread_create(&s->gatherer, NULL, gather, s);
	s->is_gathering = !err;
	if (!err)
		return 0;
	trace_writer_end(s->writer);
	while (!trace_writer_joined(s->writer))
		usleep(1000);
	return err;
}

int streams_init(struct streams *s, const struct memory *memory)
{
	int err;

	s->spill_dir = open_spill_dir(trace_writer_path(s->writer));
	s->stop_fd = -1;
	thread_lock_init(&s->lock);
	map_init(&s->known, false);
	batch_queue_init(&s->queue);
	buffers_init(&s->ordered, memory->buffer,
		     s->order ? memory->buffers / 2 : 0);
	buffers_init(&s->buffers, memory->buffer,
		     memory->buffers - s->ordered.max);
	err = -buffers_start(&s->buffers);
	if (!err)
		err = start_threads(s, memory);
	if (!err)
		return EXIT_DONE;
	streams_exit(s);
	return msg_error("cannot start a thread: %s", strerror(err));
}

void streams_stop(struct streams *s)
{
	size_t i;

	stop_watcher(s);
	/* the CPUs without a reader stay absent: the last records must not wait for them */
	if (s->order)
		batch_put_mark(&s->queue, &s->last_absent, TRACE_CPU_ABSENT, UINT64_MAX);
	for (i = 0; i < s->count; i++)
		stream_stop(s->stream[i].stream);
}

bool streams_stopped(struct streams *s)
{
	for (; s->ended < s->count; s->ended++)
		if (!stream_join(s->stream[s->ended].stream))
			return false;
	if (!s->is_last)
		batch_put_mark(&s->queue, &s->last, TRACE_CPU_NONE, 0);
	s->is_last = true;
	if (s->is_gathering) {
		if (pthread_tryjoin_np(s->gatherer, NULL))
			return false;
		s->is_gathering = false;
	}
	return trace_writer_joined(s->writer);
}

int streams_exit(struct streams *s)
{
	int err, ret = s->scan_failed ? EXIT_FAILED : EXIT_DONE;
	size_t i;

	for (i = 0; i < s->count; i++) {
		int cpu = s->stream[i].stream->cpu;

		err = stream_destroy(s->stream[i].stream);
		if (err)
			ret = msg_error("reading cpu%d failed: %s", cpu,
					strerror(-err));
	}
	s->started = 0;
	free(s->stream);
	map_exit(&s->known);
	batch_queue_exit(&s->queue);
	buffers_exit(&s->buffers);
	buffers_exit(&s->ordered);
	pthread_mutex_destroy(&s->lock);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	if (s->spill_dir >= 0)
		close(s->spill_dir);
	return ret;
}
