/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the use of all memory from a file: the document of memory_json.h.
 */
#ifndef MEMORY_SAVED_H
#define MEMORY_SAVED_H

#include "memory/memory.h"

/**
 * memory_load() - read a document
 * @m: set to the data, which lacks the frames of each site, the areas of vmalloc() and
 *	the ranges of RAM; the caller must call memory_free(), also after an error
 * @path: path of the file
 *
 * Return: 0; -1 after a message.
 */
int memory_load(struct memory *m, const char *path);

#endif /* MEMORY_SAVED_H */
