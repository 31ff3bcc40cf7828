/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw cpu<n> files: the records of one CPU in each file, without any header, ordered by
 * sequence number as in 2008, or by time.
 */
#ifndef RAWFILES_H
#define RAWFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/merge.h"

struct order;
struct raw_file;

/**
 * struct rawfiles - the files of one recording
 * @file: the files
 * @count: number of files
 * @swap: records have the other byte order
 * @order: puts the records into order, if they are ordered by time; else NULL
 * @merge: while @order puts records: the merge that takes them
 * @failed: path of the file that could not be read
 */
struct rawfiles {
	struct raw_file *file;
	size_t count;
	bool swap;
	struct order *order;
	struct merge *merge;
	const char *failed;
};

/**
 * rawfiles_open() - open the files
 * @r: set; the caller must call rawfiles_close(), also after an error
 * @paths: paths of the files; must outlive @r
 * @count: number of @paths
 *
 * Prints a message if it fails.
 *
 * Return: EXIT_DONE, EXIT_FAILED, or EXIT_USAGE if two files are of the same CPU.
 */
int rawfiles_open(struct rawfiles *r, char **paths, size_t count);

/** rawfiles_close() - undo rawfiles_open() */
void rawfiles_close(struct rawfiles *r);

/** rawfiles_cpu() - get the CPU of a file; @index counts from 0 */
uint32_t rawfiles_cpu(const struct rawfiles *r, size_t index);

/** rawfiles_swapped() - whether the records for the merge have the other byte order */
bool rawfiles_swapped(const struct rawfiles *r);

/** rawfiles_start() - announce the CPUs to a merge */
void rawfiles_start(struct rawfiles *r, struct merge *m);

/** rawfiles_fill() - add pieces that a merge needs; return 1; 0: no more; or -errno */
int rawfiles_fill(struct rawfiles *r, struct merge *m);

#endif /* RAWFILES_H */
