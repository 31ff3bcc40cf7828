/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel calls its allocators: file, line and function of each call,
 * from debug information (DWARF).
 */
#ifndef CODESITES_H
#define CODESITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct codesite - one call
 * @address: where it returns to, at run time
 * @line: number
 * @file: relative to the kernel's sources, where it can be told
 * @function: that the call stands in: as written, not as inlined
 */
struct codesite {
	uint64_t address;
	int line;
	char *file;
	char *function;
};

/**
 * struct codesites - all of them, by address
 * @site: the calls
 * @count: how many
 * @modules: how many modules had debug information, vmlinux among them
 * @bare: how many had none
 */
struct codesites {
	struct codesite *site;
	size_t count;
	unsigned int modules;
	unsigned int bare;
};

/**
 * struct codesites_source - where to look
 * @vmlinux: file with debug information; NULL: of the running kernel, and its
 *	modules with it
 * @modules: "NAME=FILE" or FILE of modules; ends with NULL; may be NULL
 * @debug_path: directories to search, separated by colons, or NULL
 * @wrappers: names of functions that are looked through, one a line, or NULL
 * @live: addresses are to be those of the running kernel, not those in the
 *	files
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
 * @source: where to look
 * @sites: set to what was found; to be freed with codesites_free()
 * @why: set to a sentence if it fails
 *
 * Return: 0 or -1.
 */
int codesites_find(const struct codesites_source *source,
		   struct codesites *sites, const char **why);

/**
 * codesites_free() - free them
 * @sites: the calls
 */
void codesites_free(struct codesites *sites);

#endif /* CODESITES_H */
