/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorded CPUs: a check whether they can be recorded, and their lost events.
 */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * cpus_each() - call a function for each CPU that has a file
 * @dir: descriptor from control_open()
 * @prefix: start of the names of the files; the number of the CPU follows
 * @cpus: list of CPUs; NULL: all
 * @each: function to call with the name of the file; a return value other than 0 ends
 *	the iteration
 * @arg: argument of @each
 *
 * Prints a message if the directory cannot be read.
 *
 * Return: the last value that @each returned, or EXIT_FAILED.
 */
int cpus_each(int dir, const char *prefix, const char *cpus,
	      int (*each)(const char *name, int cpu, void *arg), void *arg);

/**
 * cpus_check() - check whether CPUs can be recorded
 * @dir: descriptor from control_open()
 * @cpus: list of CPUs; NULL: all
 * @read: records are read while recording, by a thread on each CPU
 *
 * Prints a message if none of the CPUs is online, and a note if one is offline. If @read is set, also prints a message if
 * one of the CPUs is not in the cpuset of this process.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int cpus_check(int dir, const char *cpus, bool read);

/** cpus_count() - number of CPUs of the list that have a file cpu<n>; at least 1 */
unsigned int cpus_count(int dir, const char *cpus);

/**
 * cpus_lost() - get the number of events lost on CPUs
 * @dir: descriptor from control_open()
 * @cpus: list of CPUs; NULL: all
 */
uint64_t cpus_lost(int dir, const char *cpus);

/**
 * cpus_lost_on() - get the CPUs that lost events, as a text
 * @dir: descriptor from control_open()
 * @cpus: list of CPUs; NULL: all
 *
 * Return: for example " cpu0 12 cpu3 7"; the caller frees it.
 */
char *cpus_lost_on(int dir, const char *cpus);

#endif /* CPUS_H */
