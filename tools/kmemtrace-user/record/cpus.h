/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs that are recorded: whether that is possible, and what was lost on them.
 */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * cpus_each() - call a function for each CPU that has a file
 * @dir: from control_open()
 * @prefix: of the names of the files, which end with the number of the CPU
 * @cpus: list of CPUs; NULL: all
 * @each: called with the name of the file; a return value other than 0 ends it
 * @arg: passed to @each
 *
 * Prints a message if the directory cannot be read.
 *
 * Return: what @each returned last, or EXIT_FAILED.
 */
int cpus_each(int dir, const char *prefix, const char *cpus,
	      int (*each)(const char *name, int cpu, void *arg), void *arg);

/**
 * cpus_check() - whether CPUs can be recorded
 * @dir: from control_open()
 * @cpus: list of CPUs; NULL: all
 * @read: they are read while recording, each on that CPU
 *
 * Prints a message if one of the CPUs is not in the cpuset of this process, or if
 * there is none of them.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int cpus_check(int dir, const char *cpus, bool read);

/**
 * cpus_lost() - how many events were lost on CPUs
 * @dir: from control_open()
 * @cpus: list of CPUs; NULL: all
 */
uint64_t cpus_lost(int dir, const char *cpus);

/** cpus_show_lost() - print the CPUs that lost events, and how many */
void cpus_show_lost(int dir, const char *cpus);

#endif /* CPUS_H */
