/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goes through the cached pages of a file, or of all files below a directory.
 */
#ifndef PAGEFILES_H
#define PAGEFILES_H

#include <stdbool.h>
#include <stddef.h>

#include "filecache.h"
#include "pagespec.h"
#include "pagewalk.h"

/**
 * struct pagefiles - a walk through files
 * @walk: is given the pages
 * @begin: called before those of another file, or of another range
 * @arg: is given to it
 * @range: pages of each file to look at
 * @nr_ranges: how many; 0: whole files
 * @cache: to look with
 * @failed: a file could not be looked at, which a message told
 */
struct pagefiles {
	struct pagewalk *walk;
	void (*begin)(void *arg, const char *path);
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
 * Return: 0; -1 after a message.
 */
int pagefiles_walk(struct pagefiles *f, const char *path);

#endif /* PAGEFILES_H */
