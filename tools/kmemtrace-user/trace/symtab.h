/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions in a text as /proc/kallsyms, found by address and by name.
 */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kallsyms.h"

/**
 * struct symtab - functions
 * @text: what @symbols point into
 * @symbols: the functions, by address
 * @count: how many
 */
struct symtab {
	char *text;
	struct symbol *symbols;
	size_t count;
};

/**
 * symtab_init() - take in a text
 * @t: the table
 * @text: lines "address type name[\t[module]]"; others are skipped
 * @size: bytes in @text, which need not be ended by a 0
 *
 * Return: false if memory ran out.
 */
bool symtab_init(struct symtab *t, const char *text, size_t size);

/** symtab_exit() - undo symtab_init(); fine for a table that is all 0 */
void symtab_exit(struct symtab *t);

/**
 * symtab_find() - the last function at or below an address
 * @t: the table
 * @addr: the address
 *
 * Return: the function; of several names for it, the first in the text. NULL:
 * there is none.
 */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/**
 * symtab_name() - a function by its name
 * @t: the table
 * @name: the name, not ended by a 0
 * @len: bytes in @name
 * @module: the name of its module, likewise; NULL: of any, or of none
 * @module_len: bytes in @module
 *
 * Return: the function; of several, the first of the kernel itself, else the
 * first. NULL: there is none.
 */
const struct symbol *symtab_name(const struct symtab *t, const char *name,
				 size_t len, const char *module,
				 size_t module_len);

/**
 * symtab_distance() - how far the next function starts from a function
 * @t: the table
 * @s: a function in it
 *
 * Return: the distance in bytes; UINT64_MAX if there is no next function.
 */
uint64_t symtab_distance(const struct symtab *t, const struct symbol *s);

#endif /* SYMTAB_H */
