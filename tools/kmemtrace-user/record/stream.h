/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading of one CPU's records. A thread on that CPU fills buffers. It passes them to the
 * writer of the file through a wait-free queue.
 *
 * The thread gets a real-time priority. While it runs, threads without a real-time
 * priority make no records on this CPU. It waits for nothing but a free buffer. A CPU
 * therefore makes records only as fast as its thread reads them, until all buffers are in
 * use. Then the CPU's buffer in the kernel fills up, and at last the kernel counts losses.
 */
#ifndef STREAM_H
#define STREAM_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/buffers.h"

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

/**
 * stream_create() - open a CPU's file
 * @dir: the module's directory
 * @cpu: number of the CPU
 * @mark: name of the file with the present place in the order: ORDERING_BY_*
 * @out: queue for filled buffers
 * @buffers: pool of buffers to fill, at least 8 KiB each
 * @ret: set to the stream
 *
 * Return: 0; -EBUSY if another process reads the file; -ENODEV if the CPU is just coming
 * online, or went offline before the buffers were resized; another -errno.
 */
int stream_create(int dir, int cpu, const char *mark, struct batch_queue *out,
		  struct buffers *buffers, struct stream **ret);

/**
 * stream_start() - start to read
 * @s: the stream
 * @mark: the CPU has no record before this place in the order
 *
 * The queue gets this mark first, even if the thread cannot be started.
 *
 * Return: 0 or -errno. After a failure, only stream_join() and stream_destroy() may be called.
 */
int stream_start(struct stream *s, uint64_t mark);

/**
 * stream_stop() - let the thread read the remaining records, and end
 * @s: the stream
 *
 * Context: recording is off, because otherwise the thread might never end.
 */
void stream_stop(struct stream *s);

/** stream_abandon() - close the files while the thread runs; it then reads from @null */
void stream_abandon(const struct stream *s, int null);

/**
 * stream_destroy() - free a stream
 * @s: the stream; its thread has ended, and the queue has nothing of it
 *
 * Return: 0 or the -errno that ended the thread early.
 */
int stream_destroy(struct stream *s);

/**
 * stream_join() - join the thread if it has ended, without waiting
 * @s: the stream, after stream_stop()
 *
 * Otherwise moves the thread to the CPU of the caller: its own CPU may not execute it,
 * because a task of a higher real-time priority uses all of that CPU.
 *
 * Return: true if the thread has ended.
 */
bool stream_join(struct stream *s);

/**
 * stream_beats() - get a number that changes while the thread reads
 * @s: the stream
 * @beats: set to the number. It changes at least every 100 ms, unless the CPU does not
 *	execute the thread
 *
 * Context: any thread.
 * Return: false if the thread has a reason not to read: it waits for a buffer, or has ended.
 */
bool stream_beats(const struct stream *s, unsigned int *beats);

/**
 * stream_error() - get the error that ended the thread early
 * @s: the stream
 *
 * Context: any thread.
 * Return: 0 or -errno.
 */
int stream_error(const struct stream *s);

#endif /* STREAM_H */
