/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which process the events of a recording happened, by the feature task.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pidnames.h"
#include "trace/extra.h"

/* instead of a process: it was in an interrupt; it was not recorded */
#define THREADS_INTERRUPT    (UINT64_MAX - 1)
#define THREADS_NOT_RECORDED UINT64_MAX

/**
 * threads_process() - in which process an event happened
 * @names: gets the name of its main thread, or, until that is met, of another
 * @ev: from input_next(), its record still there
 * @e: from extra_take(); what has to be found out is added
 *
 * Return: its number; THREADS_INTERRUPT, THREADS_NOT_RECORDED.
 */
uint64_t threads_process(struct pidnames *names, struct kmt_event *ev,
			 struct extra *e);

/**
 * threads_name() - what to call it
 * @names: from threads_process()
 * @process: from threads_process()
 * @to: gets "1234 name"
 * @size: of @to
 */
void threads_name(struct pidnames *names, uint64_t process, char *to,
		  size_t size);

#endif /* THREADS_H */
