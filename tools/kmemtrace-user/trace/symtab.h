/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find functions of a text as /proc/kallsyms by address or by name.
 */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kallsyms.h"

/**
 * struct symtab - functions
 * @text: the text; @symbols point into it
 * @symbols: the functions, sorted by address
 * @count: number of @symbols
 */
struct symtab {
	char *text;
	struct symbol *symbols;
	size_t count;
};

/**
 * symtab_init() - create a table from a text
 * @t: the table
 * @text: lines "address type name[\t[module]]"; other lines are skipped
 * @size: bytes of @text, which need not be terminated by a 0
 */
void symtab_init(struct symtab *t, const char *text, size_t size);

/** symtab_exit() - undo symtab_init(); a table of zeros is allowed */
void symtab_exit(struct symtab *t);

/**
 * symtab_find() - find the last function at or below an address
 * @t: the table
 * @addr: the address
 *
 * Return: the function; NULL if there is none. If the function has several names, the
 * first one in the text is returned.
 */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/**
 * symtab_name() - find a function by its name
 * @t: the table
 * @name: the name, not terminated by a 0
 * @len: bytes of @name
 * @module: name of the module, not terminated by a 0; NULL: search the kernel itself and
 *	all modules
 * @module_len: bytes of @module
 *
 * Return: the function. If several have the name, the one with the lowest address in the
 * kernel itself; otherwise the one with the lowest address. NULL if there is no function.
 */
const struct symbol *symtab_name(const struct symtab *t, const char *name,
				 size_t len, const char *module,
				 size_t module_len);

/**
 * symtab_distance() - get the distance from a function to the next one
 * @t: the table
 * @s: a function of the table
 *
 * Return: the distance in bytes; UINT64_MAX if there is no next function.
 */
uint64_t symtab_distance(const struct symtab *t, const struct symbol *s);

/*
 * The ends of stack traces. The interrupted code does not call the functions of an interrupt.
 * If stacks contained it, each place at which an interrupt arrives would make another path of
 * one. So a stack ends at the function by which the kernel enters an interrupt or handles
 * softirqs. The kernel's filter_irq_stacks() cuts stacks in the same way.
 */

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

#endif /* SYMTAB_H */
