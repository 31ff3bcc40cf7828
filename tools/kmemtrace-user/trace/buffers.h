/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers of one size for records, from a pool that bounds their number.
 *
 * A holder is a part of the program that may always have one buffer, whatever the others
 * have taken. For example, records of one CPU wait for those of another CPU: the reader of
 * the other CPU then never waits for the buffers of the first one.
 *
 * A task of a higher real-time priority may keep a holder's thread from running, at any
 * moment and for a long time. It must not keep the other threads from running as well. So
 * this thread takes no lock of the pool, allocates no memory, and does not cause the page
 * faults of a new buffer: each of them may lock the address space of the process. A thread
 * of the pool, the giver, does this for all holders.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/batch.h"

/**
 * struct holder - a part of the program that may always have one buffer
 * @taken: number of its buffers; protected by the lock of the pool
 * @waits: it waits for a buffer; atomic
 * @is_listed: it is in the list @waiting of the pool; protected by its lock
 * @next: the next one in this list, or in the list @asking
 * @given: the buffer that it waited for
 * @granted: @given is set
 */
struct holder {
	size_t taken;
	bool waits;
	bool is_listed;
	struct holder *next;
	struct buffer *given;
	sem_t granted;
};

/**
 * struct buffer - a buffer
 * @next: the next free buffer, or for the use of its owner
 * @holder: the holder that has it; or NULL
 * @batch: for the use of its owner
 * @size: bytes of @data in use
 * @data: records
 */
struct buffer {
	struct buffer *next;
	struct holder *holder;
	struct batch batch;
	size_t size;
	uint8_t data[];
};

/**
 * struct buffers - a pool of buffers
 * @lock: protects the members up to @free
 * @freed: a buffer was put back
 * @room: bytes of data in each buffer
 * @max: number of buffers that may exist
 * @count: number of buffers that exist
 * @taken: number of buffers that are in use
 * @owed: number of holders without a buffer
 * @waiting: holders that wait, the first one first
 * @last: where the next one is linked
 * @free: the other ones, the last used one first
 * @asking: holders for the giver, the last one first; atomic
 * @asked: raised for each of them
 * @giver: the thread
 * @is_giving: @giver was started
 * @stop: @giver must end; atomic
 */
struct buffers {
	pthread_mutex_t lock;
	pthread_cond_t freed;
	size_t room;
	size_t max;
	size_t count;
	size_t taken;
	size_t owed;
	struct holder *waiting;
	struct holder **last;
	struct buffer *free;
	struct holder *asking;
	sem_t asked;
	pthread_t giver;
	bool is_giving;
	bool stop;
};

/** buffers_init() - make a pool of at most @max buffers with @room bytes of data */
void buffers_init(struct buffers *b, size_t room, size_t max);

/**
 * buffers_start() - start the giver; a pool without holders needs none
 * @b: the pool
 *
 * Return: 0 or -errno.
 */
int buffers_start(struct buffers *b);

/** buffers_exit() - end the giver, and free the pool; all buffers are free */
void buffers_exit(struct buffers *b);

/**
 * buffers_get() - take a buffer; waits until one is free
 * @b: the pool
 *
 * Context: any thread.
 * Return: an empty buffer; NULL if memory ran out, and no buffer is in use.
 */
struct buffer *buffers_get(struct buffers *b);

/** buffers_try() - as buffers_get(), but returns NULL instead of waiting */
struct buffer *buffers_try(struct buffers *b);

/** buffers_add_holder() - add a holder, after buffers_start(); any thread */
void buffers_add_holder(struct buffers *b, struct holder *h);

/**
 * buffers_get_held() - take a buffer for a holder
 * @b: the pool
 * @h: the holder
 *
 * Waits for the giver, but for nothing else if the holder has no buffer; there may then be
 * one more buffer than planned if there are more holders than buffers. Otherwise waits until
 * one is free that is not needed for another holder.
 *
 * Context: one thread for each holder; takes no lock.
 * Return: an empty buffer.
 */
struct buffer *buffers_get_held(struct buffers *b, struct holder *h);

/** buffers_holder_waits() - whether a holder waits for a buffer; any thread, takes no lock */
bool buffers_holder_waits(const struct holder *h);

/** buffers_put() - put a buffer back; any thread */
void buffers_put(struct buffers *b, struct buffer *buffer);

/**
 * buffers_max() - number of buffers that may exist
 * @b: the pool
 *
 * It becomes smaller if memory runs out.
 *
 * Context: any thread.
 */
size_t buffers_max(struct buffers *b);

/** buffers_left() - number of buffers that can be taken without waiting; any thread */
size_t buffers_left(struct buffers *b);

#endif /* BUFFERS_H */
