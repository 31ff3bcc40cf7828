/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches: records that were read together, with their place in the order. Many threads put
 * batches into a queue, from which one thread takes them. To put a batch takes no lock and no
 * memory: the thread may lose its CPU at any moment, for as long as a task of a higher
 * real-time priority wants.
 */
#ifndef BATCH_H
#define BATCH_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <urcu/wfcqueue.h>

struct buffer;

/**
 * struct batch - records of one CPU, to be written to the file
 * @node: node in a queue
 * @is_queued: it is in a queue; atomic
 * @buffer: whole records; NULL: none
 * @cpu: CPU of the records; or TRACE_CPU_ABSENT, TRACE_CPU_NONE
 * @complete: every record before @mark is in this batch or an earlier one
 * @mark: place in the order, read before the records: a sequence number, or a time
 */
struct batch {
	struct cds_wfcq_node node;
	bool is_queued;
	struct buffer *buffer;
	uint32_t cpu;
	bool complete;
	uint64_t mark;
};

/**
 * struct batch_queue - batches from many threads to one
 * @head: head of the queue; only the thread that takes batches uses it
 * @tail: tail of the queue
 * @filled: number of batches in the queue
 */
struct batch_queue {
	struct __cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	sem_t filled;
};

/** batch_queue_init() - make an empty queue */
void batch_queue_init(struct batch_queue *q);

/** batch_queue_exit() - undo batch_queue_init(); the queue must be empty */
void batch_queue_exit(struct batch_queue *q);

/**
 * batch_put() - put a batch into a queue
 * @q: the queue
 * @b: the batch, which is in no queue. It must exist until it was taken
 *
 * Context: any thread; never waits.
 */
void batch_put(struct batch_queue *q, struct batch *b);

/**
 * batch_put_mark() - put a batch without records into a queue, complete up to a mark
 * @q: the queue
 * @b: memory for the batch, which must exist until the batch was taken
 * @cpu: CPU of the mark
 * @mark: the mark
 *
 * Context: any thread, one at a time for each batch; never waits.
 * Return: false, without an effect, if @b is still in the queue.
 */
bool batch_put_mark(struct batch_queue *q, struct batch *b, uint32_t cpu, uint64_t mark);

/**
 * batch_take() - wait for a batch and remove it from the queue
 * @q: the queue
 * @to: set to a copy of the batch; the one that was in the queue may be used again
 *
 * Context: one thread only.
 */
void batch_take(struct batch_queue *q, struct batch *to);

#endif /* BATCH_H */
