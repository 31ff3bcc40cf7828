/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with debug information (DWARF) of the kernel or a module, read with libdwfl.
 */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* directories to search for separate debug information, separated by colons; may be NULL */
extern char *debugfile_path;

/* the environment variable with the URLs of debuginfod servers */
#define DEBUGFILE_URLS	  "DEBUGINFOD_URLS"
/* files with the URLs of the distribution's debuginfod servers */
#define DEBUGFILE_SERVERS "/etc/debuginfod/*.urls"

/**
 * debugfile_use_servers() - use debuginfod servers, unless DEBUGINFOD_URLS is set
 * @pattern: files with their URLs: DEBUGFILE_SERVERS, except in tests
 *
 * A login shell sets the variable from these files (see debuginfod-client-config(7)). But
 * sudo removes it, and a service has no login shell.
 */
void debugfile_use_servers(const char *pattern);

/**
 * debugfile_open() - open a file alone, with its own addresses
 * @name: name of the module
 * @path: the file
 * @module: set to the module in the file
 * @why: set to a sentence on failure
 *
 * Return: the session, which the caller ends with dwfl_end(); NULL on failure.
 */
Dwfl *debugfile_open(const char *name, const char *path, Dwfl_Module **module,
		     const char **why);

/**
 * debugfile_find() - find the debug information of a build
 * @build_id: build id, in hexadecimal
 *
 * libdw searches /usr/lib/debug/.build-id, and then the servers in the environment variable
 * DEBUGINFOD_URLS, if libdebuginfod is installed.
 *
 * Return: a file descriptor; -1 if nothing was found.
 */
int debugfile_find(const char *build_id);

/**
 * debugfile_build_id() - get the build id of a module in hex
 * @module: the module
 * @hex: gets the build id
 * @size: bytes of @hex
 *
 * Return: false if it has none.
 */
bool debugfile_build_id(Dwfl_Module *module, char *hex, size_t size);

/**
 * debugfile_symbol() - get the address of a symbol
 * @module: the module
 * @name: name of the symbol
 *
 * Return: the address; 0 if there is no such symbol, or several with other addresses.
 */
uint64_t debugfile_symbol(Dwfl_Module *module, const char *name);

/**
 * struct debugfile_root - root directory of a source tree
 * @dir: the directory; "": not known
 */
struct debugfile_root {
	char dir[512];
};

/** debugfile_comp_dir() - get the directory in which a unit was compiled; may be NULL */
const char *debugfile_comp_dir(Dwarf_Die *cu);

/** debugfile_find_root() - set the root by init/main.c, which each kernel has, if unset */
void debugfile_find_root(struct debugfile_root *root, Dwarf *dwarf);

/**
 * debugfile_relative() - make a file name relative to the source tree, as the kernel does
 * @root: the root
 * @comp_dir: debugfile_comp_dir() of the unit; may be NULL
 * @file: name of the source file
 * @room: memory for the result
 * @size: bytes of @room
 *
 * Return: the name, in @room or in @file.
 */
const char *debugfile_relative(const struct debugfile_root *root,
			       const char *comp_dir, const char *file,
			       char *room, size_t size);

/**
 * debugfile_call() - get the place at which an inlined copy of a function is called
 * @copy: the copy
 * @files: source files of its unit
 * @line: set to the line
 *
 * Return: the source file; NULL if it is not known.
 */
const char *debugfile_call(Dwarf_Die *copy, Dwarf_Files *files, int *line);

#endif /* DEBUGFILE_H */
