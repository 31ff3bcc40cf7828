/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the calls of allocators in debug information (DWARF).
 */
#ifndef CODEFIND_H
#define CODEFIND_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls of allocators: file, line and function of each call.
 */

/* the section of places in the kernel itself, which count from the symbol _text */
#define CODESITES_KERNEL "_text"

/**
 * struct codesite - one call
 * @address: return address of the call
 * @offset: the same, from the start of its section
 * @section: index of its section
 * @line: line number
 * @file: file name, relative to the kernel's source tree if that is known
 * @function: function that contains the call in the source code, before inlining
 */
struct codesite {
	uint64_t address;
	uint64_t offset;
	unsigned int section;
	int line;
	char *file;
	char *function;
};

/**
 * struct codesites - a list of calls; all zeros: none
 * @site: the calls
 * @count: number of calls
 * @section: names of the sections, for calls in one build of the kernel or a module
 * @nr_sections: number of sections
 */
struct codesites {
	struct codesite *site;
	size_t count;
	char **section;
	unsigned int nr_sections;
};

/**
 * codesites_add() - add a call
 * @sites: the list
 * @site: the call; its file and function are copied
 */
void codesites_add(struct codesites *sites, const struct codesite *site);

/**
 * codesites_section() - get the index of a section, which is added if it is new
 * @sites: the list
 * @name: name of the section
 *
 * Return: the index.
 */
int codesites_section(struct codesites *sites, const char *name);

/**
 * codesites_take() - move all calls of a list to another one
 * @to: gets the calls; their sections are lost
 * @from: becomes empty
 */
void codesites_take(struct codesites *to, struct codesites *from);

/** codesites_sort() - sort by address, and remove all calls but one with the same address */
void codesites_sort(struct codesites *sites);

/** codesites_clear() - make the list empty, and free its memory */
void codesites_clear(struct codesites *sites);

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
