/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of what has a place in the page: each beginning of it has, in equal parts,
 * what had most live bytes and what allocated most.
 */
#ifndef RANKING_HTML_H
#define RANKING_HTML_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct ranked - what is ranked
 * @peak: its highest live bytes; 0: not known
 * @alloc: bytes that it allocated
 */
struct ranked {
	uint64_t peak;
	uint64_t alloc;
};

/**
 * ranking_make() - put in order
 * @items: what is ranked
 * @count: number of @items
 *
 * Return: numbers of all items in their order, which the caller frees.
 */
uint32_t *ranking_make(const struct ranked *items, size_t count);

#endif /* RANKING_HTML_H */
