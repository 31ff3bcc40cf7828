/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes of the events of a recording, from the feature task.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pidnames.h"
#include "trace/input.h"

/*
 * special processes: the event was in an interrupt; the process was not recorded. All
 * other numbers are below.
 */
#define THREADS_INTERRUPT    (UINT64_MAX - 1)
#define THREADS_NOT_RECORDED UINT64_MAX

#define THREADS_INTERRUPT_NAME "(interrupts)"

/* bytes of the name of a thread, as it is printed, with the 0 */
#define THREADS_COMM (4 * KMT_COMM_LEN)

/** threads_comm() - get the name of the thread of an event, as table_escape() */
const char *threads_comm(const struct kmt_extra *x, char to[THREADS_COMM]);

/** threads_interrupted() - whether an event with its task was in an interrupt */
static inline bool threads_interrupted(const struct kmt_extra *x)
{
	return x->context & (KMEMTRACE_CONTEXT_HARDIRQ | KMEMTRACE_CONTEXT_SOFTIRQ |
			     KMEMTRACE_CONTEXT_NMI);
}

/**
 * threads_number() - get the number of the process of an event
 * @ev: from input_next(); its record must still be in memory
 * @e: from extra_take(); gets the task if needed
 *
 * Return: number of the process, THREADS_INTERRUPT or THREADS_NOT_RECORDED.
 */
uint64_t threads_number(struct kmt_event *ev, struct extra *e);

/**
 * threads_process() - as threads_number(), and note the name of the process
 * @names: gets the name of the main thread of the process; until a record has it, the
 *	name of another thread
 * @ev: from input_next(); its record must still be in memory
 * @e: from extra_take(); gets the task if needed
 *
 * Return: number of the process, THREADS_INTERRUPT or THREADS_NOT_RECORDED.
 */
uint64_t threads_process(struct pidnames *names, struct kmt_event *ev,
			 struct extra *e);

/**
 * threads_name() - get the name of a process for the output
 * @names: from threads_process()
 * @process: from threads_process()
 * @to: gets "1234 name"
 * @size: size of @to in bytes
 */
void threads_name(struct pidnames *names, uint64_t process, char *to,
		  size_t size);

#endif /* THREADS_H */
