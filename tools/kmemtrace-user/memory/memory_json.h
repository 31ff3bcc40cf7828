/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The use of all memory as a JSON document, which is written and read here.
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

/**
 * memory_load() - read a document
 * @m: set to the data, which lacks the frames of each site, the areas of vmalloc() and
 *	the ranges of RAM; the caller must call memory_free(), also after an error
 * @path: path of the file
 *
 * Return: 0; -1 after a message.
 */
int memory_load(struct memory *m, const char *path);

#endif /* MEMORY_JSON_H */
