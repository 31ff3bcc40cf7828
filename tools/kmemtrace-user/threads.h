/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which process the events of a recording happened, by the feature task.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extra.h"
#include "pairs.h"

/* instead of a process: it was in an interrupt; it was not recorded */
#define THREADS_INTERRUPT    (UINT64_MAX - 1)
#define THREADS_NOT_RECORDED UINT64_MAX

/**
 * struct threads - processes that were met
 * @processes: numbers them
 * @name: of each; of its main thread if that was met
 * @room: for how many names there is memory
 */
struct threads {
	struct pairs processes;
	char (*name)[KMT_COMM_LEN];
	size_t room;
};

/** threads_init() - no process was met yet; false if memory ran out */
bool threads_init(struct threads *t);

/** threads_exit() - undo threads_init() */
void threads_exit(struct threads *t);

/**
 * threads_process() - in which process an event happened
 * @t: the processes
 * @ev: from input_next(), its record still there
 * @e: from extra_take(); what has to be found out is added
 *
 * Return: its number; THREADS_INTERRUPT, THREADS_NOT_RECORDED.
 */
uint64_t threads_process(struct threads *t, struct kmt_event *ev,
			 struct extra *e);

/**
 * threads_name() - what to call it
 * @t: the processes
 * @process: from threads_process()
 * @to: gets "1234 name"
 * @size: of @to
 */
void threads_name(struct threads *t, uint64_t process, char *to, size_t size);

#endif /* THREADS_H */
