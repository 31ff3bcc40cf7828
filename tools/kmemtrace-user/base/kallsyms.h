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
 * @addr: address of its start
 * @name: its name; points into the line, not terminated by a 0
 * @module: name of its module; points into the line, not terminated by a 0; NULL: the
 *	function is in the kernel itself
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
 * @end: end of the line: a newline, or the end of the text
 * @s: set to the function
 *
 * Return: false if the line has another format, the symbol is not a function, or the
 * address is hidden (0).
 */
bool kallsyms_parse(const char *line, const char *end, struct symbol *s);

#endif /* KALLSYMS_H */
