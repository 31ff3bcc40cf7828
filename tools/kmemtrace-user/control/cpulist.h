/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of CPUs: "0-3,7".
 */
#ifndef CPULIST_H
#define CPULIST_H

#include <stdbool.h>

/**
 * cpulist_valid() - whether a text is a list of CPUs
 * @list: the text
 */
bool cpulist_valid(const char *list);

/**
 * cpulist_contains() - whether a CPU is in a list
 * @list: a valid list; NULL contains all
 * @cpu: the CPU
 */
bool cpulist_contains(const char *list, int cpu);

#endif /* CPULIST_H */
