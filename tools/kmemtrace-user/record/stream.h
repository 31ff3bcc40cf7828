/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading one CPU's records: a thread on that CPU fills pieces and hands them
 * over a wait-free queue to whoever writes the file.
 *
 * The thread goes before all others that have no real-time priority: as long as
 * it runs, nothing else there makes records. If all its pieces are still on their
 * way to the file, it does not wait, but puts records aside (spill.h): so a CPU
 * makes no more than it also gets rid of, whatever the writer is busy with.
 */
#ifndef STREAM_H
#define STREAM_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <urcu/wfcqueue.h>

#include "record/spill.h"

#define PIECE_SIZE     (256 * 1024)
#define PIECES_PER_CPU 4

struct stream;

/**
 * struct piece - some records of one CPU, on their way to the file
 * @node: in a queue
 * @owner: where it goes back to; NULL: it is freed
 * @spilled: where the records were put aside; NULL: they are in @data
 * @at: ... and at what place there
 * @cpu: whose records
 * @size: bytes of @data
 * @mark: sequence number sampled before the read
 * @complete: every record before @mark is in this piece or an earlier one
 * @events: records in it
 * @data: whole records
 */
struct piece {
	struct cds_wfcq_node node;
	struct stream *owner;
	struct spill *spilled;
	uint64_t at;
	uint32_t cpu;
	uint32_t size;
	uint32_t mark;
	bool complete;
	uint64_t events;
	uint8_t data[];
};

/**
 * struct piece_queue - pieces from many threads to one
 * @head: of the queue; only the one thread that takes uses it
 * @tail: of the queue
 * @filled: pieces in the queue
 */
struct piece_queue {
	struct __cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	sem_t filled;
};

/** piece_queue_init() - make an empty queue */
void piece_queue_init(struct piece_queue *q);

/** piece_queue_exit() - undo piece_queue_init(); the queue is empty */
void piece_queue_exit(struct piece_queue *q);

/** piece_queue_put() - add a piece; any thread, never waits */
void piece_queue_put(struct piece_queue *q, struct piece *piece);

/** piece_queue_take() - wait for a piece; one thread only */
struct piece *piece_queue_take(struct piece_queue *q);

/**
 * piece_data() - the records of a piece
 * @piece: the piece, with a size
 * @room: for PIECE_SIZE bytes
 *
 * Return: where they are; NULL with errno set if they were put aside and cannot
 * be fetched.
 */
const void *piece_data(const struct piece *piece, void *room);

/** piece_release() - give a piece back to where it came from */
void piece_release(struct piece *piece);

/**
 * struct stream - the thread that reads one CPU
 * @cpu: which
 * @fd: its file cpu<n>
 * @sequence_fd: the file sequence
 * @out: where pieces go
 * @free: pieces to fill
 * @spare: to fill when none is free
 * @spill: where that is put aside then
 * @thread: the thread
 * @stop: finish once nothing is left to read
 * @misplaced: tries in a row to get onto the CPU that failed
 * @err: what ended it, 0 or -errno; atomic
 */
struct stream {
	int cpu;
	int fd;
	int sequence_fd;
	struct piece_queue *out;
	struct piece_queue free;
	struct piece *spare;
	struct spill spill;
	pthread_t thread;
	bool stop;
	unsigned int misplaced;
	int err;
};

/**
 * stream_create() - open a CPU's file
 * @dir: the module's directory
 * @cpu: which CPU
 * @out: where pieces go
 * @spill_dir: an open directory, to put aside what cannot be written at once; -1:
 *	it has to wait
 * @ret: set to the stream
 *
 * Return: 0; -EBUSY if somebody else reads it; -ENODEV if the CPU is only coming
 * up, or has been offline since before the buffers got another size; -errno.
 */
int stream_create(int dir, int cpu, struct piece_queue *out, int spill_dir,
		  struct stream **ret);

/**
 * stream_start() - start to read
 * @s: the stream
 *
 * Return: 0 or -errno; then stream_destroy() is all that is left to do.
 */
int stream_start(struct stream *s);

/**
 * stream_stop() - tell the thread to read what is left and to end
 * @s: the stream
 *
 * Recording must be off, else there is always more.
 */
void stream_stop(struct stream *s);

/**
 * stream_destroy() - free
 * @s: the stream, joined; all its pieces have been released
 *
 * Return: 0 or the -errno that ended the thread early.
 */
int stream_destroy(struct stream *s);

/**
 * stream_join() - see whether the thread has ended
 * @s: the stream, stopped
 *
 * Return: whether it has; then it is not to be asked again.
 */
bool stream_join(struct stream *s);

/**
 * stream_error() - what ended the thread early
 * @s: the stream
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int stream_error(const struct stream *s);

#endif /* STREAM_H */
