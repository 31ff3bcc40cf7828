/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of CPUs: "0-3,7"; and the CPUs on which a thread may run.
 */
#ifndef CPULIST_H
#define CPULIST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * cpulist_valid() - check whether a text is a list of CPUs
 * @list: the text
 */
bool cpulist_valid(const char *list);

/**
 * cpulist_next() - take the next range of a list
 * @at: rest of the list; updated
 * @first: set to the first CPU of the range
 * @last: set to its last CPU
 *
 * Return: false at the end of the list, which may be followed by another character.
 */
bool cpulist_next(const char **at, long *first, long *last);

/**
 * cpulist_contains() - check whether a CPU is in a list
 * @list: a valid list; NULL contains all
 * @cpu: the CPU
 */
bool cpulist_contains(const char *list, int cpu);

/**
 * cpulist_count() - count the CPUs of a list
 * @list: the list, which may end in another character, for example a newline
 */
size_t cpulist_count(const char *list);

/**
 * cpulist_pin() - run this thread on one CPU only
 * @cpu: the CPU
 *
 * Return: 0; -EINVAL if the CPU is offline or not in the cpuset; another -errno.
 */
int cpulist_pin(int cpu);

/**
 * cpulist_pin_thread() - run a thread on one CPU only
 * @thread: gettid() of the thread; 0: this thread
 * @cpu: the CPU
 *
 * Return: as cpulist_pin(); -ESRCH if the thread has ended.
 */
int cpulist_pin_thread(pid_t thread, int cpu);

/**
 * struct cpulist_saved - CPUs on which a thread may run
 * @set: the CPUs; NULL: not saved
 * @size: bytes of @set
 */
struct cpulist_saved {
	cpu_set_t *set;
	size_t size;
};

/** cpulist_save() - save the CPUs of this thread; return false on failure */
bool cpulist_save(struct cpulist_saved *saved);

/** cpulist_restore() - undo cpulist_pin(), and free the set; does nothing if not saved */
void cpulist_restore(struct cpulist_saved *saved);

#endif /* CPULIST_H */
