/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading of one CPU's records. A thread on that CPU fills pieces. It passes them to the
 * writer of the file through a wait-free queue.
 *
 * The thread gets a real-time priority. While it runs, threads without a real-time
 * priority make no records on this CPU. If the writer still has all pieces of the
 * thread, the thread does not wait, but stores records in a temporary file (spill.h). A
 * CPU therefore makes records only as fast as its thread reads them, even if the writer
 * is slow.
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
 * struct piece - a buffer of records of one CPU, to be written to the file
 * @node: node in a queue
 * @owner: stream that piece_release() returns the piece to; NULL: free it
 * @spilled: file that the records were stored in; NULL: they are in @data
 * @at: offset of the records in @spilled
 * @cpu: CPU of the records; or TRACE_CPU_ABSENT, TRACE_CPU_NONE
 * @size: bytes of the records
 * @mark: sequence number, read before the records
 * @complete: every record before @mark is in this piece or an earlier one
 * @events: number of records
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
 * @head: head of the queue; only the thread that takes pieces uses it
 * @tail: tail of the queue
 * @filled: number of pieces in the queue
 */
struct piece_queue {
	struct __cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	sem_t filled;
};

/** piece_queue_init() - make an empty queue */
void piece_queue_init(struct piece_queue *q);

/** piece_queue_exit() - undo piece_queue_init(); the queue must be empty */
void piece_queue_exit(struct piece_queue *q);

/** piece_queue_put() - add a piece; any thread, never waits */
void piece_queue_put(struct piece_queue *q, struct piece *piece);

/** piece_queue_take() - wait for a piece and remove it; one thread only */
struct piece *piece_queue_take(struct piece_queue *q);

/**
 * piece_data() - get the records of a piece
 * @piece: the piece
 * @room: buffer of PIECE_SIZE bytes, for records in a temporary file
 *
 * Return: the records; NULL with errno set if they cannot be read from the temporary
 * file.
 */
const void *piece_data(const struct piece *piece, void *room);

/** piece_release() - return a piece to its stream, or free it */
void piece_release(struct piece *piece);

/**
 * struct stream - the thread that reads one CPU
 * @cpu: number of the CPU
 * @fd: descriptor of the CPU's file cpu<n>
 * @sequence_fd: descriptor of the file sequence
 * @out: queue for filled pieces
 * @free: queue of pieces to fill
 * @spare: piece to fill when @free is empty
 * @spill: temporary file for the records of @spare
 * @thread: the thread
 * @stop: the thread ends when no record is left; atomic
 * @misplaced: number of failed attempts in a row to move to the CPU
 * @err: 0, or the -errno that ended the thread early; atomic
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
 * @cpu: number of the CPU
 * @out: queue for filled pieces
 * @spill_dir: descriptor of the directory for the temporary file; -1: no such file, the
 *	thread waits for the writer
 * @ret: set to the stream
 *
 * Return: 0; -EBUSY if another process reads the file; -ENODEV if the CPU is just coming
 * online, or went offline before the buffers were resized; another -errno.
 */
int stream_create(int dir, int cpu, struct piece_queue *out, int spill_dir,
		  struct stream **ret);

/**
 * stream_start() - start to read
 * @s: the stream
 *
 * Return: 0 or -errno. After a failure, the caller may only call stream_destroy().
 */
int stream_start(struct stream *s);

/**
 * stream_stop() - let the thread read the remaining records, and end
 * @s: the stream
 *
 * Context: recording is off, because otherwise the thread might never end.
 */
void stream_stop(struct stream *s);

/**
 * stream_destroy() - free a stream
 * @s: the stream; its thread has ended, and all its pieces have been released
 *
 * Return: 0 or the -errno that ended the thread early.
 */
int stream_destroy(struct stream *s);

/**
 * stream_join() - join the thread if it has ended, without waiting
 * @s: the stream, after stream_stop()
 *
 * Return: true if the thread has ended. The function must not be called again then.
 */
bool stream_join(struct stream *s);

/**
 * stream_error() - get the error that ended the thread early
 * @s: the stream
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int stream_error(const struct stream *s);

#endif /* STREAM_H */
