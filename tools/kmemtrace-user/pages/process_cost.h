/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory cost of a process: its own memory, and the memory that the kernel allocated
 * for it.
 */
#ifndef PROCESS_COST_H
#define PROCESS_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "process/footprint.h"
#include "report/recorded.h"

/**
 * struct process_cost - the cost of one process; sizes are in bytes
 * @pid: number of the process
 * @name: name of the process
 * @usage: its memory; all 0 for a kernel thread
 * @page_tables: VmPTE of /proc/PID/status
 * @threads: number of threads
 * @stacks: kernel stacks of the threads
 * @is_recorded: @recorded is set
 * @recorded: live allocations of its threads in a recording
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
 * struct process_costs - state of reading costs
 * @reader: reads the memory of processes
 * @recorded: a recording, or NULL
 * @stack_bytes: bytes of a kernel stack
 * @stack_is_seen: @stack_bytes is the size of an existing stack; else it is assumed
 */
struct process_costs {
	struct footprint_reader reader;
	const struct recorded *recorded;
	uint64_t stack_bytes;
	bool stack_is_seen;
};

/**
 * process_costs_start() - prepare for reading costs
 * @c: set; must be freed with process_costs_stop(), also after an error
 * @recorded: a recording, or NULL
 *
 * Return: 0; -1 after a message.
 */
int process_costs_start(struct process_costs *c,
			const struct recorded *recorded);

/**
 * process_costs_read() - read the cost of one process
 * @c: from process_costs_start()
 * @pid: number of the process
 * @cost: set to its cost
 *
 * Return: 0; -ESRCH if the process does not exist or ended meanwhile; -EACCES if it may
 * not be read; another -errno; FOOTPRINT_BROKEN after a message.
 */
int process_costs_read(struct process_costs *c, int pid,
		       struct process_cost *cost);

/** process_cost_slab() - live slab objects of the process in the recording, in bytes */
uint64_t process_cost_slab(const struct process_cost *cost);

/** process_cost_pss() - the process's part of the pages that it maps, in bytes */
uint64_t process_cost_pss(const struct process_cost *cost);

/**
 * process_cost_sum() - the total cost of a process
 * @cost: the parts of the cost
 *
 * Return: the sum of PSS, huge pages of hugetlb, page tables, stacks, and slab and
 * per-CPU objects of a recording, in bytes.
 */
uint64_t process_cost_sum(const struct process_cost *cost);

/** process_costs_stop() - undo process_costs_start() */
void process_costs_stop(struct process_costs *c);

#endif /* PROCESS_COST_H */
