/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The use of all memory as a JSON document. saved.h reads it again.
 */
#ifndef MEMORY_JSON_H
#define MEMORY_JSON_H

#include <stddef.h>

#include "memory/memory.h"

/* the member "document" of a state */
#define MEMORY_DOCUMENT "memory"

/* the same of changes, see memory_changes.h */
#define MEMORY_CHANGES_DOCUMENT "memory changes"

struct json_t;

/**
 * memory_json() - make the members of the document
 * @m: the data
 * @top: number of sites; 0: all
 *
 * Return: the members, for json_print() or json_save().
 */
struct json_t *memory_json(const struct memory *m, size_t top);

#endif /* MEMORY_JSON_H */
