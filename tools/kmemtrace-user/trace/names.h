/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of what records only have numbers for: code addresses, caches, gfp
 * flags. They come out of the recording itself.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names;

/** names_create() - know no name yet; NULL if memory ran out */
struct names *names_create(void);

/** names_destroy() - free */
void names_destroy(struct names *n);

/** names_add_kallsyms() - take in a text as /proc/kallsyms; false: no memory */
bool names_add_kallsyms(struct names *n, const char *text);

/** names_add_modules() - take in rows "name size address", oldest list first */
bool names_add_modules(struct names *n, const char *text);

/** names_add_module_log() - take in a text as debugfs/kmemtrace/modules */
bool names_add_module_log(struct names *n, const char *text);

/** names_add_caches() - take in rows "id object_size size name" */
bool names_add_caches(struct names *n, const char *text);

/** names_add_gfp() - take in rows "0xmask NAME" */
bool names_add_gfp(struct names *n, const char *text);

/**
 * names_have_places() - whether names_place() can return anything but 0
 * @n: the names, all of which were taken in
 */
bool names_have_places(const struct names *n);

/**
 * names_place() - distinguish modules that used an address one after the other
 * @n: the names, all of which were taken in
 * @addr: a return address
 * @seq: number of the record that has it
 *
 * Return: what names_symbol() needs to know; 0 if no module came or went there.
 */
uint16_t names_place(const struct names *n, uint64_t addr, uint32_t seq);

/**
 * names_symbol() - the function that an address is in
 * @n: the names
 * @addr: a return address
 * @place: from names_place(); 0: as when the symbols were taken in
 * @to: gets "function+0xoffset [module]"; "[module]+0xoffset" if the function
 *	is not known; the bare address if that is all that is known
 * @size: of @to
 *
 * A symbol of a module is not used beyond the end of the module.
 */
void names_symbol(const struct names *n, uint64_t addr, uint16_t place,
		  char *to, size_t size);

/**
 * names_function() - where a function is
 * @n: the names
 * @name: of the function, not ended by a 0; "module:function" is one of that
 *	module. NULL: the function that @addr is in
 * @len: bytes in @name
 * @addr: with @name NULL
 * @start: set to where it starts
 * @size: set to the bytes from there to the next function
 *
 * Of several functions of one name, it is the kernel's own that comes first,
 * as in event tracing.
 *
 * Return: whether there is one.
 */
bool names_function(const struct names *n, const char *name, size_t len,
		    uint64_t addr, uint64_t *start, uint64_t *size);

/** names_cache_find() - the name of a cache, or NULL */
const char *names_cache_find(const struct names *n, uint64_t id);

/** names_cache() - the name of a cache; "cache 7" if it is not known */
void names_cache(struct names *n, uint64_t id, char *to, size_t size);

/** names_gfp() - flags as "GFP_KERNEL|__GFP_ZERO" */
void names_gfp(struct names *n, uint32_t flags, char *to, size_t size);

#endif /* NAMES_H */
