/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of allocators in the kernel: file, line and function of each call, from debug
 * information (DWARF).
 */
#ifndef CODESITES_H
#define CODESITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct codesite - one call
 * @address: return address of the call, at run time
 * @line: line number
 * @file: file name, relative to the kernel's source tree if that is known
 * @function: function that contains the call in the source code, before inlining
 */
struct codesite {
	uint64_t address;
	int line;
	char *file;
	char *function;
};

/**
 * struct codesites - all calls
 * @site: the calls, sorted by address
 * @count: number of calls
 * @modules: number of modules with debug information, including vmlinux
 * @bare: number of modules without debug information
 */
struct codesites {
	struct codesite *site;
	size_t count;
	unsigned int modules;
	unsigned int bare;
};

/**
 * struct codesites_source - source of the debug information
 * @vmlinux: file with the debug information of the kernel; NULL: if @modules is NULL,
 *	find that of the running kernel and its modules
 * @modules: "NAME=FILE" or FILE of each module; the last element is NULL; may be NULL
 * @debug_path: directories to search, separated by colons; may be NULL
 * @wrappers: names of functions that count as allocators as well, one per line; may be
 *	NULL
 * @live: convert addresses to those of the running kernel; else keep those in the files
 */
struct codesites_source {
	const char *vmlinux;
	const char *const *modules;
	const char *debug_path;
	const char *wrappers;
	bool live;
};

/**
 * codesites_find() - find all calls
 * @source: source of the debug information
 * @sites: set to the calls; the caller calls codesites_free() later, also after a failure
 * @why: set to a sentence on failure
 *
 * Return: 0 or -1.
 */
int codesites_find(const struct codesites_source *source,
		   struct codesites *sites, const char **why);

/**
 * codesites_free() - undo codesites_find()
 * @sites: the calls
 */
void codesites_free(struct codesites *sites);

#endif /* CODESITES_H */
