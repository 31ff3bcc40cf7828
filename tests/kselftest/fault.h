/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses the kernel's fault injection to let the Nth allocation fail that this task makes
 * in its system calls.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

/** fault_init() - set fault injection up; false if this kernel cannot inject faults */
bool fault_init(void);

/**
 * fault_only_in() - let only allocations fail that are made inside a function
 * @function: name of the function, which also stands for its parts such as
 *	"NAME.isra.0"; NULL: any allocation may fail
 *
 * Allocations in functions that @function calls count as well, at any depth.
 *
 * Return: false if there is no such function.
 */
bool fault_only_in(const char *function);

/** fault_only_in_module() - let only allocations fail that are made inside a module */
bool fault_only_in_module(const char *module);

/** fault_arm() - let the @nth allocation from now on fail, counted from 1 */
void fault_arm(unsigned int nth);

/** fault_disarm() - let no allocation fail any more; Return: whether one has failed */
bool fault_disarm(void);

#endif /* FAULT_H */
