/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a recorder, and how its parts share it.
 */
#ifndef RECORD_MEMORY_H
#define RECORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct memory - the parts
 * @threads: number of threads that pack
 * @buffer: bytes of a buffer
 * @buffers: number of buffers
 * @stack_callers: number of addresses of stacks that are kept
 */
struct memory {
	unsigned int threads;
	size_t buffer;
	size_t buffers;
	size_t stack_callers;
};

/** memory_minimum() - bytes without which a recorder of so many CPUs does not start */
uint64_t memory_minimum(unsigned int cpus);

/**
 * memory_default() - bytes that a recorder takes if the user does not choose
 * @cpus: number of CPUs that it reads
 *
 * Return: 128 MiB, or an eighth of the machine's memory if that is less; but at least
 * memory_minimum().
 */
uint64_t memory_default(unsigned int cpus);

/** memory_threads() - number of CPUs that the process may use, but at most 16 */
unsigned int memory_threads(void);

/**
 * memory_divide() - divide the memory
 * @bytes: at least memory_minimum()
 * @cpus: number of CPUs that are read
 * @threads: maximum number of threads that pack, at least 1
 * @stacks: records have stacks
 * @to: set to the parts
 */
void memory_divide(uint64_t bytes, unsigned int cpus, unsigned int threads,
		   bool stacks, struct memory *to);

#endif /* RECORD_MEMORY_H */
