/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a function of the kernel lies, found by its name: kallsyms is closed
 * to modules.
 */
#ifndef KMT_SYMBOL_H
#define KMT_SYMBOL_H

#include <linux/types.h>

/**
 * struct kmt_text - the code of one function
 * @start: its first byte
 * @end: the byte behind its last
 */
struct kmt_text {
	unsigned long start;
	unsigned long end;
};

/**
 * kmt_symbol_find() - find a function by its name
 * @name: the function
 * @text: set to where it lies
 *
 * Only to tell whether an address is in it; never call it through this.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT where the kernel has no such function, or has it only
 * inlined; -ENOMEM.
 */
int kmt_symbol_find(const char *name, struct kmt_text *text);

/**
 * kmt_symbol_around() - find the function that an address is in
 * @addr: the address
 * @text: set to where the function lies
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if it is in no function.
 */
int kmt_symbol_around(unsigned long addr, struct kmt_text *text);

/**
 * kmt_text_find_all() - find several functions
 * @names: ends with NULL; a name that is not found is left out
 * @text: room for as many as there are names
 *
 * Context: may sleep.
 * Return: how many were found, or -ENOMEM.
 */
int kmt_text_find_all(const char *const *names, struct kmt_text *text);

/**
 * kmt_text_contains() - whether an address lies in one of a few functions
 * @text: the functions
 * @count: how many
 * @addr: an address, also the one behind a call at the very end of a function
 *
 * Context: any.
 */
static inline bool kmt_text_contains(const struct kmt_text *text,
				     unsigned int count, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (addr - text[i].start - 1 < text[i].end - text[i].start)
			return true;
	return false;
}

#endif /* KMT_SYMBOL_H */
