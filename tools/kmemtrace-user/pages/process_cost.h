/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a process costs: the memory that it has, and the kernel's memory that is
 * there on its behalf.
 */
#ifndef PROCESS_COST_H
#define PROCESS_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "process/footprint.h"
#include "report/recorded.h"

/**
 * struct process_cost - of one process, in bytes
 * @pid: its number
 * @name: its name
 * @usage: what it has in memory; nothing for a thread of the kernel
 * @page_tables: VmPTE of its status
 * @threads: how many
 * @stacks: kernel stacks of these
 * @is_recorded: @recorded is known
 * @recorded: what its threads allocated in a recording
 */
struct process_cost {
	int pid;
	char name[64];
	struct usage usage;
	uint64_t page_tables;
	uint64_t threads;
	uint64_t stacks;
	bool is_recorded;
	struct recorded_sums recorded;
};

/**
 * struct process_costs - what is needed to tell them
 * @reader: reads what processes have
 * @recorded: a recording, or NULL
 * @stack_bytes: of a kernel stack
 * @stack_is_seen: that is the size of one that was found; else it is assumed
 */
struct process_costs {
	struct footprint_reader reader;
	const struct recorded *recorded;
	uint64_t stack_bytes;
	bool stack_is_seen;
};

/**
 * process_costs_start() - get ready
 * @c: set; to be freed with process_costs_stop(), also after an error
 * @recorded: a recording, or NULL
 *
 * Return: 0; -1 after a message.
 */
int process_costs_start(struct process_costs *c,
			const struct recorded *recorded);

/**
 * process_costs_read() - what one costs
 * @c: from process_costs_start()
 * @pid: number of the process
 * @cost: set to it
 *
 * Return: 0; -ESRCH if it is not there or ended meanwhile, -EACCES if it may not
 * be looked at, another -errno; FOOTPRINT_BROKEN after a message.
 */
int process_costs_read(struct process_costs *c, int pid,
		       struct process_cost *cost);

/** process_cost_slab() - slab objects that a recording has for it */
uint64_t process_cost_slab(const struct process_cost *cost);

/** process_cost_pss() - its part of the pages that it maps, in bytes */
uint64_t process_cost_pss(const struct process_cost *cost);

/**
 * process_cost_sum() - all of it
 * @cost: what it consists of
 *
 * Return: its part of what it maps, page tables, stacks, and slab and per-CPU
 * objects of a recording, in bytes.
 */
uint64_t process_cost_sum(const struct process_cost *cost);

/** process_costs_stop() - undo process_costs_start() */
void process_costs_stop(struct process_costs *c);

#endif /* PROCESS_COST_H */
