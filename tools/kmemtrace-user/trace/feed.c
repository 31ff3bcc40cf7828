// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread fills the slots in order and hands them over. The caller gives them back.
 * Waking a thread may take as long as filling a slot. So a thread that has to wait waits
 * for half of the slots.
 */
#include <pthread.h>
#include <stdlib.h>

#include "trace/feed.h"

/**
 * struct feed - a thread that fills slots
 * @fill: fills one slot
 * @arg: argument of @fill
 * @slots: number of slots
 * @thread: the thread
 * @lock: protects @filled, @stop and @done
 * @freed: condition: half of the slots are free, or @stop is set
 * @given: condition: half of the slots are filled, or @done is set
 * @filled: number of slots that are filled and not given back
 * @stop: the thread must end before the last item
 * @done: the thread has handed over the last item
 * @at: number of the next slot for the caller; only used by the caller
 * @holds: the caller uses a slot; only used by the caller
 */
struct feed {
	feed_fill fill;
	void *arg;
	unsigned int slots;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	pthread_cond_t given;
	unsigned int filled;
	bool stop;
	bool done;
	unsigned int at;
	bool holds;
};

/* Return: true if there is a slot to fill; false if the thread must end. */
static bool wait_for_free(struct feed *f)
{
	bool stop;

	pthread_mutex_lock(&f->lock);
	if (f->filled == f->slots)
		while (f->filled > f->slots / 2 && !f->stop)
			pthread_cond_wait(&f->freed, &f->lock);
	stop = f->stop;
	pthread_mutex_unlock(&f->lock);
	return !stop;
}

static void hand_over(struct feed *f, bool any)
{
	pthread_mutex_lock(&f->lock);
	f->filled += any;
	f->done = !any;
	if (f->filled >= f->slots / 2 || f->done)
		pthread_cond_signal(&f->given);
	pthread_mutex_unlock(&f->lock);
}

static void *run(void *arg)
{
	struct feed *f = arg;
	unsigned int at = 0;
	bool any = true;

	while (any && wait_for_free(f)) {
		any = f->fill(f->arg, at++ % f->slots);
		hand_over(f, any);
	}
	return NULL;
}

static void destroy(struct feed *f)
{
	pthread_cond_destroy(&f->freed);
	pthread_cond_destroy(&f->given);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct feed *feed_start(feed_fill fill, void *arg, unsigned int slots)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fill = fill;
	f->arg = arg;
	f->slots = slots;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->freed, NULL);
	pthread_cond_init(&f->given, NULL);
	if (!pthread_create(&f->thread, NULL, run, f))
		return f;
	destroy(f);
	return NULL;
}

int feed_next(struct feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->filled -= f->holds;
	if (f->filled <= f->slots / 2)
		pthread_cond_signal(&f->freed);
	if (!f->filled)
		while (f->filled < f->slots / 2 && !f->done)
			pthread_cond_wait(&f->given, &f->lock);
	f->holds = f->filled;
	pthread_mutex_unlock(&f->lock);
	return f->holds ? (int)(f->at++ % f->slots) : -1;
}

void feed_stop(struct feed *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->freed);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	destroy(f);
}
