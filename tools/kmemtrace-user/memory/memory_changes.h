/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The changes of the use of all memory between two moments. They may be of different
 * boots, kernels or machines. Sites are the same if their locations are equal.
 */
#ifndef MEMORY_CHANGES_H
#define MEMORY_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "account/changes.h"
#include "memory/memory.h"

#define MEMORY_NOTES	 8
#define MEMORY_NOTE_SIZE 512

/**
 * struct memory_changes - all changes
 * @old: the old state
 * @now: the new state
 * @sites: sites of other kernel pages that changed, by location; none if a state has none
 * @note: sentences about what else differs
 * @nr_notes: number of sentences
 */
struct memory_changes {
	const struct memory *old;
	const struct memory *now;
	struct changes sites;
	char note[MEMORY_NOTES][MEMORY_NOTE_SIZE];
	size_t nr_notes;
};

/**
 * memory_changes_make() - compare two states
 * @c: set to the changes; the caller must call memory_changes_free(), also after a failure
 * @old: the old state, which must outlive @c; its rows of the same location become one
 * @now: the new state, the same
 */
void memory_changes_make(struct memory_changes *c, struct memory *old, struct memory *now);

/** memory_changes_know_sites() - whether both states have sites */
bool memory_changes_know_sites(const struct memory_changes *c);

/** memory_changes_free() - undo memory_changes_make() */
void memory_changes_free(struct memory_changes *c);

#endif /* MEMORY_CHANGES_H */
