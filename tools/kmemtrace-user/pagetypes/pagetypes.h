/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What page-types does: goes through pages, lists and counts those that are
 * wanted.
 */
#ifndef PAGETYPES_H
#define PAGETYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pagetypes/pagelist.h"
#include "pagetypes/pagemark.h"
#include "pagetypes/pageruns.h"
#include "pagetypes/pageselect.h"
#include "pagetypes/pagespec.h"
#include "pagetypes/pagesum.h"
#include "process/process.h"

#define PAGETYPES_RANGES 1024

/**
 * struct pagetypes - what is wanted, and what came of it
 * @select: which pages, with which flags
 * @range: these pages
 * @nr_ranges: how many ranges; 0: all pages
 * @by_cgroup: those of a memory cgroup alone
 * @cgroup: its inode number; 0: those of none
 * @process: what a process maps, by number or name, or NULL
 * @file: what the page cache has of it, or NULL
 * @kpageflags: to read instead of /proc/kpageflags, or NULL
 * @marks: what to do to pages: mask of PAGEMARK_*
 * @no_summary: without the summary
 * @list: how they are listed; json is for the summary as well
 * @walk: goes through them
 * @p: the process
 * @st: of the file
 * @incomplete: something could not be looked at, which a message told
 * @mark: the files to mark them with
 * @sum: the summary
 */
struct pagetypes {
	struct pageselect select;
	struct pagespec_range range[PAGETYPES_RANGES];
	size_t nr_ranges;
	bool by_cgroup;
	uint64_t cgroup;
	const char *process;
	const char *file;
	const char *kpageflags;
	unsigned int marks;
	bool no_summary;
	struct pagelist list;
	struct pageruns walk;
	struct process p;
	struct stat st;
	bool incomplete;
	struct pagemark mark;
	struct pagesum sum;
};

/**
 * pagetypes_show() - do it
 * @t: what is wanted is set, the rest is 0
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pagetypes_show(struct pagetypes *t);

#endif /* PAGETYPES_H */
