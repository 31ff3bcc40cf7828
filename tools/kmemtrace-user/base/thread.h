/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/**
 * thread_start() - start a thread that gets no signals: they are for the main thread
 * @thread: set to the thread
 * @run: what it runs
 * @arg: passed to @run
 *
 * Return: 0 or -errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/**
 * thread_lock_init() - initialise a lock that threads with a real-time priority take
 * @lock: the lock
 *
 * A thread that holds the lock inherits the priority of a thread that waits for it.
 */
void thread_lock_init(pthread_mutex_t *lock);

/**
 * thread_go_first() - get the lowest real-time priority for the calling thread
 *
 * If this is not allowed, it gets the highest normal priority.
 */
void thread_go_first(void);

#endif /* THREAD_H */
