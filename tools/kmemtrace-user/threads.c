// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

#define INTERRUPTED                                                            \
	(KMEMTRACE_CONTEXT_HARDIRQ | KMEMTRACE_CONTEXT_SOFTIRQ |               \
	 KMEMTRACE_CONTEXT_NMI)

bool threads_init(struct threads *t)
{
	*t = (struct threads){ 0 };
	return pairs_init(&t->processes);
}

void threads_exit(struct threads *t)
{
	pairs_exit(&t->processes);
	free(t->name);
}

/* Without memory for its name, a process has none. */
static void set_name(struct threads *t, const struct kmt_extra *x)
{
	uint32_t i = pairs_get(&t->processes, (uint32_t)x->tgid, 0);
	void *more;

	if (i == PAIRS_FULL)
		return;
	if (i >= t->room) {
		more = realloc(t->name, t->processes.room * sizeof(*t->name));
		if (!more)
			return;
		t->name = more;
		memset(t->name + t->room, 0,
		       (t->processes.room - t->room) * sizeof(*t->name));
		t->room = t->processes.room;
	}
	if (x->pid == x->tgid || !*t->name[i])
		snprintf(t->name[i], sizeof(t->name[i]), "%s", x->comm);
}

uint64_t threads_process(struct threads *t, struct kmt_event *ev,
			 struct extra *e)
{
	if (!(e->x.have & KMT_FEATURE_TASK))
		extra_fetch(&e->x, ev, KMT_FEATURE_TASK);
	if (!(e->x.have & KMT_FEATURE_TASK))
		return THREADS_NOT_RECORDED;
	if (e->x.context & INTERRUPTED)
		return THREADS_INTERRUPT;
	set_name(t, &e->x);
	return (uint32_t)e->x.tgid;
}

void threads_name(struct threads *t, uint64_t process, char *to, size_t size)
{
	uint32_t i;

	if (process == THREADS_INTERRUPT) {
		snprintf(to, size, "(interrupts)");
	} else if (process == THREADS_NOT_RECORDED) {
		snprintf(to, size, "(not recorded)");
	} else {
		i = pairs_get(&t->processes, process, 0);
		snprintf(to, size, "%" PRIu64 " %s", process,
			 i < t->room ? t->name[i] : "");
	}
}
