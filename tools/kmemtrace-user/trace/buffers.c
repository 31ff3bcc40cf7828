// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "trace/buffers.h"

void buffers_init(struct buffers *b, size_t room, size_t max)
{
	*b = (struct buffers){ .room = room, .max = max };
	b->last = &b->waiting;
	thread_lock_init(&b->lock);
	pthread_cond_init(&b->freed, NULL);
	sem_init(&b->asked, 0, 0);
}

static void stop_giver(struct buffers *b)
{
	if (!b->is_giving)
		return;
	__atomic_store_n(&b->stop, true, __ATOMIC_RELAXED);
	sem_post(&b->asked);
	pthread_join(b->giver, NULL);
}

void buffers_exit(struct buffers *b)
{
	struct buffer *buffer;

	stop_giver(b);
	while ((buffer = b->free)) {
		b->free = buffer->next;
		free(buffer);
	}
	sem_destroy(&b->asked);
	pthread_cond_destroy(&b->freed);
	pthread_mutex_destroy(&b->lock);
}

/* All page faults are taken here, and not by a thread of a holder. */
static struct buffer *new_buffer(size_t room)
{
	struct buffer *buffer = malloc(sizeof(*buffer) + room);

	if (buffer)
		memset(buffer, 0, sizeof(*buffer) + room);
	return buffer;
}

/* Return: a free or a new buffer; NULL if there is none. @max: buffers that may exist */
static struct buffer *buffers_take(struct buffers *b, size_t max)
{
	struct buffer *buffer = b->free;

	if (buffer) {
		b->free = buffer->next;
		return buffer;
	}
	if (b->count >= max)
		return NULL;
	buffer = new_buffer(b->room);
	if (buffer)
		b->count++;
	else
		b->max = b->count;
	return buffer;
}

static struct buffer *use(struct buffers *b, struct buffer *buffer, struct holder *h)
{
	if (!buffer)
		return NULL;
	b->taken++;
	if (h && !h->taken++)
		b->owed--;
	buffer->next = NULL;
	buffer->holder = h;
	buffer->size = 0;
	return buffer;
}

struct buffer *buffers_get(struct buffers *b)
{
	struct buffer *buffer;

	pthread_mutex_lock(&b->lock);
	while (!(buffer = buffers_take(b, b->max)) && b->taken)
		pthread_cond_wait(&b->freed, &b->lock);
	use(b, buffer, NULL);
	pthread_mutex_unlock(&b->lock);
	return buffer;
}

struct buffer *buffers_try(struct buffers *b)
{
	struct buffer *buffer;

	pthread_mutex_lock(&b->lock);
	buffer = use(b, buffers_take(b, b->max), NULL);
	pthread_mutex_unlock(&b->lock);
	return buffer;
}

void buffers_add_holder(struct buffers *b, struct holder *h)
{
	*h = (struct holder){ 0 };
	sem_init(&h->granted, 0, 0);
	pthread_mutex_lock(&b->lock);
	b->owed++;
	pthread_mutex_unlock(&b->lock);
}

static bool has_room(const struct buffers *b)
{
	return b->taken + b->owed < b->max;
}

static void list(struct buffers *b, struct holder *h)
{
	h->is_listed = true;
	h->next = NULL;
	*b->last = h;
	b->last = &h->next;
}

static void unlist(struct buffers *b, struct holder *h)
{
	struct holder **at = &b->waiting;

	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	if (!h->next)
		b->last = at;
	h->is_listed = false;
}

/* Give a buffer; or if memory ran out, let the holder wait for one of its own. */
static void give(struct buffers *b, struct holder *h)
{
	struct buffer *buffer = buffers_take(b, b->count + 1);

	if (!buffer && h->taken) {
		list(b, h);
		return;
	}
	h->given = use(b, buffer, h);
	__atomic_store_n(&h->waits, false, __ATOMIC_RELAXED);
	sem_post(&h->granted);
}

static void wake(struct buffers *b, struct holder *h)
{
	unlist(b, h);
	give(b, h);
}

static void wake_first(struct buffers *b)
{
	if (b->waiting && has_room(b))
		wake(b, b->waiting);
}

/* --- holders, and the giver -------------------------------------------------- */

/* Any thread; never waits. Only the giver removes holders, all of them at once. */
static void ask(struct buffers *b, struct holder *h)
{
	h->next = __atomic_load_n(&b->asking, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&b->asking, &h->next, h, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	sem_post(&b->asked);
}

static void answer(struct buffers *b, struct holder *h)
{
	pthread_mutex_lock(&b->lock);
	if (h->taken && !has_room(b))
		list(b, h);
	else
		give(b, h);
	pthread_mutex_unlock(&b->lock);
}

static void *run_giver(void *arg)
{
	struct buffers *b = arg;

	/* the holders, which have this priority, wait for it */
	thread_go_first();
	while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
		struct holder *h, *next;

		while (sem_wait(&b->asked))
			; /* interrupted by a signal */
		h = __atomic_exchange_n(&b->asking, NULL, __ATOMIC_ACQUIRE);
		for (; h; h = next) {
			next = h->next;
			answer(b, h);
		}
	}
	return NULL;
}

int buffers_start(struct buffers *b)
{
	int err = thread_start(&b->giver, run_giver, b);

	b->is_giving = !err;
	return err;
}

struct buffer *buffers_get_held(struct buffers *b, struct holder *h)
{
	__atomic_store_n(&h->waits, true, __ATOMIC_RELAXED);
	ask(b, h);
	while (sem_wait(&h->granted))
		; /* interrupted by a signal */
	return h->given;
}

bool buffers_holder_waits(const struct holder *h)
{
	return __atomic_load_n(&h->waits, __ATOMIC_RELAXED);
}

static void end_holding(struct buffers *b, struct holder *h)
{
	if (--h->taken)
		return;
	b->owed++;
	if (h->is_listed)
		wake(b, h);
}

void buffers_put(struct buffers *b, struct buffer *buffer)
{
	pthread_mutex_lock(&b->lock);
	buffer->next = b->free;
	b->free = buffer;
	b->taken--;
	if (buffer->holder)
		end_holding(b, buffer->holder);
	wake_first(b);
	pthread_cond_signal(&b->freed);
	pthread_mutex_unlock(&b->lock);
}

size_t buffers_max(struct buffers *b)
{
	size_t max;

	pthread_mutex_lock(&b->lock);
	max = b->max;
	pthread_mutex_unlock(&b->lock);
	return max;
}

size_t buffers_left(struct buffers *b)
{
	size_t left;

	pthread_mutex_lock(&b->lock);
	left = has_room(b) ? b->max - b->taken - b->owed : 0;
	pthread_mutex_unlock(&b->lock);
	return left;
}
