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

/** names_add_caches() - take in rows "id object_size size name" */
bool names_add_caches(struct names *n, const char *text);

/** names_add_gfp() - take in rows "0xmask NAME" */
bool names_add_gfp(struct names *n, const char *text);

/**
 * names_symbol() - the function that an address is in
 * @n: the names
 * @addr: a return address
 * @to: gets "function+0xoffset [module]", or the bare address
 * @size: of @to
 */
void names_symbol(struct names *n, uint64_t addr, char *to, size_t size);

/** names_cache() - the name of a cache; "cache 7" if it is not known */
void names_cache(struct names *n, uint64_t id, char *to, size_t size);

/** names_gfp() - flags as "GFP_KERNEL|__GFP_ZERO" */
void names_gfp(struct names *n, uint32_t flags, char *to, size_t size);

#endif /* NAMES_H */
