/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records similar to those of a busy machine, for benchmarks. They are deterministic.
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYNTHETIC_CPUS_MAX 512

/**
 * struct synthetic - the records to make
 * @events: number of records
 * @cpus: number of CPUs
 * @live: minimum number of live allocations, once this number of allocations has been
 *	made
 * @paths: each record has a stack of eight addresses, one of @paths for its call site; 0:
 *	no stacks
 * @put: gets the next records of a CPU. No later record of the CPU has a number before
 *	@mark. It is called for each CPU, one after the other
 * @arg: argument of @put
 */
struct synthetic {
	uint64_t events;
	unsigned int cpus;
	size_t live;
	uint32_t paths;
	void (*put)(void *arg, unsigned int cpu, const void *data, size_t size,
		    uint32_t mark);
	void *arg;
};

/** synthetic_make() - make the records, once; false if memory ran out */
bool synthetic_make(const struct synthetic *s);

#endif /* SYNTHETIC_H */
