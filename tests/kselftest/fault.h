/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's fault injection, as far as one task wants the Nth allocation of
 * its next system call to fail.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

/** fault_init() - get ready; false if this kernel cannot inject faults */
bool fault_init(void);

/**
 * fault_only_in() - let fail only what a function calls, however deep
 * @function: begins with this, or NULL: anything may fail
 *
 * Return: false if there is no such function.
 */
bool fault_only_in(const char *function);

/** fault_only_in_module() - let fail only what a module calls */
bool fault_only_in_module(const char *module);

/** fault_arm() - the @nth allocation from now on is to fail, counted from 1 */
void fault_arm(unsigned int nth);

/** fault_disarm() - let nothing fail any more; Return: whether something did */
bool fault_disarm(void);

#endif /* FAULT_H */
