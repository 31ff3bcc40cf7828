/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading of all CPUs into a file. There are these kinds of threads: The readers
 * fill buffers. The gatherer takes the buffers from one queue, and divides the
 * records into chunks. The threads of the writer (packers.h) pack and write the chunks.
 * The watcher looks for CPUs that come online, and for readers that do not run. The caller
 * switches recording on and off. No thread waits for the caller, which may print to a
 * terminal that is stopped.
 *
 * The guarantees of the file format (trace_format.h) depend on the order of batches in the
 * queue. A CPU is "absent" until its first batch. A scan for new CPUs first reads the
 * sequence number. Then it puts a batch for each new CPU into the queue. At last it puts
 * a batch for all absent CPUs: they have no record before that number.
 *
 * If the module orders events by time, times take the place of the numbers in batches. The
 * gatherer then puts the records into order, and numbers them (ordering.h). The readers
 * and the writer have pools of their own, so that neither waits for the other.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "record/memory.h"
#include "record/ordering.h"
#include "trace/buffers.h"
#include "trace/writer.h"

/*
 * Reading of one CPU's records. A thread on that CPU fills buffers. It passes them to the
 * writer of the file through a wait-free queue.
 *
 * The thread gets a real-time priority. While it runs, threads without a real-time
 * priority make no records on this CPU. It waits for nothing but a free buffer. A CPU
 * therefore makes records only as fast as its thread reads them, until all buffers are in
 * use. Then the CPU's buffer in the kernel fills up, and at last the kernel counts losses.
 */

/**
 * struct watched - a reader, and what the watcher knows of it
 * @stream: the reader
 * @beats: the last number from stream_beats()
 * @still: number of times in a row that @beats was the same
 * @since: clock_now() when @beats changed, or when @starved was last increased
 * @is_starved: it has not changed for a long time
 * @starved: time in which the reader did not run, in seconds
 */
struct watched {
	struct stream *stream;
	unsigned int beats;
	unsigned int still;
	double since;
	bool is_starved;
	double starved;
};

/**
 * struct streams - the readers of all CPUs
 * @dir: descriptor from control_open()
 * @cpus: list of the CPUs to read; NULL: all
 * @writer: writer of the file
 * @mark: name of the file with the present place in the order: ORDERING_BY_*
 * @absent_mark: mark of the CPUs without a reader; then used by the watcher
 * @order: puts records into order; used by the gatherer; NULL: they are ordered
 * @unmarked: with @order: bytes of records since all CPUs got a mark
 * @queue: batches from the readers to the gatherer
 * @buffers: pool of the buffers of the readers
 * @ordered: with @order: pool of the buffers of the writer; else that is @buffers
 * @gatherer: the thread
 * @is_gathering: @gatherer has been started, and not joined
 * @spill_dir: descriptor of the directory for the temporary file; or -1
 * @watcher: the thread
 * @is_watching: @watcher has been started, and not joined
 * @stop_fd: eventfd that ends @watcher; -1: none
 * @absent: a batch of the CPUs without a reader
 * @last_absent: the last one of these
 * @last: the last batch of all
 * @is_last: @last was put into the queue
 * @scan_failed: @watcher has ended because of an error; atomic
 * @lock: protects @stream and @count until @watcher has ended
 * @stream: the readers
 * @known: the numbers of their CPUs, plus 1; used by scans
 * @count: number of readers
 * @started: number of readers that were started; the others exist during a scan only
 * @ended: number of readers whose threads have ended, at the end
 */
struct streams {
	int dir;
	const char *cpus;
	struct trace_writer *writer;
	const char *mark;
	uint64_t absent_mark;
	struct order *order;
	size_t unmarked;
	struct batch_queue queue;
	struct buffers buffers;
	struct buffers ordered;
	pthread_t gatherer;
	bool is_gathering;
	int spill_dir;
	pthread_t watcher;
	bool is_watching;
	int stop_fd;
	struct batch absent;
	struct batch last_absent;
	struct batch last;
	bool is_last;
	bool scan_failed;
	pthread_mutex_t lock;
	struct watched *stream;
	struct map known;
	size_t count;
	size_t started;
	size_t ended;
};

/**
 * streams_init() - start the threads, but no reader
 * @s: @dir, @cpus, @writer, @mark, @absent_mark and @order are set, the rest is zero
 * @memory: memory to use
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int streams_init(struct streams *s, const struct memory *memory);

/**
 * streams_start() - start a reader for each CPU, now and when a CPU comes online
 * @s: the readers, after streams_init()
 *
 * Prints a message on failure. The caller calls streams_stop() in any case.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int streams_start(struct streams *s);

/** streams_failed() - whether a thread has ended because of an error */
bool streams_failed(struct streams *s);

/**
 * streams_starved() - get the CPUs whose readers did not run for some seconds
 * @s: the readers
 * @count: set to the number of these CPUs
 *
 * Return: for example " cpu3 (4.2 s)"; the caller frees it. NULL if there are none.
 */
char *streams_starved(struct streams *s, size_t *count);

/** streams_stop() - let the readers read what is left, and end; recording is off */
void streams_stop(struct streams *s);

/**
 * streams_stopped() - whether all is in the file, after streams_stop()
 * @s: the readers
 *
 * Does not wait. Once it has returned true, only streams_exit() may be called.
 */
bool streams_stopped(struct streams *s);

/**
 * streams_abandon() - close the CPUs' files, because the tool ends at once
 * @s: the streams, also before streams_init() or after streams_exit()
 * @null: descriptor of /dev/null
 *
 * Recording is off. The module then replaces its buffers.
 *
 * Context: any thread.
 */
void streams_abandon(struct streams *s, int null);

/**
 * streams_exit() - free the readers
 * @s: the readers
 *
 * Prints a message for each reader that has failed.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int streams_exit(struct streams *s);

#endif /* STREAMS_H */
