// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>

#include "trace/batch.h"
#include "unit.h"

#define THREADS 4
#define BATCHES 20000
#define NO_CPU	1000

static struct batch_queue queue;
static struct batch batches[THREADS][BATCHES];

static void *put_all(void *arg)
{
	struct batch *own = batches[(intptr_t)arg];
	int i;

	for (i = 0; i < BATCHES; i++) {
		own[i].cpu = (intptr_t)arg;
		own[i].mark = i;
		batch_put(&queue, &own[i]);
	}
	return NULL;
}

START_TEST(all_batches_arrive_and_those_of_a_thread_in_their_order)
{
	pthread_t threads[THREADS];
	uint64_t next[THREADS] = { 0 };
	struct batch b;
	int i;

	batch_queue_init(&queue);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, put_all,
						(void *)(intptr_t)i), 0);
	for (i = 0; i < THREADS * BATCHES; i++) {
		batch_take(&queue, &b);
		ck_assert_uint_eq(b.mark, next[b.cpu]++);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	batch_queue_exit(&queue);
}
END_TEST

static void *put_marks(void *arg)
{
	struct batch *b = arg;
	uint64_t mark;

	for (mark = 1; mark <= BATCHES;)
		mark += batch_put_mark(&queue, b, NO_CPU, mark);
	return NULL;
}

START_TEST(a_batch_can_be_used_again_once_it_was_taken)
{
	static struct batch own;
	struct batch b;
	pthread_t thread;
	uint64_t mark;

	batch_queue_init(&queue);
	ck_assert(batch_put_mark(&queue, &own, NO_CPU, 5));
	ck_assert(!batch_put_mark(&queue, &own, NO_CPU, 6));
	batch_take(&queue, &b);
	ck_assert(b.mark == 5 && b.cpu == NO_CPU && b.complete && !b.buffer);
	ck_assert_int_eq(pthread_create(&thread, NULL, put_marks, &own), 0);
	for (mark = 1; mark <= BATCHES; mark++) {
		batch_take(&queue, &b);
		ck_assert_uint_eq(b.mark, mark);
	}
	pthread_join(thread, NULL);
	batch_queue_exit(&queue);
}
END_TEST

UNIT_MAIN("batch", all_batches_arrive_and_those_of_a_thread_in_their_order,
	  a_batch_can_be_used_again_once_it_was_taken)
