/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses at which the kernel maps all memory, and its own image: /proc/kcore has
 * them with their physical addresses. The kernel chooses them anew at each boot.
 */
#ifndef DIRECTMAP_H
#define DIRECTMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct directmap_range - memory that is mapped at contiguous addresses
 * @start: first address
 * @end: address after the last
 * @physical: physical address of @start
 */
struct directmap_range {
	uint64_t start;
	uint64_t end;
	uint64_t physical;
};

/**
 * struct directmap - all ranges
 * @range: the ranges
 * @count: number of ranges
 * @why: the reason why they are not known; NULL if they are
 */
struct directmap {
	struct directmap_range *range;
	size_t count;
	const char *why;
};

/**
 * directmap_read() - read the ranges
 * @d: set; must be freed with directmap_free()
 *
 * If the kernel does not show them, @d has none, and @d->why is set.
 */
void directmap_read(struct directmap *d);

/**
 * directmap_physical() - translate an address
 * @d: the ranges
 * @address: the address
 * @physical: set to the physical address
 *
 * Return: false if the address is in no range.
 */
bool directmap_physical(const struct directmap *d, uint64_t address, uint64_t *physical);

/** directmap_free() - undo directmap_read() */
void directmap_free(struct directmap *d);

#endif /* DIRECTMAP_H */
