/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of files that a process maps.
 */
#ifndef FILESPANS_H
#define FILESPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/process.h"

/**
 * struct filespan - a part of a file
 * @device: device of the file, as filespan_device()
 * @inode: inode number of the file
 * @first: number of the first page in the file
 * @end: page number after the last
 */
struct filespan {
	uint64_t device;
	uint64_t inode;
	uint64_t first;
	uint64_t end;
};

/**
 * struct filespans - parts of files
 * @span: the parts, sorted; those of a file neither overlap nor touch each other
 * @count: number of parts
 */
struct filespans {
	struct filespan *span;
	size_t count;
};

/** filespan_device() - the device of a mapped file, as one number */
uint64_t filespan_device(const struct mapping *m);

/**
 * filespans_make() - find the parts of files that a process maps
 * @s: set; must be freed with filespans_free(), also after an error
 * @p: the process
 * @page_size: bytes of a page
 */
void filespans_make(struct filespans *s, const struct process *p,
		    uint64_t page_size);

/**
 * filespans_next() - find the next pages of a file that are in a part
 * @s: the parts
 * @m: a mapping of the file
 * @first: number of the first page to look at; set to the first page found
 * @end: page number after the last one to look at
 * @stop: set to the page number after the last one found
 *
 * Return: false if there is none.
 */
bool filespans_next(const struct filespans *s, const struct mapping *m,
		    uint64_t *first, uint64_t end, uint64_t *stop);

/** filespans_free() - undo filespans_make(); @s may be all zeros */
void filespans_free(struct filespans *s);

#endif /* FILESPANS_H */
