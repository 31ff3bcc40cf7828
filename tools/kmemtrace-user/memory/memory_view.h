/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the use of all memory as text, and its changes as text or JSON.
 */
#ifndef MEMORY_VIEW_H
#define MEMORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/memory.h"
#include "memory/memory_changes.h"

/**
 * struct memory_form - settings of the output
 * @top: number of sites; 0: all
 * @by_node: also print the frames of each node; JSON always has them
 * @by_owner: also print the memory of each owner
 * @json: print JSON
 * @verbose: also print each kind of error of accounting
 */
struct memory_form {
	size_t top;
	bool by_node;
	bool by_owner;
	bool json;
	bool verbose;
};

/** memory_print() - print all tables */
void memory_print(const struct memory *m, const struct memory_form *form);

/**
 * memory_print_changes() - print the changes, as text or as JSON
 * @c: the changes
 * @form: the settings; @form->by_owner is ignored
 *
 * Return: EXIT_DONE; EXIT_FAILED after a message.
 */
int memory_print_changes(const struct memory_changes *c, const struct memory_form *form);

#endif /* MEMORY_VIEW_H */
