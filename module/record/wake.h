/* SPDX-License-Identifier: GPL-2.0-only */
/* Wakes readers that poll for the records of a CPU. */
#ifndef KMT_WAKE_H
#define KMT_WAKE_H

#include <linux/wait.h>

/**
 * kmt_wake_queue() - get the wait queue for the records of a CPU
 * @cpu: number of the CPU
 *
 * Context: any.
 */
wait_queue_head_t *kmt_wake_queue(int cpu);

/**
 * kmt_wake() - wake the readers of a CPU, because a sub-buffer is full
 * @cpu: number of the CPU
 *
 * Context: any, after the records were written.
 */
void kmt_wake(int cpu);

/**
 * kmt_wake_all() - wake all readers, because recording was switched off
 *
 * Context: may sleep; a grace period has passed since then.
 */
void kmt_wake_all(void);

/**
 * kmt_wake_init() - allocate the queues
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_wake_init(void);

/**
 * kmt_wake_exit() - wait until no reader is being woken, and undo kmt_wake_init()
 *
 * Context: may sleep; the channels are freed, and no file can be opened.
 */
void kmt_wake_exit(void);

#endif /* KMT_WAKE_H */
