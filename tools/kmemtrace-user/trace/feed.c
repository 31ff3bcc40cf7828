// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread fills the slots in order and hands them over. The readers give them back; a
 * slot is free when the last reader has. Waking a thread may take as long as filling a
 * slot. So a thread that has to wait waits for half of the slots.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/die.h"
#include "trace/feed.h"

/**
 * struct reader - what one reader has got so far
 * @given: condition: half of the slots wait for it, or @done is set
 * @taken: number of items it got and gave back
 * @holds: it uses the next item
 * @ended: it has learned that there are no more items
 */
struct reader {
	pthread_cond_t given;
	uint64_t taken;
	bool holds;
	bool ended;
};

/**
 * struct feed - a thread that fills slots
 * @fill: fills one slot
 * @arg: argument of @fill
 * @slots: number of slots
 * @thread: the thread
 * @lock: protects all that follows
 * @freed: condition: half of the slots are free, or @stop is set
 * @left: condition: another reader than 0 has ended
 * @made: number of items that were made
 * @stop: the thread must end before the last item
 * @done: the thread has handed over the last item
 * @readers: number of readers
 * @reader: the readers
 */
struct feed {
	feed_fill fill;
	void *arg;
	unsigned int slots;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	pthread_cond_t left;
	uint64_t made;
	bool stop;
	bool done;
	unsigned int readers;
	struct reader reader[FEED_READERS];
};

/* Return: number of slots that readers use, or have yet to use. */
static uint64_t in_use(const struct feed *f)
{
	uint64_t taken = f->made;
	unsigned int i;

	for (i = 0; i < f->readers; i++)
		if (f->reader[i].taken < taken)
			taken = f->reader[i].taken;
	return f->made - taken;
}

/* Return: true if there is a slot to fill; false if the thread must end. */
static bool wait_for_free(struct feed *f)
{
	bool stop;

	pthread_mutex_lock(&f->lock);
	if (in_use(f) == f->slots)
		while (in_use(f) > f->slots / 2 && !f->stop)
			pthread_cond_wait(&f->freed, &f->lock);
	stop = f->stop;
	pthread_mutex_unlock(&f->lock);
	return !stop;
}

static void hand_over(struct feed *f, bool any)
{
	unsigned int i;

	pthread_mutex_lock(&f->lock);
	f->made += any;
	f->done = !any;
	for (i = 0; i < f->readers; i++)
		if (f->made - f->reader[i].taken >= f->slots / 2 || f->done)
			pthread_cond_signal(&f->reader[i].given);
	pthread_mutex_unlock(&f->lock);
}

static void *feed_run(void *arg)
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
	unsigned int i;

	for (i = 0; i < f->readers; i++)
		pthread_cond_destroy(&f->reader[i].given);
	pthread_cond_destroy(&f->left);
	pthread_cond_destroy(&f->freed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct feed *feed_start(feed_fill fill, void *arg, unsigned int slots,
			unsigned int readers)
{
	struct feed *f = xcalloc(1, sizeof(*f));
	unsigned int i;

	f->fill = fill;
	f->arg = arg;
	f->slots = slots;
	f->readers = readers;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->freed, NULL);
	pthread_cond_init(&f->left, NULL);
	for (i = 0; i < readers; i++)
		pthread_cond_init(&f->reader[i].given, NULL);
	if (!pthread_create(&f->thread, NULL, feed_run, f))
		return f;
	destroy(f);
	return NULL;
}

static void give_back(struct feed *f, struct reader *r)
{
	if (!r->holds)
		return;
	r->holds = false;
	r->taken++;
	if (in_use(f) <= f->slots / 2)
		pthread_cond_signal(&f->freed);
}

/* Return: whether there is an item for the reader. */
static bool wait_for_item(struct feed *f, struct reader *r)
{
	if (r->taken == f->made)
		while (f->made - r->taken < f->slots / 2 && !f->done)
			pthread_cond_wait(&r->given, &f->lock);
	return r->taken < f->made;
}

static void wait_for_readers(struct feed *f)
{
	unsigned int i;

	for (i = 1; i < f->readers; i++)
		while (!f->reader[i].ended)
			pthread_cond_wait(&f->left, &f->lock);
}

int feed_next(struct feed *f, unsigned int reader)
{
	struct reader *r = &f->reader[reader];
	int slot = -1;

	pthread_mutex_lock(&f->lock);
	give_back(f, r);
	r->holds = wait_for_item(f, r);
	r->ended = !r->holds;
	if (r->holds)
		slot = r->taken % f->slots;
	else if (!reader)
		wait_for_readers(f);
	else
		pthread_cond_signal(&f->left);
	pthread_mutex_unlock(&f->lock);
	return slot;
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
