/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of /proc/kallsyms.
 */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct symbol - a function
 * @addr: where it starts
 * @name: its name, in the line, not terminated by a 0
 * @module: the name of its module, likewise; NULL: the kernel itself
 * @name_len: bytes in @name
 * @module_len: bytes in @module
 */
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;
	uint16_t name_len;
	uint16_t module_len;
};

/**
 * kallsyms_parse() - parse a line "address type name[\t[module]]"
 * @line: the line
 * @end: its end: a newline, or the end of the text
 * @s: set to the function
 *
 * Return: false if it is not such a line, not code, or the address is hidden.
 */
bool kallsyms_parse(const char *line, const char *end, struct symbol *s);

#endif /* KALLSYMS_H */
