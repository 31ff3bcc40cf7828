/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk over the cached pages of a file, or of all files below a directory.
 */
#ifndef PAGEFILES_H
#define PAGEFILES_H

#include <stdbool.h>
#include <stddef.h>

#include "pagetypes/pageruns.h"
#include "pagetypes/pagespec.h"
#include "process/filecache.h"

/**
 * struct pagefiles - a walk over files
 * @walk: receives the pages
 * @enter: called with the path of a file before the pages of the file, or of a range in
 *	it; called with NULL after them
 * @arg: passed to @enter
 * @range: ranges of pages to read in each file
 * @nr_ranges: number of ranges; 0: all complete pages of each file
 * @cache: reads the page cache
 * @failed: a file could not be read, and a message was printed
 */
struct pagefiles {
	struct pageruns *walk;
	void (*enter)(void *arg, const char *path);
	void *arg;
	const struct pagespec_range *range;
	size_t nr_ranges;
	struct filecache cache;
	bool failed;
};

/**
 * pagefiles_walk() - walk over the pages of a file, or of all files below a directory
 * @f: all members set, except @cache and @failed
 * @path: path of the file or directory; below a directory, symbolic links and other file
 *	systems are skipped
 *
 * Return: 0, also if @failed is set; -1 after a message.
 */
int pagefiles_walk(struct pagefiles *f, const char *path);

#endif /* PAGEFILES_H */
