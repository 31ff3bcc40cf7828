/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers that poll for the records of a CPU, and what wakes them.
 */
#ifndef KMT_WAKE_H
#define KMT_WAKE_H

#include <linux/wait.h>

/**
 * kmt_wake_queue() - where the readers of a CPU's records wait
 * @cpu: number of the CPU
 *
 * Context: any.
 */
wait_queue_head_t *kmt_wake_queue(int cpu);

/**
 * kmt_wake() - a sub-buffer is filled: wake the readers of a CPU's records
 * @cpu: number of the CPU
 *
 * Context: any; a full memory barrier since the sub-buffer was counted as
 * produced.
 */
void kmt_wake(int cpu);

/**
 * kmt_wake_all() - recording was switched off: wake all readers
 *
 * Context: may sleep; a grace period since then.
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
 * kmt_wake_exit() - wait until no reader is being woken; undo kmt_wake_init()
 *
 * Context: may sleep; there is no channel any more, and no file can be opened.
 */
void kmt_wake_exit(void);

#endif /* KMT_WAKE_H */
