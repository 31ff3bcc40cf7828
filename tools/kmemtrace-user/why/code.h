/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of this machine: functions by address, and source lines from debug
 * information.
 */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct names;

/**
 * struct code - the code
 * @names: functions, modules, and the lines of code tags
 * @lines: source lines; NULL without debug information
 * @build_id: build id of the kernel; "": not known
 * @hidden: the kernel hides the addresses of its functions
 */
struct code {
	struct names *names;
	struct lines *lines;
	char build_id[64];
	bool hidden;
};

/**
 * code_open() - read the functions
 * @c: set up; the caller calls code_close() later, also after a failure
 * @debuginfo: path for lines_open(), or NULL
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int code_open(struct code *c, const char *debuginfo);

/**
 * code_function() - get the function that contains an address of code
 * @c: the code
 * @address: address of an instruction
 * @to: set to "function" or "function [module]"
 * @size: bytes of @to
 * @offset: set to the offset of @address in the function
 *
 * Return: false if the address is in no function.
 */
bool code_function(const struct code *c, uint64_t address, char *to, size_t size,
		   uint64_t *offset);

/**
 * code_symbol() - get the function of a return address
 * @c: the code
 * @address: the address
 * @to: set to "function+0x12 [module]"; the address if there is no function
 * @size: bytes of @to
 */
void code_symbol(const struct code *c, uint64_t address, char *to, size_t size);

/**
 * code_lines() - get the source lines of a return address
 * @c: the code
 * @address: the address
 * @to: set to the lines, the outermost function first: "a.c:1, b.h:2 in inlined"
 * @size: bytes of @to
 *
 * Return: false if they are not known.
 */
bool code_lines(const struct code *c, uint64_t address, char *to, size_t size);

/** code_close() - undo code_open() */
void code_close(struct code *c);

#endif /* CODE_H */
