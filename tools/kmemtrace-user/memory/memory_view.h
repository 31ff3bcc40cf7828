/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the use of all memory as text.
 */
#ifndef MEMORY_VIEW_H
#define MEMORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/memory.h"

/** memory_line_is_shown() - whether text has a line: lines of 0 bytes are mostly left out */
bool memory_line_is_shown(const struct memory *m, enum balance_id id);

/**
 * memory_print() - print all tables
 * @m: the data
 * @top: number of sites; 0: all
 * @by_node: also print the frames of each node
 * @by_owner: also print the memory of each owner
 * @verbose: also print each kind of error of accounting
 */
void memory_print(const struct memory *m, size_t top, bool by_node, bool by_owner,
		  bool verbose);

#endif /* MEMORY_VIEW_H */
