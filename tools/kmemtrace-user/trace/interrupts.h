/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ends of stack traces. The interrupted code does not call the functions of an interrupt.
 * If stacks contained it, each place at which an interrupt arrives would make another path of
 * one. So a stack ends at the function by which the kernel enters an interrupt or handles
 * softirqs. The kernel's filter_irq_stacks() cuts stacks in the same way.
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/symtab.h"

/**
 * struct entry - a function that enters an interrupt
 * @start: its address
 * @end: address of the next function
 */
struct entry {
	uint64_t start;
	uint64_t end;
};

/**
 * struct interrupts - all of them
 * @entry: the functions, by address
 * @count: number of these
 */
struct interrupts {
	struct entry *entry;
	size_t count;
};

/**
 * interrupts_init() - find the functions of a kernel
 * @i: set to the functions
 * @symbols: all functions of the kernel
 */
void interrupts_init(struct interrupts *i, const struct symtab *symbols);

/** interrupts_exit() - undo interrupts_init(); all zeros are allowed */
void interrupts_exit(struct interrupts *i);

/**
 * interrupts_depth() - get the depth of a stack without what was interrupted
 * @i: the functions; NULL: none
 * @stack: return addresses, the innermost first
 * @depth: number of these
 *
 * Return: the number of return addresses up to the first entry of an interrupt; @depth if
 * there is none.
 */
size_t interrupts_depth(const struct interrupts *i, const uint64_t *stack, size_t depth);

#endif /* INTERRUPTS_H */
