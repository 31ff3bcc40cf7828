// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"
#include "report/threads.h"

const char *threads_comm(const struct kmt_extra *x, char to[THREADS_COMM])
{
	table_escape(to, THREADS_COMM, x->comm);
	return to;
}

uint64_t threads_number(struct kmt_event *ev, struct extra *e)
{
	if (!(e->x.have & KMT_FEATURE_TASK))
		extra_fetch(&e->x, ev, KMT_FEATURE_TASK);
	if (!(e->x.have & KMT_FEATURE_TASK))
		return THREADS_NOT_RECORDED;
	if (threads_interrupted(&e->x))
		return THREADS_INTERRUPT;
	return (uint32_t)e->x.tgid;
}

uint64_t threads_process(struct pidnames *names, struct kmt_event *ev,
			 struct extra *e)
{
	uint64_t process = threads_number(ev, e);
	char comm[THREADS_COMM];

	if (process < THREADS_INTERRUPT)
		pidnames_set(names, process, threads_comm(&e->x, comm),
			     e->x.pid == e->x.tgid);
	return process;
}

void threads_name(struct pidnames *names, uint64_t process, char *to, size_t size)
{
	if (process == THREADS_INTERRUPT) {
		snprintf(to, size, THREADS_INTERRUPT_NAME);
	} else if (process == THREADS_NOT_RECORDED) {
		snprintf(to, size, "(not recorded)");
	} else {
		snprintf(to, size, "%" PRIu64 " %s", process,
			 pidnames_get(names, process));
	}
}
