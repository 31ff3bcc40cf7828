/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_HOTPATH_H
#define BENCH_HOTPATH_H

#include <stdint.h>

/* number of events in one run */
#define EVENTS 4096

/**
 * now() - read the clock
 *
 * Return: nanoseconds.
 */
uint64_t now(void);

/**
 * counter() - open a hardware counter of this thread
 * @what: PERF_COUNT_HW_*
 *
 * Return: a file; -1 if this machine cannot count that.
 */
int counter(uint64_t what);

/**
 * count() - read a hardware counter
 * @fd: from counter()
 *
 * Return: its value; 0 if there is no such counter.
 */
uint64_t count(int fd);

/**
 * measure() - measure a function, and print a row
 * @name: name of the row
 * @run: the function; it processes EVENTS events
 */
void measure(const char *name, void (*run)(void));

/**
 * measure_together() - measure a function on several CPUs at the same time, print a row
 * @name: name of the row
 * @threads: number of CPUs: 1 or 2
 * @run: the function; called on each CPU with the number of the thread, from 0; it
 *	processes EVENTS events
 */
void measure_together(const char *name, unsigned int threads,
		      void (*run)(unsigned int thread));

/**
 * measure_live_objects() - measure what the module keeps of live objects, and print rows
 */
void measure_live_objects(void);

/**
 * print_live_memory() - print the memory for each live object, computed from the code
 */
void print_live_memory(void);

#endif /* BENCH_HOTPATH_H */
