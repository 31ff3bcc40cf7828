/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the addresses of a recording by others, so that the recording tells nothing
 * about the layout of the kernel's memory, but gives the same reports.
 *
 * - A function keeps its name and size, and a module its size. They get new addresses, in
 *   the old order, without gaps. The offset in the function or module is kept.
 * - Memory is divided into blocks, as large as the largest block of the page allocator.
 *   The blocks get numbers in the order of their first use. The offset in the block is
 *   kept, because blocks of pages can be freed in parts.
 */
#ifndef ADDRMAP_H
#define ADDRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct addrmap;
struct names;

/**
 * addrmap_create() - create a map
 * @names: the names of the recording; they must outlive the map
 *
 * Return: the map.
 */
struct addrmap *addrmap_create(const struct names *names);

/** addrmap_destroy() - free; NULL is allowed */
void addrmap_destroy(struct addrmap *m);

/** addrmap_use() - add a code address of a record */
void addrmap_use(struct addrmap *m, uint64_t addr);

/**
 * addrmap_assign() - assign new addresses to all code
 * @m: the map; the names are complete
 * @page_size: bytes of a page of the recorded machine
 */
void addrmap_assign(struct addrmap *m, uint64_t page_size);

/* --- after addrmap_assign() ---------------------------------------------------- */

/** addrmap_is_used() - whether addrmap_use() got this address */
bool addrmap_is_used(const struct addrmap *m, uint64_t addr);

/** addrmap_keeps() - whether a function with this address has a used address */
bool addrmap_keeps(const struct addrmap *m, uint64_t start);

/** addrmap_range_is_used() - whether a range of a module has a used address */
bool addrmap_range_is_used(const struct addrmap *m, uint64_t start,
			   uint64_t size);

/** addrmap_code() - the new address for a return address; it is a used one, or 0 */
uint64_t addrmap_code(const struct addrmap *m, uint64_t addr);

/** addrmap_start() - the new address for the start of a kept function, or of a module */
uint64_t addrmap_start(const struct addrmap *m, uint64_t start);

/**
 * addrmap_data() - the new address for memory
 * @m: the map
 * @addr: the address; 0 remains 0
 * @to: set to the new address
 */
void addrmap_data(struct addrmap *m, uint64_t addr, uint64_t *to);

/** addrmap_any() - as addrmap_data(), but for an address of code or of memory */
void addrmap_any(struct addrmap *m, uint64_t addr, uint64_t *to);

#endif /* ADDRMAP_H */
