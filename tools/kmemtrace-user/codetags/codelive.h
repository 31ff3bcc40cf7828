/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of allocators in the running kernel and its modules, or in files.
 */
#ifndef CODELIVE_H
#define CODELIVE_H

#include "codetags/codefind.h"

/**
 * struct codelive_source - what to search, and where
 * @vmlinux: file with the debug information of the kernel; NULL: if @modules is NULL,
 *	find that of the running kernel and its modules
 * @modules: "NAME=FILE" or FILE of each module; the last element is NULL; may be NULL
 * @only: with neither of both: the name of one module, or NULL
 * @debug_path: directories to search, separated by colons; may be NULL
 * @cache: directory with what was found before; NULL: none
 * @wrappers: names of functions that count as allocators as well, one per line; may be
 *	NULL
 * @live: convert addresses to those of the running kernel; else keep those in the files
 * @put: called with the calls of each module as soon as they are found, because modules come
 *	and go meanwhile; fails with false, and a message. NULL: they are collected
 * @arg: passed to @put
 */
struct codelive_source {
	const char *vmlinux;
	const char *const *modules;
	const char *only;
	const char *debug_path;
	const char *cache;
	const char *wrappers;
	bool live;
	bool (*put)(void *arg, const struct codesites *sites);
	void *arg;
};

/**
 * struct codelive_found - what was found
 * @sites: the calls, sorted by address; none if codelive_source.put had them
 * @count: number of all calls
 * @known: number of modules with debug information, including the kernel
 * @cached: the part of @known that was found before
 * @bare: number of modules without debug information
 * @kernel: the kernel is among @known
 */
struct codelive_found {
	struct codesites sites;
	size_t count;
	unsigned int known;
	unsigned int cached;
	unsigned int bare;
	bool kernel;
};

/**
 * codelive_find() - find all calls
 * @source: what to search
 * @found: set to the calls; the caller clears found->sites later, also after a failure
 * @why: set to a sentence on failure
 *
 * Return: 0 or -1.
 */
int codelive_find(const struct codelive_source *source, struct codelive_found *found,
		  const char **why);

/**
 * codelive_keep() - keep what a file says, for a machine without the file
 * @source: @cache is the directory for what is found; @debug_path and @wrappers are used
 * @path: file with the debug information of a kernel or a module
 * @count: set to the number of calls
 * @why: set to a sentence on failure, or to NULL if there was a message
 *
 * Return: 0 or -1.
 */
int codelive_keep(const struct codelive_source *source, const char *path, size_t *count,
		  const char **why);

#endif /* CODELIVE_H */
