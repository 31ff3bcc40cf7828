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

#include "control/cpulist.h"
#include "kmt_record.h"
#include "record/stream.h"

/*
 * Two threads may put pieces at the same time. The sem_post() of one thread may wake the
 * reader of the queue, which then takes the piece of the other thread. Only the queue
 * orders the put and the take in this case. It uses assembly, which TSan does not see.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_release(address)
#define __tsan_acquire(address)
#endif

/*
 * poll() reports only full sub-buffers. This is the longest time, in ms, that a record of
 * an idle CPU waits for its read().
 */
#define POLL_MS 100
/* time to sleep if poll() reported records, but there were none, in us */
#define MISLED_US 1000
/* if a read() leaves at least this much room, in bytes, it has read all records */
#define READ_ROOM 4096
/* attempts to move to the CPU, one every 1 ms */
#define MISPLACED_MAX 1000

void piece_queue_init(struct piece_queue *q)
{
	__cds_wfcq_init(&q->head, &q->tail);
	sem_init(&q->filled, 0, 0);
}

void piece_queue_exit(struct piece_queue *q)
{
	sem_destroy(&q->filled);
}

void piece_queue_put(struct piece_queue *q, struct piece *piece)
{
	cds_wfcq_node_init(&piece->node);
	__tsan_release(&piece->node);
	cds_wfcq_enqueue(&q->head, &q->tail, &piece->node);
	sem_post(&q->filled);
}

static struct piece *dequeue(struct piece_queue *q)
{
	struct cds_wfcq_node *node =
		__cds_wfcq_dequeue_blocking(&q->head, &q->tail);

	__tsan_acquire(node);
	return caa_container_of(node, struct piece, node);
}

struct piece *piece_queue_take(struct piece_queue *q)
{
	while (sem_wait(&q->filled))
		; /* interrupted by a signal */
	return dequeue(q);
}

static struct piece *take_if_any(struct piece_queue *q)
{
	return sem_trywait(&q->filled) ? NULL : dequeue(q);
}

const void *piece_data(const struct piece *piece, void *room)
{
	int err;

	if (!piece->spilled)
		return piece->data;
	err = spill_fetch(piece->spilled, room, piece->size, piece->at);
	errno = -err;
	return err ? NULL : room;
}

void piece_release(struct piece *piece)
{
	if (piece->owner)
		piece_queue_put(&piece->owner->free, piece);
	else
		free(piece);
}

/* Return: 0 or -errno. */
static int sample_sequence(int fd, uint32_t *sequence)
{
	char text[16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return n ? -errno : -EIO;
	text[n] = '\0';
	*sequence = strtoul(text, NULL, 10);
	return 0;
}

/* Return: 1 if all records were read; 0 if there may be more; or -errno. */
static int fill(struct stream *s, struct piece *piece)
{
	ssize_t n;
	int err;

	piece->size = 0;
	err = sample_sequence(s->sequence_fd, &piece->mark);
	if (err)
		return err;
	while (PIECE_SIZE - piece->size >= READ_ROOM) {
		size_t room = PIECE_SIZE - piece->size;

		n = read(s->fd, piece->data + piece->size, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EXDEV) {
			/* the CPU went offline and came back */
			if (++s->misplaced > MISPLACED_MAX)
				return -EXDEV;
			cpulist_pin(s->cpu);
			usleep(1000);
			return 0;
		}
		if (n < 0)
			return -errno;
		s->misplaced = 0;
		piece->size += n;
		if ((size_t)n + READ_ROOM <= room || !n)
			return 1;
	}
	return 0;
}

static struct piece *piece_to_fill(struct stream *s)
{
	struct piece *piece = take_if_any(&s->free);

	if (piece)
		return piece;
	return spill_is_possible(&s->spill) ? s->spare :
					      piece_queue_take(&s->free);
}

/*
 * Store the records of a piece in the temporary file. Return: a small piece for the
 * queue, which refers to these records; NULL on failure.
 */
static struct piece *put_aside(struct stream *s, const struct piece *piece)
{
	struct piece *small = malloc(sizeof(*small));
	uint64_t at = 0;

	if (!small || (piece->size &&
		       spill_put(&s->spill, piece->data, piece->size, &at))) {
		free(small);
		return NULL;
	}
	*small = (struct piece){
		.spilled = piece->size ? &s->spill : NULL,
		.at = at,
		.cpu = piece->cpu,
		.size = piece->size,
		.mark = piece->mark,
		.complete = piece->complete,
		.events = piece->events,
	};
	return small;
}

static void hand_over(struct stream *s, struct piece *piece)
{
	struct piece *small = NULL;

	if (piece == s->spare) {
		small = put_aside(s, piece);
		if (!small)
			s->spare = piece_queue_take(&s->free);
	}
	piece_queue_put(s->out, small ? small : piece);
}

/* Read all records. Return: 1 if there were any; 0 if there were none; or -errno. */
static int drain(struct stream *s, uint32_t *last_mark)
{
	int ret = 0;
	bool any = false;

	while (!ret) {
		struct piece *piece = piece_to_fill(s);

		ret = fill(s, piece);
		piece->complete = ret > 0;
		piece->events = kmt_record_count(piece->data, piece->size);
		any |= piece->size > 0;
		if (piece->size ||
		    (piece->complete && piece->mark != *last_mark)) {
			*last_mark = piece->mark;
			hand_over(s, piece);
		} else if (piece != s->spare) {
			piece_release(piece);
		}
	}
	return ret < 0 ? ret : any;
}

/* Get a real-time priority; if this is not allowed, the highest normal priority. */
static void go_first(void)
{
	struct sched_param lowest = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &lowest))
		setpriority(PRIO_PROCESS, 0, -20);
}

