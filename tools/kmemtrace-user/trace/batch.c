// SPDX-License-Identifier: GPL-2.0-only
#include "trace/batch.h"

/*
 * Two threads may put batches at the same time. The sem_post() of one thread may wake the
 * reader of the queue, which then takes the batch of the other thread. Only the queue
 * orders the put and the take in this case. It uses assembly, which TSan does not see.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_release(address)
#define __tsan_acquire(address)
#endif

void batch_queue_init(struct batch_queue *q)
{
	__cds_wfcq_init(&q->head, &q->tail);
	sem_init(&q->filled, 0, 0);
}

void batch_queue_exit(struct batch_queue *q)
{
	sem_destroy(&q->filled);
}

void batch_put(struct batch_queue *q, struct batch *b)
{
	__atomic_store_n(&b->is_queued, true, __ATOMIC_RELAXED);
	cds_wfcq_node_init(&b->node);
	__tsan_release(&b->node);
	cds_wfcq_enqueue(&q->head, &q->tail, &b->node);
	sem_post(&q->filled);
}

bool batch_put_mark(struct batch_queue *q, struct batch *b, uint32_t cpu, uint64_t mark)
{
	if (__atomic_load_n(&b->is_queued, __ATOMIC_ACQUIRE))
		return false;
	*b = (struct batch){ .cpu = cpu, .complete = true, .mark = mark };
	batch_put(q, b);
	return true;
}

void batch_take(struct batch_queue *q, struct batch *to)
{
	struct cds_wfcq_node *node;
	struct batch *b;

	while (sem_wait(&q->filled))
		; /* interrupted by a signal */
	node = __cds_wfcq_dequeue_blocking(&q->head, &q->tail);
	__tsan_acquire(node);
	b = caa_container_of(node, struct batch, node);
	*to = *b;
	__atomic_store_n(&b->is_queued, false, __ATOMIC_RELEASE);
}
