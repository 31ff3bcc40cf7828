/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the calls of allocators in debug information (DWARF).
 */
#ifndef CODEFIND_H
#define CODEFIND_H

#include <elfutils/libdwfl.h>

#include "codetags/codesites.h"

/**
 * struct allocators - names of the functions whose calls are wanted
 * @names: the names, sorted
 * @count: number of names
 * @id: a hash of all names and of how calls are found: if it is the same, the same calls
 *	are found in the same file
 * @text: memory of some names
 */
struct allocators {
	const char **names;
	size_t count;
	uint64_t id;
	char *text;
};

/**
 * allocators_init() - list the functions
 * @a: set to the list; the caller calls allocators_exit() later, also after a failure
 * @wrappers: names of functions that count as allocators as well, one per line; may be
 *	NULL
 */
void allocators_init(struct allocators *a, const char *wrappers);

/** codefind_is_inlined() - whether a function is an allocator that the compiler inlines */
bool codefind_is_inlined(const char *name);

/** allocators_exit() - undo allocators_init() */
void allocators_exit(struct allocators *a);

/**
 * codefind() - find all calls in the kernel or a module
 * @module: the kernel or the module
 * @allocators: the functions
 * @text: address of the symbol _text; 0: addresses of the kernel count from 0
 * @sites: gets the calls, sorted, with addresses of @module and with sections
 *
 * Return: 0; -ENOENT if there is no debug information.
 */
int codefind(Dwfl_Module *module, const struct allocators *allocators, uint64_t text,
	     struct codesites *sites);

#endif /* CODEFIND_H */