static void *read_stream(void *arg)
{
	struct stream *s = arg;
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };
	uint32_t last_mark = 0;
	bool stop;
	int ret = 1;

	/* fails while the CPU is offline; its records can then be read on any CPU */
	cpulist_pin(s->cpu);
	go_first();
	do {
		stop = __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
		/* if poll() is wrong each time, this thread must not block the CPU */
		if (!stop && poll(&pfd, 1, POLL_MS) && !ret)
			usleep(MISLED_US);
		ret = drain(s, &last_mark);
	} while (!stop && ret >= 0);
	if (ret < 0)
		__atomic_store_n(&s->err, ret, __ATOMIC_RELAXED);
	return NULL;
}

static void free_pieces(struct stream *s)
{
	struct piece *piece;

	while ((piece = take_if_any(&s->free)))
		free(piece);
	piece_queue_exit(&s->free);
	free(s->spare);
	spill_exit(&s->spill);
}

static struct piece *new_piece(struct stream *s)
{
	struct piece *piece = calloc(1, sizeof(*piece) + PIECE_SIZE);

	if (piece) {
		piece->owner = s;
		piece->cpu = s->cpu;
	}
	return piece;
}

static int make_pieces(struct stream *s)
{
	struct piece *piece;
	int i;

	s->spare = new_piece(s);
	if (!s->spare)
		return -ENOMEM;
	for (i = 0; i < PIECES_PER_CPU; i++) {
		piece = new_piece(s);
		if (!piece)
			return -ENOMEM;
		piece_queue_put(&s->free, piece);
	}
	return 0;
}

static int open_files(struct stream *s, int dir)
{
	char name[32];

	snprintf(name, sizeof(name), "cpu%d", s->cpu);
	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	s->sequence_fd = openat(dir, "sequence", O_RDONLY | O_CLOEXEC);
	if (s->sequence_fd < 0) {
		int err = -errno;

		close(s->fd);
		return err;
	}
	return 0;
}

int stream_create(int dir, int cpu, struct piece_queue *out, int spill_dir,
		  struct stream **ret)
{
	struct stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->cpu = cpu;
	s->out = out;
	piece_queue_init(&s->free);
	spill_init(&s->spill, spill_dir);
	err = make_pieces(s);
	if (err)
		goto free_stream;
	err = open_files(s, dir);
	if (err)
		goto free_stream;
	*ret = s;
	return 0;

free_stream:
	free_pieces(s);
	free(s);
	return err;
}

int stream_start(struct stream *s)
{
	sigset_t all, old;
	int err;

	/* signals are for the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&s->thread, NULL, read_stream, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

void stream_stop(struct stream *s)
{
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
}

bool stream_join(struct stream *s)
{
	return !pthread_tryjoin_np(s->thread, NULL);
}

int stream_error(const struct stream *s)
{
	return __atomic_load_n(&s->err, __ATOMIC_RELAXED);
}

int stream_destroy(struct stream *s)
{
	int err = s->err;

	close(s->sequence_fd);
	close(s->fd);
	free_pieces(s);
	free(s);
	return err;
}
