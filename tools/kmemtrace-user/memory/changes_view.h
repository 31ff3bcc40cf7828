/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the changes of the use of all memory, as text or as JSON.
 */
#ifndef MEMORY_CHANGES_VIEW_H
#define MEMORY_CHANGES_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/memory_changes.h"

/**
 * struct changes_view - settings of the output
 * @top: number of sites; 0: all
 * @by_node: also print the changes of each node; JSON always has them
 * @json: print JSON
 * @verbose: also print each kind of error of accounting
 */
struct changes_view {
	size_t top;
	bool by_node;
	bool json;
	bool verbose;
};

/**
 * changes_view_print() - print the changes
 * @view: the settings
 * @c: the changes
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message.
 */
int changes_view_print(const struct changes_view *view,
		       const struct memory_changes *c);

#endif /* MEMORY_CHANGES_VIEW_H */
