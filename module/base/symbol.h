/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds functions of the kernel by name and by address. The functions of kallsyms are not
 * exported to modules.
 */
#ifndef KMT_SYMBOL_H
#define KMT_SYMBOL_H

#include <linux/types.h>

#include "base/compat.h"

/**
 * struct kmt_text - the code of one function
 * @start: address of its first byte
 * @end: address behind its last byte
 */
struct kmt_text {
	unsigned long start;
	unsigned long end;
};

/**
 * kmt_symbol_find() - find a function by its name
 * @name: the function
 * @text: set to its addresses
 *
 * If the kernel has the function only as a clone that the compiler made, such as NAME.isra.0 or
 * NAME.llvm.1234, and has only one of them, the result is that clone.
 *
 * Use the result only to check whether an address is in the function. Do not call the
 * function by it, and do not read its arguments: a clone may have others.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if the kernel has no such function, has it only inlined or as several clones,
 * or allows no kprobe on it; -ENOMEM.
 */
int kmt_symbol_find(const char *name, struct kmt_text *text);

/**
 * kmt_symbol_around() - find the function that contains an address
 * @addr: the address
 * @text: set to the addresses of the function
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if no function contains @addr.
 */
int kmt_symbol_around(unsigned long addr, struct kmt_text *text);

/**
 * kmt_symbol_each() - visit all symbols of the kernel, without those of modules
 * @visit: called with @data, the name and the address of a symbol; another result than 0 ends
 *	the visit. It may sleep
 * @data: for @visit
 *
 * Context: may sleep; while the module is loaded. Waits for one grace period.
 * Return: 0; the result of @visit; -ENOENT if the kernel has no kallsyms_on_each_symbol();
 * -ENOMEM.
 */
int kmt_symbol_each(int (*visit)(KMT_SYMBOL_ARGS), void *data);

/**
 * kmt_text_contains() - check whether a return address is in a function
 * @text: the function
 * @addr: the return address. If the call is the last instruction of a function, its
 *	return address is @end; it still belongs to that function. @start does not
 *
 * Context: any.
 * Return: true if the function contains the call before @addr.
 */
static inline bool kmt_text_contains(const struct kmt_text *text,
				     unsigned long addr)
{
	return addr - text->start - 1 < text->end - text->start;
}

#endif /* KMT_SYMBOL_H */
