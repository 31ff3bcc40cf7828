// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textfile.h"
#include "frames/vmallocs.h"
#include "pages/process_cost.h"

/* assumed size of a kernel stack if /proc/vmallocinfo shows none */
#define STACK_PAGES 4

/* All stacks have the same size. The area of a stack ends with a guard page. */
static int find_stack_size(struct process_costs *c)
{
	struct vmallocs v;
	size_t i;
	int err = vmallocs_read(&v);

	for (i = 0; i < v.nr_areas && !c->stack_is_seen; i++) {
		const struct vmalloc_area *a = &v.area[i];

		if (a->kind != VMALLOC_STACK || !a->owned)
			continue;
		c->stack_bytes = a->end - a->start - c->reader.page_size;
		c->stack_is_seen = true;
	}
	vmallocs_free(&v);
	return err;
}

int process_costs_start(struct process_costs *c, const struct recorded *recorded)
{
	int err = footprint_start(&c->reader, NULL);

	c->recorded = recorded;
	c->stack_bytes = STACK_PAGES * c->reader.page_size;
	c->stack_is_seen = false;
	return err ? err : find_stack_size(c);
}

void process_costs_stop(struct process_costs *c)
{
	footprint_stop(&c->reader);
}

/* Return: the number in the line of @key, such as "VmPTE:	      76 kB"; or 0. */
static uint64_t status_number(const char *status, const char *key)
{
	const char *at = textfile_value(status, key, strlen(key), ':');

	return at ? strtoull(at, NULL, 10) : 0;
}

static int read_status(struct process_cost *cost)
{
	char name[32], *text;

	snprintf(name, sizeof(name), "%d/status", cost->pid);
	text = textfile_read_proc(name, NULL);
	if (!text)
		return errno == ENOENT ? -ESRCH : -errno;
	cost->page_tables = status_number(text, "VmPTE") * 1024;
	cost->threads = status_number(text, "Threads");
	free(text);
	return 0;
}

int process_costs_read(struct process_costs *c, int pid,
		       struct process_cost *cost)
{
	static const struct footprint_choice all = { .end = UINT64_MAX };
	struct footprint f;
	int err = footprint_read(&c->reader, &f, pid, &all);

	*cost = (struct process_cost){ .pid = pid };
	if (!err) {
		snprintf(cost->name, sizeof(cost->name), "%s", f.process.name);
		cost->usage = f.total;
	}
	footprint_free(&f);
	if (!err)
		err = read_status(cost);
	if (err)
		return err;
	cost->stacks = cost->threads * c->stack_bytes;
	if (c->recorded)
		cost->is_recorded = recorded_get(c->recorded, pid,
						 &cost->recorded);
	return 0;
}

uint64_t process_cost_slab(const struct process_cost *cost)
{
	return cost->recorded.bytes[KMEMTRACE_TYPE_KMALLOC] +
	       cost->recorded.bytes[KMEMTRACE_TYPE_CACHE];
}

uint64_t process_cost_pss(const struct process_cost *cost)
{
	return cost->usage.pss >> USAGE_PSS_SHIFT;
}

uint64_t process_cost_sum(const struct process_cost *cost)
{
	return process_cost_pss(cost) + cost->usage.hugetlb +
	       cost->page_tables + cost->stacks + process_cost_slab(cost) +
	       cost->recorded.bytes[KMEMTRACE_TYPE_PERCPU];
}
