/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goes through the cached pages of a file, or of all files below a directory.
 */
#ifndef PAGEFILES_H
#define PAGEFILES_H

#include <stdbool.h>
#include <stddef.h>

#include "pagetypes/pageruns.h"
#include "pagetypes/pagespec.h"
#include "process/filecache.h"

/**
 * struct pagefiles - a walk through files
 * @walk: is given the pages
 * @enter: called with its path before the pages of a file, or of a range of it;
 *	with NULL after them
 * @arg: is given to it
 * @range: pages of each file to look at
 * @nr_ranges: how many; 0: all whole pages of each file
 * @cache: to look with
 * @failed: a file could not be looked at, which a message told
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
 * pagefiles_walk() - go through a file, or through a directory
 * @f: all but cache and failed set
 * @path: of it; below a directory, neither links nor other file systems are
 *	followed
 *
 * Return: 0, also if @failed is set; -1 after a message.
 */
int pagefiles_walk(struct pagefiles *f, const char *path);

#endif /* PAGEFILES_H */
