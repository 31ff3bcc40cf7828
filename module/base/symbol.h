/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds functions of the kernel by name and by address. kallsyms_lookup_name() is not
 * exported to modules.
 */
#ifndef KMT_SYMBOL_H
#define KMT_SYMBOL_H

#include <linux/types.h>

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
 * Use the result only to check whether an address is in the function. Do not call the
 * function by it.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if the kernel has no such function, has it only inlined, or allows
 * no kprobe on it; -ENOMEM.
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
 * kmt_text_find_all() - find several functions, which is faster than one by one
 * @names: ends with NULL. Unlike kmt_symbol_find(), this also finds functions that allow no
 *	kprobe, and variables
 * @text: array with as many elements as there are names; set to the addresses of each
 *	function, or to zeros if the function was not found
 *
 * Use the result as that of kmt_symbol_find().
 *
 * Context: may sleep; while the module is loaded. The first call waits for one grace period.
 * Return: 0; -ENOENT if the kernel has no kallsyms_lookup_name(); -ENOMEM.
 */
int kmt_text_find_all(const char *const *names, struct kmt_text *text);

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
